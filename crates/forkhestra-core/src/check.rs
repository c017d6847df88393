//! What verifies that the work is done, as people write it.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::marker;

/// What a check looks at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckSpec {
    /// A shell command that must succeed.
    Command(String),
    /// A file that must exist.
    File(String),
    /// A regular expression that must match the agent's output.
    Marker(String),
    /// The agent must have exited with 0.
    ExitCode,
    /// Nothing may be left to do in the task database.
    Tasks,
    /// A script or module of the user's own.
    Script(String),
}

/// Why a text is not a check.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotACheck {
    /// An empty text.
    #[error("is empty; a check is {FORMS}")]
    Empty,
    /// A built-in without what it needs.
    #[error("is incomplete; write `{0}:…`")]
    NoArgument(&'static str),
    /// A built-in that takes nothing.
    #[error("takes nothing after `{0}`")]
    UnexpectedArgument(&'static str),
    /// The expression does not compile.
    #[error("is not a regular expression: {0}")]
    BadRegex(String),
}

/// The forms of a check, for messages.
pub const FORMS: &str =
    "`command:…`, `file:PATH`, `marker:REGEX`, `exit-code`, `tasks` or the path of a script";

/// The words that begin a built-in check.
pub const BUILT_IN: [&str; 5] = ["command", "file", "marker", "exit-code", "tasks"];

impl CheckSpec {
    /// Reads a check.
    pub fn parse(text: &str) -> Result<Self, NotACheck> {
        let text = text.trim();
        let (word, argument) = match text.split_once(':') {
            Some((word, argument)) => (word, Some(argument.trim())),
            None => (text, None),
        };
        match (word, argument) {
            ("", None) => Err(NotACheck::Empty),
            ("command", None) => Err(NotACheck::NoArgument("command")),
            ("file", None | Some("")) => Err(NotACheck::NoArgument("file")),
            ("marker", None | Some("")) => Err(NotACheck::NoArgument("marker")),
            ("command", Some(command)) => match unquoted(command).trim() {
                "" => Err(NotACheck::NoArgument("command")),
                command => Ok(Self::Command(command.to_owned())),
            },
            ("file", Some(path)) => Ok(Self::File(path.to_owned())),
            ("marker", Some(pattern)) => match marker::compile(pattern) {
                Ok(_) => Ok(Self::Marker(pattern.to_owned())),
                Err(why) => Err(NotACheck::BadRegex(why)),
            },
            ("exit-code", None) => Ok(Self::ExitCode),
            ("tasks", None) => Ok(Self::Tasks),
            ("exit-code", Some(_)) => Err(NotACheck::UnexpectedArgument("exit-code")),
            ("tasks", Some(_)) => Err(NotACheck::UnexpectedArgument("tasks")),
            _ => Ok(Self::Script(text.to_owned())),
        }
    }
}

/// Drops one pair of quotes around a command, which people write as in `command:"cargo test"`.
fn unquoted(command: &str) -> &str {
    // `"a" && "b"` begins and ends with quotes that are not a pair.
    let inside = |quote: char| {
        command.strip_prefix(quote)?.strip_suffix(quote).filter(|inside| !inside.contains(quote))
    };
    inside('"').or_else(|| inside('\'')).unwrap_or(command)
}

impl fmt::Display for CheckSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Quotes around quotes would not read back.
            Self::Command(command) if command.contains('"') => write!(f, "command:{command}"),
            Self::Command(command) => write!(f, "command:\"{command}\""),
            Self::File(path) => write!(f, "file:{path}"),
            Self::Marker(pattern) => write!(f, "marker:{pattern}"),
            Self::ExitCode => f.write_str("exit-code"),
            Self::Tasks => f.write_str("tasks"),
            Self::Script(path) => f.write_str(path),
        }
    }
}

impl Serialize for CheckSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_prints_as_it_can_be_written() {
        for text in
            ["command:\"make\"", "command:\"a\" && \"b\"", "file:a", "marker:a+", "tasks", "./x"]
        {
            let check = CheckSpec::parse(text).expect("a check");
            assert_eq!(check.to_string(), text);
        }
    }

    #[test]
    fn checks_and_what_are_none() {
        let command = |text: &str| Ok(CheckSpec::Command(text.to_owned()));
        let table = [
            ("command:\"cargo test\"", command("cargo test")),
            ("command:cargo test", command("cargo test")),
            ("command:'a' && b", command("'a' && b")),
            ("command:\"a\" && \"b\"", command("\"a\" && \"b\"")),
            ("file:PROGRESS.md", Ok(CheckSpec::File("PROGRESS.md".to_owned()))),
            ("marker:all \\d+ passed", Ok(CheckSpec::Marker("all \\d+ passed".to_owned()))),
            ("exit-code", Ok(CheckSpec::ExitCode)),
            ("tasks", Ok(CheckSpec::Tasks)),
            ("./check.sh", Ok(CheckSpec::Script("./check.sh".to_owned()))),
            ("C:check.sh", Ok(CheckSpec::Script("C:check.sh".to_owned()))),
            ("", Err(NotACheck::Empty)),
            ("command:", Err(NotACheck::NoArgument("command"))),
            ("command:\"\"", Err(NotACheck::NoArgument("command"))),
            ("command", Err(NotACheck::NoArgument("command"))),
            ("file:", Err(NotACheck::NoArgument("file"))),
            ("marker:(", Err(NotACheck::BadRegex("unclosed group".to_owned()))),
            ("exit-code:1", Err(NotACheck::UnexpectedArgument("exit-code"))),
            ("tasks:all", Err(NotACheck::UnexpectedArgument("tasks"))),
        ];
        for (text, expected) in table {
            assert_eq!(CheckSpec::parse(text), expected, "{text:?}");
        }
    }
}
