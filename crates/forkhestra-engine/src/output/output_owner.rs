//! Those whose output is copied.

use std::fmt;

use forkhestra_core::event::AuxJob;
use forkhestra_core::id::UnitId;

/// Whoever prints: an agent, or an errand that is run beside agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputOwner {
    /// An agent.
    Agent(UnitId),
    /// A check, a hook or a setup.
    AuxJob(AuxJob),
}

impl fmt::Display for OutputOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(unit) => write!(f, "iteration {unit}"),
            Self::AuxJob(errand) => write!(f, "{errand}"),
        }
    }
}
