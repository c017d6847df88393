//! Where a value came from.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::config::{ConfigLayer, ConfigLayerKind};
use crate::diagnostic::source::Span;

/// The place that decided a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueOrigin {
    /// An option of the command line.
    Flag(Cow<'static, str>),
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
    /// A bare name, looked up in `bin` of the working directory.
    Bin,
    /// A path that names the thing itself.
    GivenPath,
    /// It comes with forkhestra.
    BuiltIn,
    /// Nobody said anything.
    Default,
    /// We added it ourselves, for this reason.
    Implied(Cow<'static, str>),
}

/// What stands in front of the reason of an implied value.
const IMPLIED: &str = "implied: ";

impl ValueOrigin {
    /// Reads an origin as it is printed. Text that is nothing else is taken for a flag, so whatever
    /// is read prints as it was.
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
            _ => match text.strip_prefix(IMPLIED) {
                Some(reason) => Self::Implied(reason.to_owned().into()),
                None => Self::Flag(text.to_owned().into()),
            },
        }
    }

    /// No flag and no reason of ours ends in a line and a column, so whatever does is a file.
    fn parse_file(text: &str) -> Option<Self> {
        // A number that would print differently is a part of the name.
        let number = |digits: &str| {
            let number: usize = digits.parse().ok()?;
            (number.to_string() == digits).then_some(number)
        };
        let (rest, column) = text.rsplit_once(':')?;
        let (path, line) = rest.rsplit_once(':')?;
        Some(Self::File { path: path.to_owned(), line: number(line)?, column: number(column)? })
    }

    /// A place in a config file.
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
            Self::Implied(reason) => write!(f, "{IMPLIED}{reason}"),
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

/// A value and where it came from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sourced<T> {
    /// The value.
    pub value: T,
    /// What decided it.
    pub source: ValueOrigin,
}

impl<T> Sourced<T> {
    /// Puts a value and its origin together.
    pub const fn new(value: T, source: ValueOrigin) -> Self {
        Self { value, source }
    }

    /// A value that nobody chose.
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
