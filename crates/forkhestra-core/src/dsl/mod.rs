//! The one-line chain language: `planner:3 -> builder:20`.
//!
//! ```text
//! chain = stage ("->" stage)*
//! stage = agent [":" N]
//! ```
//!
//! White space is free. The last `:N` with a positive whole number is the count, the rest is the
//! agent's name, so names may hold colons (`fk:builder:3`) and may be paths (`./fix.sh:5`).
//! Parallel stages `( a | b )` and replicas `xK` are reserved.
//!
//! ```
//! use forkhestra_core::dsl::Dsl;
//!
//! let dsl = Dsl::parse("planner -> fk:builder:20").expect("the text is a chain");
//! assert_eq!(dsl.stages[1].agent.value, "fk:builder");
//! assert_eq!(dsl.to_string(), "planner -> fk:builder:20");
//! ```

mod error;
mod parse;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::iterations::Iterations;
use crate::source::{Source, Spanned};

/// A chain as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dsl {
    /// The text it was read from.
    pub source: Arc<Source>,
    /// The stages in order; there is at least one.
    pub stages: Vec<Stage>,
}

/// One agent of a chain, and how often it may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// The agent's name or path.
    pub agent: Spanned<String>,
    /// The count after the last colon; without one the agent runs once.
    pub iterations: Option<Iterations>,
}

impl Dsl {
    /// Reads a chain, or says everything that is wrong with it.
    pub fn parse(text: &str) -> Result<Self, Vec<Diagnostic>> {
        parse::chain(text)
    }
}

impl fmt::Display for Dsl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, stage) in self.stages.iter().enumerate() {
            if index > 0 {
                f.write_str(" -> ")?;
            }
            stage.fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.agent.value)?;
        match self.iterations {
            Some(iterations) => write!(f, ":{iterations}"),
            None => Ok(()),
        }
    }
}
