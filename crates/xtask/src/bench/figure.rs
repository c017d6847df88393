//! One measured number and its limit.

use std::fmt;

#[derive(Debug)]
pub(super) struct Figure {
    /// The work that was measured, as Markdown.
    pub(super) work: String,
    /// What the number counts.
    pub(super) what: &'static str,
    pub(super) value: f64,
    /// The largest value that is accepted.
    pub(super) limit: f64,
    pub(super) unit: Unit,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Unit {
    /// A ratio to the yardstick.
    Times,
    Mebibytes,
}

impl Figure {
    pub(super) fn is_met(&self) -> bool {
        self.value <= self.limit
    }

    pub(super) fn shown(&self, number: f64) -> impl fmt::Display {
        match self.unit {
            Unit::Times => format!("{number:.2}x"),
            Unit::Mebibytes => format!("{number:.1} MiB"),
        }
    }
}
