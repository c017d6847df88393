//! The command line: help, completions, wrong usage.

pub(crate) mod completions;
pub(crate) mod demo;
pub(crate) mod doctor;
pub(crate) mod help;
pub(crate) mod init;
pub(crate) mod list;
pub(crate) mod man;
pub(crate) mod output;
pub(crate) mod plan;
pub(crate) mod terminal;
pub(crate) mod usage;
pub(crate) mod usage_values;
pub(crate) mod verbs;
