//! The built programs, asked for what they print.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::cargo::{self, cargo};
use crate::command;
use crate::error::{Error, Result};
use crate::workspace::Workspace;

const PACKAGE: &str = "forkhestra";

/// The programs that files are made from.
pub(super) struct Programs {
    pub(super) forkhestra: Program,
    pub(super) ralph_runner: Program,
    pub(super) forge_tasks: Program,
}

impl Programs {
    pub(super) fn build(workspace: &Workspace) -> Result<Self> {
        let mut build = cargo(workspace, ["build", "--package", PACKAGE, "--bins", "--locked"]);
        let built = cargo::build(&mut build)?;
        let find = |name: &str| {
            let found = built.iter().find(|executable| executable.name == name);
            found
                .map(|executable| Program { name: name.to_owned(), path: executable.path.clone() })
                .ok_or_else(|| Error::Unmet(format!("cargo built no program called `{name}`")))
        };
        Ok(Self {
            forkhestra: find("forkhestra")?,
            ralph_runner: find("ralph-runner")?,
            forge_tasks: find("forge-tasks")?,
        })
    }
}

pub(super) struct Program {
    pub(super) name: String,
    path: PathBuf,
}

impl Program {
    /// What the program prints to stdout, in an environment that is the same everywhere.
    pub(super) fn prints(&self, arguments: &[&str]) -> Result<String> {
        command::stdout_of(
            Command::new(&self.path)
                .args(arguments)
                .env("COLUMNS", "100")
                .env("NO_COLOR", "1")
                .stdin(Stdio::null()),
        )
    }
}
