//! The journal of a run: an append-only file of events.

pub(crate) mod follower;
pub mod journal_contents;
pub(crate) mod journal_lines;
pub(crate) mod journal_lock;
pub mod recorded_run;
pub(crate) mod torn_tail;
pub(crate) mod writer;
