//! A simulated disk that loses what was not synced.

pub(crate) mod change_fate;
pub(crate) mod disk_contents;
pub(crate) mod disk_fault;
pub(crate) mod disk_history;
pub(crate) mod disk_recorder;
pub(crate) mod simulated_disk;
