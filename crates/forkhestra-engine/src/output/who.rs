//! Those whose output is copied.

use std::fmt;

use forkhestra_core::event::Errand;
use forkhestra_core::id::UnitId;

/// Whoever prints: an agent, or an errand that is run beside agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// An agent.
    Agent(UnitId),
    /// A check, a hook or a setup.
    Errand(Errand),
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Agent(unit) => write!(f, "iteration {unit}"),
            Self::Errand(errand) => write!(f, "{errand}"),
        }
    }
}
