//! Checks that verify an agent's work, and their text syntax.

mod command_programs;

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::marker;

pub use command_programs::CommandPrograms;

/// What a check verifies.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CheckSpec {
    Command(String),
    /// A file that must exist.
    File(String),
    /// A regular expression that must match the agent's output.
    Marker(String),
    /// The agent must have exited with 0.
    ExitCode,
    /// Every task in the task database must be Done.
    Tasks,
    /// This task must be Done.
    Task(String),
    /// There must be a task in the task database.
    Planned,
    /// A script or module of the user's own.
    Script(String),
}

/// Why a text is not a valid check.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckParseError {
    #[error("is empty; a check is {FORMS}")]
    Empty,
    /// A built-in check without its argument.
    #[error("is incomplete; write `{0}:…`")]
    NoArgument(&'static str),
    /// A built-in check that takes no argument.
    #[error("takes nothing after `{0}`")]
    UnexpectedArgument(&'static str),
    #[error("is not a regular expression: {0}")]
    BadRegex(String),
}

/// The forms of a check, for messages.
pub const FORMS: &str = "`command:…`, `file:PATH`, `marker:REGEX`, `exit-code`, `tasks`, `task:ID`, `planned` \
     or the path of a script";

/// The forms of a check that is not about an agent, for messages.
pub const FORMS_WITHOUT_AGENT: &str =
    "`command:…`, `file:PATH`, `tasks`, `task:ID`, `planned` or the path of a script";

/// The words that begin a built-in check.
pub const BUILT_IN: [&str; 7] =
    ["command", "file", "marker", "exit-code", "tasks", "task", "planned"];

/// File extensions of modules with a `check` function, which another program must run.
const MODULES: [&str; 5] = ["ts", "mts", "js", "mjs", "cjs"];

impl CheckSpec {
    /// Whether it is about an agent that has worked: its output or its exit code.
    pub const fn is_about_agent(&self) -> bool {
        matches!(self, Self::Marker(_) | Self::ExitCode)
    }

    /// Whether its result depends on the files of the work tree, and not on an agent or the task
    /// database.
    pub const fn looks_at_files(&self) -> bool {
        matches!(self, Self::Command(_) | Self::File(_) | Self::Script(_))
    }

    /// Whether it is a JavaScript or TypeScript module that exports the function to call.
    pub fn is_module(&self) -> bool {
        self.ending().is_some_and(|ending| MODULES.contains(&ending))
    }

    /// Whether it is a script that a shell runs, executable or not.
    pub fn is_shell_script(&self) -> bool {
        self.ending() == Some("sh")
    }

    /// The extension of a script's file name.
    fn ending(&self) -> Option<&str> {
        let Self::Script(path) = self else { return None };
        let name = path.rsplit('/').next()?;
        Some(name.rsplit_once('.')?.1)
    }

    /// Parses a check.
    pub fn parse(text: &str) -> Result<Self, CheckParseError> {
        let text = text.trim();
        let (word, argument) = match text.split_once(':') {
            Some((word, argument)) => (word, Some(argument.trim())),
            None => (text, None),
        };
        match (word, argument) {
            ("", None) => Err(CheckParseError::Empty),
            ("command", None) => Err(CheckParseError::NoArgument("command")),
            ("file", None | Some("")) => Err(CheckParseError::NoArgument("file")),
            ("marker", None | Some("")) => Err(CheckParseError::NoArgument("marker")),
            ("task", None | Some("")) => Err(CheckParseError::NoArgument("task")),
            ("command", Some(command)) => match unquoted(command).trim() {
                "" => Err(CheckParseError::NoArgument("command")),
                command => Ok(Self::Command(command.to_owned())),
            },
            ("file", Some(path)) => Ok(Self::File(path.to_owned())),
            ("marker", Some(pattern)) => Self::marker(pattern),
            ("exit-code", None) => Ok(Self::ExitCode),
            ("tasks", None) => Ok(Self::Tasks),
            ("task", Some(id)) => Ok(Self::Task(id.to_owned())),
            ("planned", None) => Ok(Self::Planned),
            ("exit-code", Some(_)) => Err(CheckParseError::UnexpectedArgument("exit-code")),
            ("tasks", Some(_)) => Err(CheckParseError::UnexpectedArgument("tasks")),
            ("planned", Some(_)) => Err(CheckParseError::UnexpectedArgument("planned")),
            _ => Ok(Self::Script(text.to_owned())),
        }
    }

    /// Slashes around the expression are accepted, since markers elsewhere need them.
    fn marker(pattern: &str) -> Result<Self, CheckParseError> {
        let between = pattern.strip_prefix('/').and_then(|rest| rest.strip_suffix('/'));
        let pattern = between.unwrap_or(pattern);
        if pattern.is_empty() {
            return Err(CheckParseError::NoArgument("marker"));
        }
        match marker::compile(pattern) {
            Ok(_) => Ok(Self::Marker(pattern.to_owned())),
            Err(why) => Err(CheckParseError::BadRegex(why)),
        }
    }
}

/// Drops one pair of quotes around a command, as in `command:"cargo test"`. Inside double quotes
/// `\"` stands for a quote.
fn unquoted(command: &str) -> Cow<'_, str> {
    // `"a" && "b"` begins and ends with quotes that are not a pair.
    if let Some(inside) = command.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        let without_escaped = inside.replace("\\\"", "");
        if !without_escaped.contains('"') && !inside.ends_with('\\') {
            return inside.replace("\\\"", "\"").into();
        }
    }
    let single = command.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
    single.filter(|inside| !inside.contains('\'')).unwrap_or(command).into()
}

