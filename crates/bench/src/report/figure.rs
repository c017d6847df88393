//! One measured number and its limit.

use std::fmt;

#[derive(Debug)]
pub(crate) struct Figure {
    /// The measured work, as Markdown.
    pub(crate) work: String,
    /// What the number counts.
    pub(crate) what: &'static str,
    pub(crate) value: f64,
    pub(crate) limit: FigureLimit,
    pub(crate) unit: FigureUnit,
}

/// The accepted values.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FigureLimit {
    AtMost(f64),
    Exactly(f64),
    /// The value is informational.
    None,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum FigureUnit {
    /// A ratio to the yardstick.
    Times,
    Mebibytes,
    Percent,
    Seconds,
    Milliseconds,
    /// A number of calls.
    Calls,
}

impl Figure {
    pub(crate) fn is_met(&self) -> bool {
        match self.limit {
            FigureLimit::AtMost(most) => self.value <= most,
            // Only counts are compared like this, and counts are exact.
            FigureLimit::Exactly(number) => (self.value - number).abs() < f64::EPSILON,
            FigureLimit::None => true,
        }
    }

    pub(crate) fn shown_value(&self) -> String {
        self.unit.shown(self.value).to_string()
    }

    pub(crate) fn shown_limit(&self) -> String {
        match self.limit {
            FigureLimit::AtMost(most) => format!("at most {}", self.unit.shown(most)),
            FigureLimit::Exactly(number) => format!("exactly {}", self.unit.shown(number)),
            FigureLimit::None => "none".to_owned(),
        }
    }
}

impl FigureUnit {
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
            Figure { work: String::new(), what: "", value, limit, unit: FigureUnit::Calls }.is_met()
        };
        for (value, at_most, exactly) in
            [(1.99, true, false), (2.0, true, true), (2.01, false, false)]
        {
            assert_eq!(is_met(value, FigureLimit::AtMost(2.0)), at_most, "{value}");
            assert_eq!(is_met(value, FigureLimit::Exactly(2.0)), exactly, "{value}");
        }
    }
}
