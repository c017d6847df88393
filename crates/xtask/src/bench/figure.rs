//! One measured number and its limit.

use std::fmt;

#[derive(Debug)]
pub(super) struct Figure {
    /// The work that was measured, as Markdown.
    pub(super) work: String,
    /// What the number counts.
    pub(super) what: &'static str,
    pub(super) value: f64,
    pub(super) limit: Limit,
    pub(super) unit: Unit,
}

/// Which values are accepted.
#[derive(Clone, Copy, Debug)]
pub(super) enum Limit {
    AtMost(f64),
    Exactly(f64),
    /// All of them: the value is only to be known.
    None,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Unit {
    /// A ratio to the yardstick.
    Times,
    Mebibytes,
    Percent,
    Seconds,
    Milliseconds,
    /// How often something happened.
    Calls,
}

impl Figure {
    pub(super) fn is_met(&self) -> bool {
        match self.limit {
            Limit::AtMost(most) => self.value <= most,
            // Only what was counted is compared like this, and counts are exact.
            Limit::Exactly(number) => (self.value - number).abs() < f64::EPSILON,
            Limit::None => true,
        }
    }

    pub(super) fn shown_value(&self) -> String {
        self.unit.shown(self.value).to_string()
    }

    pub(super) fn shown_limit(&self) -> String {
        match self.limit {
            Limit::AtMost(most) => format!("at most {}", self.unit.shown(most)),
            Limit::Exactly(number) => format!("exactly {}", self.unit.shown(number)),
            Limit::None => "none".to_owned(),
        }
    }
}

impl Unit {
    fn shown(self, number: f64) -> impl fmt::Display {
        match self {
            Self::Times => format!("{number:.2}x"),
            Self::Mebibytes => format!("{number:.1} MiB"),
            Self::Percent => format!("{number:.1} %"),
            Self::Seconds => format!("{number:.3} s"),
            Self::Milliseconds => format!("{number:.3} ms"),
            Self::Calls => format!("{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_must_be_met_exactly_and_all_else_may_be_less() {
        let is_met = |value, limit| {
            Figure { work: String::new(), what: "", value, limit, unit: Unit::Calls }.is_met()
        };
        for (value, at_most, exactly) in
            [(1.99, true, false), (2.0, true, true), (2.01, false, false)]
        {
            assert_eq!(is_met(value, Limit::AtMost(2.0)), at_most, "{value}");
            assert_eq!(is_met(value, Limit::Exactly(2.0)), exactly, "{value}");
        }
    }
}
