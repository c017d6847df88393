//! How precisely amounts of money are shown.

use forkhestra_core::cost::Dollars;
use forkhestra_core::stats::GroupFigures;

/// How precisely the amounts of one report are shown, so that they can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AmountScale {
    /// Two decimals.
    Cents,
    /// Four decimals, as elsewhere.
    Fine,
}

/// From this total on, cents are precise enough.
const CENTS_FROM: Dollars = Dollars::from_nanos(10_000_000_000);

impl AmountScale {
    /// The scale for a report with this total.
    pub(super) fn of(total: Dollars) -> Self {
        if total >= CENTS_FROM { Self::Cents } else { Self::Fine }
    }

    /// The smallest amount that is shown, in billionths of a dollar.
    pub(super) const fn unit(self) -> u64 {
        match self {
            Self::Cents => 10_000_000,
            Self::Fine => 100_000,
        }
    }

    /// An amount, rounded.
    pub(super) fn text(self, amount: Dollars) -> String {
        if !amount.is_zero() && self.units(amount) == 0 {
            return format!("<{}", self.units_text(1));
        }
        self.units_text(self.units(amount))
    }

    /// An amount of which a part may be unknown.
    pub(super) fn bound_text(self, amount: Dollars, at_least: bool) -> String {
        match (at_least, amount.is_zero()) {
            (true, true) => "unknown".to_owned(),
            (true, false) => format!("at least {}", self.text(amount)),
            (false, _) => self.text(amount),
        }
    }

    /// The cost of a group for a table; empty if its agents report nothing.
    pub(super) fn cost_cell(self, figures: &GroupFigures) -> String {
        match figures.money {
            Some(money) if money.at_least => format!("≥{}", self.text(money.total)),
            Some(money) => self.text(money.total),
            None if figures.tokens.is_some() => "unknown".to_owned(),
            None => String::new(),
        }
    }

    /// An amount in units, rounded.
    pub(super) fn units(self, amount: Dollars) -> u64 {
        amount.nanos().saturating_add(self.unit() / 2) / self.unit()
    }

    /// The text of a number of units.
    pub(super) fn units_text(self, units: u64) -> String {
        match self {
            Self::Cents => format!("${}.{:02}", units / 100, units % 100),
            Self::Fine => format!("${}.{:04}", units / 10_000, units % 10_000),
        }
    }
}
