//! Calling cargo, and reading what it says about the workspace and about what it built.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::command;
use crate::error::{Error, Result};
use crate::workspace::Workspace;

/// The cargo that runs us, at the root of the workspace.
pub(crate) fn cargo<I>(workspace: &Workspace, arguments: I) -> Command
where
    I: IntoIterator,
    I::Item: AsRef<OsStr>,
{
    let mut command = program();
    command.current_dir(&workspace.root).args(arguments);
    command
}

/// The cargo that runs us, in the folder we were called in.
pub(crate) fn program() -> Command {
    Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

/// The target triple of the machine we run on.
pub(crate) fn host(workspace: &Workspace) -> Result<String> {
    let mut command = cargo(workspace, ["--version", "--verbose"]);
    let text = command::stdout_of(&mut command)?;
    text.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned).ok_or_else(|| {
        Error::Output {
            command: command::shown(&command),
            expected: "a version with a `host` line",
            source: text.as_str().into(),
        }
    })
}

/// A program that cargo built.
#[derive(Debug)]
pub(crate) struct Executable {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
}

/// Runs a `cargo build` command and returns the programs it made, wherever the target folder may
/// be.
pub(crate) fn build(command: &mut Command) -> Result<Vec<Executable>> {
    command.arg("--message-format=json-render-diagnostics").stdin(Stdio::null());
    executables(&command::stdout_of(command)?).map_err(|source| Error::Output {
        command: command::shown(command),
        expected: "cargo's messages",
        source: source.into(),
    })
}

fn executables(messages: &str) -> serde_json::Result<Vec<Executable>> {
    let mut found = Vec::new();
    for line in messages.lines() {
        let message: Message = serde_json::from_str(line)?;
        if let (Some(target), Some(path)) = (message.target, message.executable) {
            let name = target.name;
            found.push(Executable { name, path });
        }
    }
    Ok(found)
}

/// One line of `cargo build --message-format=json`; other kinds of messages lack both fields.
#[derive(Deserialize)]
struct Message {
    target: Option<MessageTarget>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct MessageTarget {
    name: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_messages_about_programs_are_kept() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"core"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"tool"},"executable":"/t/release/tool"}
{"reason":"build-script-executed","package_id":"x"}
{"reason":"build-finished","success":true}"#;
        let found = executables(messages).expect("these are messages");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "tool");
        assert_eq!(found[0].path, PathBuf::from("/t/release/tool"));
    }

    #[test]
    fn anything_else_is_an_error() {
        assert!(executables("Compiling core").is_err());
    }
}
