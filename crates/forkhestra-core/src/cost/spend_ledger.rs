//! The ledger of one iteration's spend.

use super::recent_responses::RecentResponses;
use super::{Dollars, ModelPrice, PriceTable, Spend, TokenCounts};

/// Counts one iteration's spend as the agent reports it.
///
/// The count never decreases, except when the agent's own [total](Self::total) replaces it; and no
/// total is lower than the one before. Its memory is bounded.
#[derive(Debug, Clone)]
pub struct SpendLedger {
    prices: PriceTable,
    /// The spend of earlier sessions.
    earlier: Spend,
    /// The agent's own last total.
    total: Spend,
    /// The spend since then that is final.
    settled: Spend,
    /// The spend since then that may still change.
    recent: RecentResponses,
}

/// An agent's usage report for one model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportedUsage<'a> {
    pub model: Option<&'a str>,
    pub tokens: TokenCounts,
    /// The cost according to the agent. A cost of 0 for tokens is ignored: agents report it when
    /// they do not know the price.
    pub dollars: Option<Dollars>,
}

impl SpendLedger {
    /// Creates an empty ledger.
    pub fn new(prices: PriceTable) -> Self {
        let (earlier, total, settled) = (Spend::default(), Spend::default(), Spend::default());
        Self { prices, earlier, total, settled, recent: RecentResponses::default() }
    }

    /// Counts the usage of one model response, as far as it is known.
    ///
    /// A repeated id corrects it: Claude repeats the usage of a response with every block and
    /// corrects it at the end. Of two reports the [larger](TokenCounts::max_of_each) figures count,
    /// so that a repeated early report lowers nothing.
    pub fn message(&mut self, id: &str, model: &str, tokens: TokenCounts) {
        let price = self.prices.of(model).copied();
        if let Some(spend) = self.recent.report(id, price, tokens) {
            self.settled += spend;
        }
    }

    /// Counts usage that is reported once, with the agent's own cost if it reports one.
    pub fn step(&mut self, model: Option<&str>, tokens: TokenCounts, dollars: Option<Dollars>) {
        self.settled += self.spend_of(ReportedUsage { model, tokens, dollars }, ModelPrice::of);
    }

    /// Takes the agent's own total so far, cumulative in its process.
    ///
    /// It replaces what was counted; later usage is added on top until the next total. Without
    /// `dollars` the tokens are priced from the table.
    pub fn total(&mut self, model: Option<&str>, tokens: TokenCounts, dollars: Option<Dollars>) {
        self.totals(&[ReportedUsage { model, tokens, dollars }]);
    }

    /// Takes the total of an agent that reports each model separately.
    ///
    /// A total of zero is ignored if something was counted: an interrupted agent may report 0.
    pub fn totals(&mut self, all: &[ReportedUsage<'_>]) {
        let mut total: Spend = all.iter().map(|one| self.spend_of(*one, ModelPrice::of_sum)).sum();
        if total.is_zero() {
            return;
        }
        if total.tokens.is_zero() {
            total.tokens = self.session_spend().tokens;
        }
        // Totals are cumulative, so one that is lower than before is wrong.
        self.total = Spend {
            tokens: total.tokens.max_of_each(self.total.tokens),
            dollars: total.dollars.max(self.total.dollars),
            unpriced: total.unpriced,
        };
        self.settled = Spend::default();
        self.recent.mark_counted();
    }

    /// Begins a session, whose totals do not include earlier sessions.
    pub fn begin_session(&mut self) {
        self.earlier += self.session_spend();
        (self.total, self.settled) = (Spend::default(), Spend::default());
        self.recent = RecentResponses::default();
    }

    /// The spend so far.
    pub fn spend(&self) -> Spend {
        self.earlier + self.session_spend()
    }

    fn session_spend(&self) -> Spend {
        self.total + self.settled + self.recent.spend()
    }

    fn spend_of(
        &self,
        usage: ReportedUsage<'_>,
        priced: fn(&ModelPrice, TokenCounts) -> Dollars,
    ) -> Spend {
        let ReportedUsage { model, tokens, dollars } = usage;
        let estimate = || Some(priced(self.prices.of(model?)?, tokens));
        let known = dollars.filter(|dollars| !dollars.is_zero()).or_else(estimate);
        let unpriced = known.is_none() && !tokens.is_zero();
        Spend { tokens, dollars: known.unwrap_or_default(), unpriced }
    }
}
