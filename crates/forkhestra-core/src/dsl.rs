//! The one-line chain language: `planner:3 -> ? -> (builder:20 -> reviewer:3):3 else senior:5`.
//!
//! ```text
//! chain = stage { "->" stage }
//! stage = part { "else" part }
//! part  = kind [ ":" count ] [ "x" lanes | "best" lanes ]
//! kind  = agent | "?" | "(" chain { "|" chain } ")"
//! count = 1 … 4294967295          lanes = 2 … 64
//! ```
//!
//! | form | meaning |
//! |---|---|
//! | `a`, `a:20` | the agent runs once; it loops up to 20 times |
//! | `a -> b` | `b` runs after `a` |
//! | `a else b` | `b` runs if `a` is not complete |
//! | `?` | a person decides whether the chain continues |
//! | `(a -> b)`, `(a -> b):3` | a group; it is repeated up to 3 times until its last stage accepts |
//! | `a:20 x4`, `(a -> b):20 x4` | 20 iterations (rounds) in all, four at a time, each in a lane |
//! | `(a \| b)` | parallel stages: both at the same time |
//! | `a:5 best3` | the same work in three lanes, of which one lands |
//!
//! White space is free. Lanes may be attached to the count: `a:20x4`. `->`, `(`, `)` and `|` end a word; `else` and `?` are words of their own.
//! The last `:N` with a positive whole number is the count, the rest is the agent's name, so names
//! may hold colons (`fk:builder:3`) and may be paths (`./fix.sh:5`). Groups are nested up to
//! [`MAX_GROUP_DEPTH`] deep, and `else` joins up to [`MAX_ELSE_PARTS`] parts.
//!
//! ```
//! use forkhestra_core::dsl::{Dsl, DslPartKind};
//!
//! let dsl = Dsl::parse("planner->?->( fk:builder:20 -> reviewer ):3").expect("a chain");
//! assert_eq!(dsl.chain.stages.len(), 3);
//! let group = &dsl.chain.stages[2].alternatives[0];
//! assert_eq!(group.count.map(|rounds| rounds.get()), Some(3));
//! let DslPartKind::Group(chain) = &group.kind else { panic!("the last stage is a group") };
//! let builder = &chain.stages[0].alternatives[0];
//! assert!(matches!(&builder.kind, DslPartKind::Agent(name) if name.value == "fk:builder"));
//! assert_eq!(dsl.to_string(), "planner -> ? -> (fk:builder:20 -> reviewer):3");
//! ```
//!
//! All mistakes of a chain are reported at once:
//!
//! ```
//! use forkhestra_core::dsl::Dsl;
//!
//! let mistakes = Dsl::parse("(a:0 -> ?:3").expect_err("not a chain");
//! let messages: Vec<&str> = mistakes.iter().map(|mistake| mistake.message.as_str()).collect();
//! assert_eq!(
//!     messages,
//!     [
//!         "this `(` has no `)`",
//!         "step 1: the count `0` must be at least 1",
//!         "step 2: a question has no count and no lanes",
//!     ]
//! );
//! ```

mod chain_text;
mod error;
mod lane_errors;
mod parser;
mod part_lanes;
mod part_parser;
mod token;
mod warning;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::diagnostic::source::{SourceText, Span, Spanned};
use crate::text::count::Count;
use crate::text::lane_count::LaneCount;
use chain_text::ChainText;
use parser::DslParser;

/// The deepest nesting of groups.
pub const MAX_GROUP_DEPTH: usize = 2;

/// The most parts that `else` joins, and the deepest nesting of `else` in the config file.
pub const MAX_ELSE_PARTS: usize = 16;

/// A chain and the text that it was parsed from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dsl {
    pub source: Arc<SourceText>,
    pub chain: DslChain,
}

/// Stages, one after another; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DslChain {
    pub stages: Vec<DslStage>,
}

/// Alternatives: `a else b else c`; at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DslStage {
    pub alternatives: Vec<DslPart>,
}

/// What runs, its count and its lanes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DslPart {
    pub kind: DslPartKind,
    /// The iterations of an agent or the rounds of a group; none for what runs once.
    pub count: Option<Count>,
    pub lanes: Option<DslLanes>,
    /// The text with the count and the lanes.
    pub span: Span,
}

/// What a part runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DslPartKind {
    /// An agent, by name or path.
    Agent(Spanned<String>),
    /// A question to a person.
    Question(Span),
    /// A chain in parentheses.
    Group(DslChain),
    /// Chains in parentheses that run at the same time; at least two.
    Parallel(Vec<DslChain>),
}

/// The lanes of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DslLanes {
    /// `x4`: the lanes share the iterations of an agent, or the rounds of a group.
    Shared(LaneCount),
    /// `best3`: each lane does the same work.
    Best(LaneCount),
}

impl Dsl {
    /// Parses a chain, or returns all its errors.
    pub fn parse(text: &str) -> Result<Self, Vec<Diagnostic>> {
        let source = Arc::new(SourceText::command_line(text));
        DslParser::parse(&ChainText::whole_source(&source), MAX_GROUP_DEPTH)
    }

    /// Parses the value of a JSON string in a file, or returns all its errors.
    ///
    /// `literal` is the position of the string with its quotes. All spans of the result point into
    /// the file. A string with escape sequences has no such positions; its spans cover the literal.
    /// `group_depth` is the deepest nesting of groups that is allowed in this text.
    pub fn parse_in(
        source: &Arc<SourceText>,
        literal: Span,
        text: &str,
        group_depth: usize,
    ) -> Result<Self, Vec<Diagnostic>> {
        DslParser::parse(&ChainText::in_literal(source, literal, text), group_depth)
    }

    /// Warnings about a valid chain.
    pub fn warnings(&self) -> Vec<Diagnostic> {
        warning::of_chain(self)
    }

    /// Those of the warnings that are about alternatives.
    pub(crate) fn warnings_of_alternatives(&self) -> Vec<Diagnostic> {
        warning::of_alternatives(self)
    }
}

impl DslPart {
    /// A group without stages.
    const fn empty_group(span: Span) -> Self {
        let kind = DslPartKind::Group(DslChain { stages: Vec::new() });
        Self { kind, count: None, lanes: None, span }
    }
}

impl DslChain {
    /// The part of a chain that has no other.
    pub fn only_part(&self) -> Option<&DslPart> {
        let [stage] = self.stages.as_slice() else { return None };
        let [part] = stage.alternatives.as_slice() else { return None };
        Some(part)
    }
}

impl fmt::Display for Dsl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.chain.fmt(f)
    }
}

impl fmt::Display for DslChain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_joined(f, &self.stages, " -> ")
    }
}

impl fmt::Display for DslStage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_joined(f, &self.alternatives, " else ")
    }
}

impl fmt::Display for DslPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            DslPartKind::Agent(name) => f.write_str(&name.value)?,
            DslPartKind::Question(_) => f.write_str("?")?,
            DslPartKind::Group(chain) => write!(f, "({chain})")?,
            DslPartKind::Parallel(branches) => {
                f.write_str("(")?;
                write_joined(f, branches, " | ")?;
                f.write_str(")")?;
            }
        }
        if let Some(count) = self.count {
            write!(f, ":{count}")?;
        }
        match self.lanes {
            Some(lanes) => write!(f, " {lanes}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for DslLanes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shared(lanes) => write!(f, "x{lanes}"),
            Self::Best(lanes) => write!(f, "best{lanes}"),
        }
    }
}

fn write_joined<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    elements: &[T],
    separator: &str,
) -> fmt::Result {
    for (index, element) in elements.iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        element.fmt(f)?;
    }
    Ok(())
}
