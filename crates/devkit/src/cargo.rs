//! Calls cargo, and reads its messages about the workspace and its builds.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::command;
use crate::error::{Error, Result};
use crate::workspace::Workspace;

/// The cargo that runs this program, at the root of the workspace.
pub fn cargo<I>(workspace: &Workspace, arguments: I) -> Command
where
    I: IntoIterator,
    I::Item: AsRef<OsStr>,
{
    let mut command = program();
    command.current_dir(&workspace.root).args(arguments);
    command
}

/// The cargo that runs this program, in the current folder.
pub fn program() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    let names = env::vars_os().map(|(name, _)| name);
    for name in names.filter(|name| describes_package(name)) {
        command.env_remove(name);
    }
    command
}

/// Whether `cargo run` set this variable to describe our own package. Build scripts of dependencies
/// watch such variables. If we passed them on, cargo would compile these dependencies again.
fn describes_package(name: &OsStr) -> bool {
    name.to_str()
        .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
}

/// The target triple of the host.
pub fn host(workspace: &Workspace) -> Result<String> {
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
pub struct Executable {
    pub name: String,
    pub path: PathBuf,
}

/// Runs a `cargo build` command, and returns the built programs, independent of the target folder.
pub fn build(command: &mut Command) -> Result<Vec<Executable>> {
    command.arg("--message-format=json-render-diagnostics").stdin(Stdio::null());
    executables(&command::stdout_of(command)?).map_err(|source| Error::Output {
        command: command::shown(command),
        expected: "cargo's messages",
        source: source.into(),
    })
}

/// The path of a program among those that were built.
pub fn find<'a>(programs: &'a [Executable], name: &str) -> Result<&'a Path> {
    let found = programs.iter().find(|program| program.name == name);
    found
        .map(|program| program.path.as_path())
        .ok_or_else(|| Error::Unmet(format!("cargo built no program called `{name}`")))
}

fn executables(messages: &str) -> serde_json::Result<Vec<Executable>> {
    let mut found = Vec::new();
    for line in messages.lines() {
        let message: CargoMessage = serde_json::from_str(line)?;
        if let (Some(target), Some(path)) = (message.target, message.executable) {
            let name = target.name;
            found.push(Executable { name, path });
        }
    }
    Ok(found)
}

/// One line of `cargo build --message-format=json`; other kinds of messages lack both fields.
#[derive(Deserialize)]
struct CargoMessage {
    target: Option<CargoMessageTarget>,
    executable: Option<PathBuf>,
}

#[derive(Deserialize)]
struct CargoMessageTarget {
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
    fn variables_of_our_own_package_are_not_passed_on() {
        for name in ["CARGO_PKG_NAME", "CARGO_PKG_VERSION_MAJOR", "CARGO_MANIFEST_DIR"] {
            assert!(describes_package(OsStr::new(name)), "{name}");
        }
        for name in ["CARGO", "CARGO_HOME", "CARGO_TARGET_DIR", "CARGO_BUILD_JOBS", "PATH"] {
            assert!(!describes_package(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn anything_else_is_an_error() {
        assert!(executables("Compiling core").is_err());
    }
}