/// Prints the check in its text syntax.
impl fmt::Display for CheckSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // A backslash at the end would escape the closing quote.
            Self::Command(command) if command.ends_with('\\') => write!(f, "command:{command}"),
            Self::Command(command) => {
                write!(f, "command:\"{}\"", command.replace('"', "\\\""))
            }
            Self::File(path) => write!(f, "file:{path}"),
            // White space at the ends, or literal slashes, would be dropped.
            Self::Marker(pattern) if pattern.trim() != pattern || pattern.starts_with('/') => {
                write!(f, "marker:/{pattern}/")
            }
            Self::Marker(pattern) => write!(f, "marker:{pattern}"),
            Self::ExitCode => f.write_str("exit-code"),
            Self::Tasks => f.write_str("tasks"),
            Self::Task(id) => write!(f, "task:{id}"),
            Self::Planned => f.write_str("planned"),
            Self::Script(path) => f.write_str(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn valid_and_invalid_checks() {
        let command = |text: &str| Ok(CheckSpec::Command(text.to_owned()));
        let table = [
            ("command:\"cargo test\"", command("cargo test")),
            ("command:cargo test", command("cargo test")),
            ("command:'a' && b", command("'a' && b")),
            ("command:\"a\" && \"b\"", command("\"a\" && \"b\"")),
            ("command:\"echo \\\"x\\\"\"", command("echo \"x\"")),
            ("command:'\"my prog\"'", command("\"my prog\"")),
            ("marker:/DONE/", Ok(CheckSpec::Marker("DONE".to_owned()))),
            ("file:PROGRESS.md", Ok(CheckSpec::File("PROGRESS.md".to_owned()))),
            ("marker:all \\d+ passed", Ok(CheckSpec::Marker("all \\d+ passed".to_owned()))),
            ("exit-code", Ok(CheckSpec::ExitCode)),
            ("tasks", Ok(CheckSpec::Tasks)),
            ("task:TASK-001", Ok(CheckSpec::Task("TASK-001".to_owned()))),
            ("planned", Ok(CheckSpec::Planned)),
            ("./check.sh", Ok(CheckSpec::Script("./check.sh".to_owned()))),
            ("C:check.sh", Ok(CheckSpec::Script("C:check.sh".to_owned()))),
            ("", Err(CheckParseError::Empty)),
            ("command:", Err(CheckParseError::NoArgument("command"))),
            ("command:\"\"", Err(CheckParseError::NoArgument("command"))),
            ("command", Err(CheckParseError::NoArgument("command"))),
            ("file:", Err(CheckParseError::NoArgument("file"))),
            ("marker:(", Err(CheckParseError::BadRegex("unclosed group".to_owned()))),
            ("exit-code:1", Err(CheckParseError::UnexpectedArgument("exit-code"))),
            ("tasks:all", Err(CheckParseError::UnexpectedArgument("tasks"))),
            ("task", Err(CheckParseError::NoArgument("task"))),
            ("task: ", Err(CheckParseError::NoArgument("task"))),
            ("planned:all", Err(CheckParseError::UnexpectedArgument("planned"))),
        ];
        for (text, expected) in table {
            assert_eq!(CheckSpec::parse(text), expected, "{text:?}");
        }
    }

    #[test]
    fn modules_and_shell_scripts_are_known_by_their_endings() {
        let table = [
            ("./check.ts", true, false),
            ("a/check.mts", true, false),
            ("check.js", true, false),
            ("check.test.mjs", true, false),
            ("check.cjs", true, false),
            ("check.sh", false, true),
            ("check", false, false),
            ("check.py", false, false),
            ("dir.ts/check", false, false),
            ("file:check.ts", false, false),
            ("command:node check.js", false, false),
        ];
        for (text, is_module, is_shell_script) in table {
            let check = CheckSpec::parse(text).expect("the test's check is right");
            assert_eq!(check.is_module(), is_module, "{text}");
            assert_eq!(check.is_shell_script(), is_shell_script, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_check_prints_as_it_can_be_written(text in "(command:|file:|marker:|task:)?[a\"'\\\\ :/]{1,10}|tasks|planned|exit-code") {
            if let Ok(check) = CheckSpec::parse(&text) {
                prop_assert_eq!(CheckSpec::parse(&check.to_string()), Ok(check));
            }
        }
    }
}
