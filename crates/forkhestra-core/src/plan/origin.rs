//! Where a value came from.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::config::Layer;
use crate::source::Span;

/// The place that decided a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// An option of the command line.
    Flag(&'static str),
    /// The chain or the arguments typed on the command line.
    CommandLine,
    /// A config file.
    File {
        /// The file as messages call it.
        path: String,
        /// The line, from one.
        line: usize,
        /// The column, from one.
        column: usize,
    },
    /// A bare name, looked up on PATH.
    Path,
    /// A path that names the thing itself.
    GivenPath,
    /// Nobody said anything.
    Default,
    /// We added it ourselves, for this reason.
    Implied(&'static str),
}

impl Origin {
    /// A place in a config file.
    pub(super) fn file(layer: &Layer, span: Span) -> Self {
        let (line, column) = layer.line_and_column(span);
        Self::File { path: layer.file_name().to_owned(), line, column }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => f.write_str(flag),
            Self::CommandLine => f.write_str("command line"),
            Self::File { path, line, column } => write!(f, "{path}:{line}:{column}"),
            Self::Path => f.write_str("PATH"),
            Self::GivenPath => f.write_str("path"),
            Self::Default => f.write_str("default"),
            Self::Implied(reason) => write!(f, "implied: {reason}"),
        }
    }
}

impl Serialize for Origin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// What decided it.
    pub source: Origin,
}

impl<T> Sourced<T> {
    /// Puts a value and its origin together.
    pub const fn new(value: T, source: Origin) -> Self {
        Self { value, source }
    }

    /// A value that nobody chose.
    pub const fn default(value: T) -> Self {
        Self::new(value, Origin::Default)
    }
}
