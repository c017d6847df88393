//! The simulated run that the tests of the machine drive.

pub(crate) mod aux_job_scripts;
pub(crate) mod plan_extras;
pub(crate) mod run_simulation;
pub(crate) mod samples;
pub(crate) mod simulated_agent;
mod simulated_process;
pub(crate) mod simulated_stream;
