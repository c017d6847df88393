//! The simulated run that the tests of the machine drive.

pub(crate) mod aux_job_scripts;
pub(crate) mod plan_extras;
pub(crate) mod simulation;
