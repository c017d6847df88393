//! Verbs on recorded runs.

mod bisect;
mod bisect_isolation;
mod bisect_refusals;
pub(crate) mod events;
pub(crate) mod logs;
pub(crate) mod logs_bytes;
pub(crate) mod runs;
pub(crate) mod runs_remove;
pub(crate) mod show;
pub(crate) mod stats;
pub(crate) mod steered;
pub(crate) mod views;
pub(crate) mod views_rebuilt;
pub(crate) mod watch;
pub(crate) mod what_if;
