//! Recorded runs: finding, reading, moving and removing them.

pub(crate) mod control_client;
pub(crate) mod fork_directory;
pub(crate) mod leases;
pub(crate) mod past_run;
pub(crate) mod pending_message;
pub(crate) mod repair;
pub(crate) mod resume_answer;
pub(crate) mod resume_command;
pub(crate) mod retention;
pub(crate) mod rewind_session;
pub(crate) mod run_binding;
pub(crate) mod run_finder;
pub(crate) mod run_or_text;
pub(crate) mod run_snapshots;
pub(crate) mod state_home;
