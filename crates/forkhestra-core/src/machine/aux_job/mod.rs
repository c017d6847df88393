//! Checks, hooks and set-up commands as the machine runs them.

pub(crate) mod aux_job_inputs;
pub(crate) mod hooks;
pub(crate) mod running_aux_job;
