//! The owner of an output stream.

use std::fmt;

use forkhestra_core::event::AuxJob;
use forkhestra_core::id::UnitId;

/// The owner of an output stream: an agent or an aux job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputOwner {
    Agent(UnitId),
    AuxJob(AuxJob),
}

impl fmt::Display for OutputOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(unit) => write!(f, "iteration {unit}"),
            Self::AuxJob(aux_job) => write!(f, "{aux_job}"),
        }
    }
}
