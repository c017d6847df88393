//! The output: pure functions from tasks to text.

pub(crate) mod action_report;
pub(crate) mod board;
pub(crate) mod check;
mod due;
pub(crate) mod graph;
pub(crate) mod json;
pub(crate) mod list;
pub(crate) mod plain;
pub(crate) mod relations;
mod style;
mod time;
pub(crate) mod view;
