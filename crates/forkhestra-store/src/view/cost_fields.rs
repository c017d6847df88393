//! Tokens and cost as JSON numbers.

use forkhestra_core::cost::{Cost, Spend};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tokens and cost. Unknown numbers are left out, and never zero.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CostFields {
    /// How many tokens it used, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Its cost in US dollars, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// A lower bound of its cost in US dollars, if that is known only in part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_at_least: Option<f64>,
}

impl CostFields {
    /// The numbers of a spend; all `None` if it is unknown.
    pub(crate) fn of(spend: Option<Spend>) -> Self {
        let (cost, cost_at_least) = match spend.map(|spend| spend.cost()) {
            Some(Cost::Known(dollars)) => (Some(dollars.to_dollars()), None),
            Some(Cost::AtLeast(dollars)) => (None, Some(dollars.to_dollars())),
            Some(Cost::Unknown) | None => (None, None),
        };
        Self { tokens: spend.map(|spend| spend.tokens.total()), cost, cost_at_least }
    }
}

#[cfg(test)]
mod tests {
    use forkhestra_core::cost::{Dollars, TokenCounts};

    use super::*;

    #[test]
    fn an_unknown_value_is_not_zero() {
        let tokens =
            TokenCounts { input: 100, output: 20, cache_read: 3, ..TokenCounts::default() };
        let spend = |nanos, unpriced| {
            let dollars = Dollars::from_nanos(nanos);
            CostFields::of(Some(Spend { tokens, dollars, unpriced }))
        };
        let figures = |cost, cost_at_least| CostFields { tokens: Some(123), cost, cost_at_least };
        assert_eq!(CostFields::of(None), CostFields::default());
        assert_eq!(spend(34_200_000, false), figures(Some(0.0342), None));
        assert_eq!(spend(0, false), figures(Some(0.0), None));
        assert_eq!(spend(34_200_000, true), figures(None, Some(0.0342)));
        assert_eq!(spend(0, true), figures(None, None));
    }
}
