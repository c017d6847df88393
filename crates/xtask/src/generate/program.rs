//! The built program, asked for what it prints.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::cargo::{self, cargo};
use crate::command;
use crate::error::{Error, Result};
use crate::workspace::Workspace;

const NAME: &str = "forkhestra";

pub(super) struct Program {
    path: PathBuf,
}

impl Program {
    pub(super) fn build(workspace: &Workspace) -> Result<Self> {
        let mut build = cargo(workspace, ["build", "--package", NAME, "--bin", NAME, "--locked"]);
        let built = cargo::build(&mut build)?;
        let found = built.into_iter().find(|executable| executable.name == NAME);
        found
            .map(|executable| Self { path: executable.path })
            .ok_or_else(|| Error::Unmet(format!("cargo built no program called `{NAME}`")))
    }

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
