//! How checks, hooks and set-up commands are started.

pub(crate) mod aux_job_command;
pub(crate) mod aux_job_tails;
pub(crate) mod program_baseline;
pub(crate) mod room_home;
pub(crate) mod search_path;
