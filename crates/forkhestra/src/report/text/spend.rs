//! Text about tokens and cost.

use forkhestra_core::cost::{Cost, PriceTable, Spend, TokenCounts};
use forkhestra_core::plan::{Plan, PlanStep};

/// The spend, if anything is known about it: some agents report nothing.
pub(crate) fn known(spend: Spend) -> Option<Spend> {
    (!spend.is_zero() || spend.unpriced).then_some(spend)
}

/// Tokens and cost: `11.6k tokens, $0.0342`.
pub(crate) fn tokens_and_cost(spend: Spend) -> String {
    if is_unreported(spend) && spend.cost() == Cost::Unknown {
        return "tokens and cost unknown".to_owned();
    }
    format!("{}, {}", tokens(spend), cost(spend))
}

/// Note that replayed spend was not paid, if any agent is a replay.
pub(crate) fn replayed(plan: &Plan) -> &'static str {
    let is_replayed = |step: &PlanStep| step.agent.replay.is_some();
    if !plan.steps.iter().any(is_replayed) {
        ""
    } else if plan.steps.iter().all(is_replayed) {
        " (replayed: nothing was paid)"
    } else {
        " (some of it replayed, which was not paid)"
    }
}

/// Tokens and cost as two table cells.
pub(crate) fn cells(spend: Spend) -> [String; 2] {
    [tokens(spend), cost(spend)]
}

/// Origin of the prices that forkhestra applies: `list prices of 2026-11-15`.
pub(crate) fn source_of_prices(plan: &Plan) -> String {
    let shipped = format!("list prices of {}", PriceTable::as_of());
    if plan.prices.is_empty() { shipped } else { format!("prices of the config, and {shipped}") }
}

/// The cost, for places without a label.
pub(crate) fn cost(spend: Spend) -> String {
    match spend.cost() {
        Cost::Unknown => "cost unknown".to_owned(),
        cost => cost.to_string(),
    }
}

/// All tokens together, rounded: `11.6k tokens`.
pub(crate) fn tokens(spend: Spend) -> String {
    match spend.tokens.total() {
        0 if is_unreported(spend) => "tokens unknown".to_owned(),
        1 => "1 token".to_owned(),
        total => format!("{} tokens", short_count(total)),
    }
}

/// Whether something was spent without a reported amount. That differs from zero.
const fn is_unreported(spend: Spend) -> bool {
    spend.tokens.is_zero() && spend.unpriced
}

/// Tokens by kind; kinds without tokens are left out.
pub(crate) fn tokens_by_kind(tokens: TokenCounts) -> String {
    let written = tokens.cache_write.saturating_add(tokens.cache_write_1h);
    let kinds = [
        (tokens.input, "read"),
        (tokens.output, "written"),
        (tokens.cache_read, "read from a cache"),
        (written, "written to a cache"),
    ];
    let kinds = kinds.iter().filter(|(number, _)| *number > 0);
    kinds
        .map(|(number, what)| format!("{} {what}", short_count(*number)))
        .collect::<Vec<_>>()
        .join(", ")
}

fn short_count(number: u64) -> String {
    let in_units = |unit: u64, sign: char| {
        let tenths = number / (unit / 10);
        format!("{}.{}{sign}", tenths / 10, tenths % 10)
    };
    match number {
        0..1_000 => number.to_string(),
        1_000..1_000_000 => in_units(1_000, 'k'),
        _ => in_units(1_000_000, 'M'),
    }
}

#[cfg(test)]
mod tests {
    use forkhestra_core::cost::Dollars;

    use super::*;

    fn spend(input: u64, nanos: u64, unpriced: bool) -> Spend {
        let tokens = TokenCounts { input, ..TokenCounts::default() };
        Spend { tokens, dollars: Dollars::from_nanos(nanos), unpriced }
    }

    #[test]
    fn token_counts_are_rounded() {
        for (number, expected) in [
            (0, "0 tokens"),
            (1, "1 token"),
            (999, "999 tokens"),
            (1_000, "1.0k tokens"),
            (11_665, "11.6k tokens"),
            (999_999, "999.9k tokens"),
            (1_250_000, "1.2M tokens"),
        ] {
            assert_eq!(tokens(spend(number, 0, false)), expected);
        }
    }

    #[test]
    fn an_unknown_spend_is_never_zero() {
        assert_eq!(tokens_and_cost(spend(11_665, 34_200_000, false)), "11.6k tokens, $0.0342");
        assert_eq!(
            tokens_and_cost(spend(11_665, 34_200_000, true)),
            "11.6k tokens, at least $0.0342"
        );
        assert_eq!(tokens_and_cost(spend(11_665, 0, true)), "11.6k tokens, cost unknown");
        assert_eq!(tokens_and_cost(spend(0, 0, true)), "tokens and cost unknown");
        assert_eq!(cells(spend(0, 0, true)), ["tokens unknown", "cost unknown"]);
        assert_eq!(
            tokens_and_cost(spend(0, 500_000_000, true)),
            "tokens unknown, at least $0.5000"
        );
        assert_eq!(tokens_and_cost(spend(0, 500_000_000, false)), "0 tokens, $0.5000");
        assert_eq!(known(Spend::default()), None);
        assert!(known(spend(0, 0, true)).is_some());
    }

    #[test]
    fn kinds_of_tokens_are_shown_separately() {
        let all = TokenCounts {
            input: 2_100,
            output: 75,
            cache_read: 8_700,
            cache_write: 700,
            cache_write_1h: 90,
        };
        let expected = "2.1k read, 75 written, 8.7k read from a cache, 790 written to a cache";
        assert_eq!(tokens_by_kind(all), expected);
        assert_eq!(
            tokens_by_kind(TokenCounts { output: 1, ..TokenCounts::default() }),
            "1 written"
        );
    }
}
