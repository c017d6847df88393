//! `resume`.

pub(crate) mod full_disk;
pub(crate) mod journal_lock;
pub(crate) mod moved_project;
pub(crate) mod races;
pub(crate) mod recovery;
pub(crate) mod refusals;
pub(crate) mod repair;
pub(crate) mod resume_command;
pub(crate) mod resumed_runs;
