//! Verbs that analyse past runs.

pub(crate) mod stats;
pub(crate) mod what_if;
