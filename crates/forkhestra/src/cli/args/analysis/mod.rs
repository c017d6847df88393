//! The command lines of verbs that analyse past runs.

pub(crate) mod stats;
pub(crate) mod what_if;
