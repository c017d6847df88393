//! Tests of the journal.

pub(crate) mod damage;
pub(crate) mod follower;
pub(crate) mod full_disk;
pub(crate) mod golden;
pub(crate) mod journal_lines;
pub(crate) mod lanes_history;
pub(crate) mod repair;
pub(crate) mod writer;
