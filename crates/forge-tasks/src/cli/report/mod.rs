//! The output: pure functions from tasks to text.

pub(crate) mod action_report;
pub(crate) mod graph;
pub(crate) mod json;
pub(crate) mod plain;
pub(crate) mod relations;
pub(crate) mod style;
pub(crate) mod time;
