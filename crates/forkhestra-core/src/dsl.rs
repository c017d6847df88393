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
use crate::diagnostic::source::{SourceText, Spanned};
use crate::text::count::Count;

/// A typed chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dsl {
    pub source: Arc<SourceText>,
    /// The stages in order; there is at least one.
    pub stages: Vec<DslStep>,
}

/// One agent of a chain, and how often it may run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DslStep {
    /// The agent's name or path.
    pub agent: Spanned<String>,
    /// The count after the last colon; without one the agent runs once.
    pub iterations: Option<Count>,
}

impl Dsl {
    /// Parses a chain, or returns all its errors.
    pub fn parse(text: &str) -> Result<Self, Vec<Diagnostic>> {
        parse::chain(text)
    }
}

impl fmt::Display for Dsl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stages = self.stages.iter().map(|stage| (stage.agent.value.as_str(), stage.iterations));
        f.write_str(&one_line(stages))
    }
}

/// Formats agents and their counts as a chain.
pub fn one_line<'a>(stages: impl Iterator<Item = (&'a str, Option<Count>)>) -> String {
    let stages: Vec<String> = stages
        .map(|(agent, count)| match count {
            Some(count) => format!("{agent}:{count}"),
            None => agent.to_owned(),
        })
        .collect();
    stages.join(" -> ")
}
