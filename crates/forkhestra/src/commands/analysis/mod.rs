//! Verbs that analyse past runs.

pub(crate) mod stats;
