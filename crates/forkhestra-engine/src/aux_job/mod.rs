//! How checks, hooks and set-up commands are started.

pub(crate) mod aux_job_command;
pub(crate) mod aux_job_tails;
