//! The origin of a value.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::config::{ConfigLayer, ConfigLayerKind};
use crate::diagnostic::source::Span;

/// The source that decided a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueOrigin {
    /// An option of the command line.
    Flag(Cow<'static, str>),
    /// The chain or the arguments typed on the command line.
    CommandLine,
    File {
        /// The file's name in messages.
        path: String,
        /// One-based.
        line: usize,
        /// One-based.
        column: usize,
    },
    /// A bare name, found on PATH.
    Path,
    /// A bare name, found in `bin` of the working directory.
    Bin,
    /// A path that names the file itself.
    GivenPath,
    BuiltIn,
    Default,
    /// forkhestra added it, for this reason.
    Implied(Cow<'static, str>),
}

/// The prefix of the reason of an implied value.
const IMPLIED_PREFIX: &str = "implied: ";

impl ValueOrigin {
    /// Parses a printed origin. Any other text counts as a flag, so that every parsed origin prints
    /// as it was read.
    pub fn parse(text: &str) -> Self {
        if let Some(file) = Self::parse_file(text) {
            return file;
        }
        match text {
            "command line" => Self::CommandLine,
            "PATH" => Self::Path,
            "bin" => Self::Bin,
            "path" => Self::GivenPath,
            "built-in" => Self::BuiltIn,
            "default" => Self::Default,
            _ => match text.strip_prefix(IMPLIED_PREFIX) {
                Some(reason) => Self::Implied(reason.to_owned().into()),
                None => Self::Flag(text.to_owned().into()),
            },
        }
    }

    /// Parses a file position. No flag and no reason ends in a line and a column, so any text that
    /// does is a file.
    fn parse_file(text: &str) -> Option<Self> {
        // A number that would print differently is part of the name.
        let number = |digits: &str| {
            let number: usize = digits.parse().ok()?;
            (number.to_string() == digits).then_some(number)
        };
        let (rest, column) = text.rsplit_once(':')?;
        let (path, line) = rest.rsplit_once(':')?;
        Some(Self::File { path: path.to_owned(), line: number(line)?, column: number(column)? })
    }

    /// A position in a config file.
    pub(super) fn file(layer: &ConfigLayer, span: Span) -> Self {
        if layer.kind == ConfigLayerKind::BuiltIn {
            return Self::BuiltIn;
        }
        let (line, column) = layer.line_and_column(span);
        Self::File { path: layer.file_name().to_owned(), line, column }
    }
}

impl fmt::Display for ValueOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(flag) => f.write_str(flag),
            Self::CommandLine => f.write_str("command line"),
            Self::File { path, line, column } => write!(f, "{path}:{line}:{column}"),
            Self::Path => f.write_str("PATH"),
            Self::Bin => f.write_str("bin"),
            Self::GivenPath => f.write_str("path"),
            Self::BuiltIn => f.write_str("built-in"),
            Self::Default => f.write_str("default"),
            Self::Implied(reason) => write!(f, "{IMPLIED_PREFIX}{reason}"),
        }
    }
}

impl Serialize for ValueOrigin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ValueOrigin {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::parse(&Cow::<str>::deserialize(deserializer)?))
    }
}

/// A value and its origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sourced<T> {
    pub value: T,
    pub source: ValueOrigin,
}

impl<T> Sourced<T> {
    /// Combines a value and its origin.
    pub const fn new(value: T, source: ValueOrigin) -> Self {
        Self { value, source }
    }

    /// A default value.
    pub const fn default(value: T) -> Self {
        Self::new(value, ValueOrigin::Default)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn origins_read_back() {
        let file = |path: &str| ValueOrigin::File { path: path.to_owned(), line: 3, column: 14 };
        let table = [
            (ValueOrigin::Flag("--check".into()), "--check"),
            (ValueOrigin::CommandLine, "command line"),
            (file("forge/chains.json"), "forge/chains.json:3:14"),
            (file("C:default"), "C:default:3:14"),
            (file("implied: x"), "implied: x:3:14"),
            (ValueOrigin::Path, "PATH"),
            (ValueOrigin::Bin, "bin"),
            (ValueOrigin::GivenPath, "path"),
            (ValueOrigin::BuiltIn, "built-in"),
            (ValueOrigin::Default, "default"),
            (ValueOrigin::Implied("there are tasks".into()), "implied: there are tasks"),
        ];
        for (origin, text) in table {
            assert_eq!(origin.to_string(), text);
            assert_eq!(ValueOrigin::parse(text), origin);
        }
    }

    proptest! {
        #[test]
        fn whatever_is_read_prints_as_it_was(text in "[a:0-9 ]{0,8}|implied: .*|.*:[0-9]{1,20}:[0-9]{1,3}") {
            prop_assert_eq!(ValueOrigin::parse(&text).to_string(), text);
        }
    }
}
