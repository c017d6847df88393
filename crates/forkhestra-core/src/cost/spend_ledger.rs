//! Counting one iteration's spend as the agent reports it.

use super::recent_responses::RecentResponses;
use super::{Dollars, ModelPrice, PriceTable, Spend, TokenCounts};

/// Counts one iteration's spend as the agent reports it.
///
/// What was counted never becomes less, except when the agent's own [total](Self::total) replaces
/// it; and no own total is less than the one before. Its memory does not grow with what it is told.
#[derive(Debug, Clone)]
pub struct SpendLedger {
    prices: PriceTable,
    /// What earlier sessions came to.
    earlier: Spend,
    /// The agent's own figures, the last time it gave any.
    total: Spend,
    /// What came after that and does not change any more.
    settled: Spend,
    /// What came after that and may still change.
    recent: RecentResponses,
}

/// What an agent says that it used, of one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportedUsage<'a> {
    /// The model, if it was named.
    pub model: Option<&'a str>,
    /// The tokens.
    pub tokens: TokenCounts,
    /// What the agent itself says that they cost. Nothing for something is no answer: agents that
    /// do not know a price say 0.
    pub dollars: Option<Dollars>,
}

impl SpendLedger {
    /// Nothing is spent yet.
    pub fn new(prices: PriceTable) -> Self {
        let (earlier, total, settled) = (Spend::default(), Spend::default(), Spend::default());
        Self { prices, earlier, total, settled, recent: RecentResponses::default() }
    }

    /// Counts the usage of one model answer, as far as it is known.
    ///
    /// The same id again corrects it: Claude repeats the usage of an answer with every block of it
    /// and corrects it at the end. Of two reports the [larger](Tokens::larger) figures hold, so
    /// that an early one that is repeated lowers nothing.
    pub fn message(&mut self, id: &str, model: &str, tokens: TokenCounts) {
        let price = self.prices.of(model).copied();
        if let Some(spend) = self.recent.report(id, price, tokens) {
            self.settled += spend;
        }
    }

    /// Counts usage that is reported once, with the agent's own cost if it gives one.
    pub fn step(&mut self, model: Option<&str>, tokens: TokenCounts, dollars: Option<Dollars>) {
        self.settled += self.spend_of(ReportedUsage { model, tokens, dollars }, ModelPrice::of);
    }

    /// Takes the agent's own figures for everything so far, cumulative in its process.
    ///
    /// They replace what was counted; what comes later is added on top until the next total.
    /// Without `dollars` the tokens are priced by us.
    pub fn total(&mut self, model: Option<&str>, tokens: TokenCounts, dollars: Option<Dollars>) {
        self.totals(&[ReportedUsage { model, tokens, dollars }]);
    }

    /// Takes the same for an agent that tells the models apart.
    ///
    /// A total of nothing is not believed where something was counted: an agent that was
    /// interrupted may report 0.
    pub fn totals(&mut self, all: &[ReportedUsage<'_>]) {
        let mut total: Spend = all.iter().map(|one| self.spend_of(*one, ModelPrice::of_sum)).sum();
        if total.is_zero() {
            return;
        }
        if total.tokens.is_zero() {
            total.tokens = self.of_session().tokens;
        }
        // They are cumulative, so one that is less than before cannot be true.
        self.total = Spend {
            tokens: total.tokens.max_of_each(self.total.tokens),
            dollars: total.dollars.max(self.total.dollars),
            unpriced: total.unpriced,
        };
        self.settled = Spend::default();
        self.recent.mark_counted();
    }

    /// Begins a session, whose totals do not include what was spent before.
    pub fn begin_session(&mut self) {
        self.earlier += self.of_session();
        (self.total, self.settled) = (Spend::default(), Spend::default());
        self.recent = RecentResponses::default();
    }

    /// What is spent so far.
    pub fn spend(&self) -> Spend {
        self.earlier + self.of_session()
    }

    fn of_session(&self) -> Spend {
        self.total + self.settled + self.recent.spend()
    }

    fn spend_of(
        &self,
        usage: ReportedUsage<'_>,
        priced: fn(&ModelPrice, TokenCounts) -> Dollars,
    ) -> Spend {
        let ReportedUsage { model, tokens, dollars } = usage;
        let ours = || Some(priced(self.prices.of(model?)?, tokens));
        let known = dollars.filter(|dollars| !dollars.is_zero()).or_else(ours);
        let unpriced = known.is_none() && !tokens.is_zero();
        Spend { tokens, dollars: known.unwrap_or_default(), unpriced }
    }
}
