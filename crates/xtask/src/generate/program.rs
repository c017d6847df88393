//! The built programs whose output is committed.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use devkit::cargo;
use devkit::command;
use devkit::error::Result;
use devkit::test_build;
use devkit::workspace::Workspace;

/// The programs that files are made from.
pub(super) struct GeneratorPrograms {
    pub(super) forkhestra: GeneratorProgram,
    pub(super) ralph_runner: GeneratorProgram,
    pub(super) forge_tasks: GeneratorProgram,
}

impl GeneratorPrograms {
    pub(super) fn build(workspace: &Workspace) -> Result<Self> {
        let built = test_build::build(workspace, &["forge-tasks", "forkhestra", "ralph-runner"])?;
        let find = |name: &str| -> Result<GeneratorProgram> {
            Ok(GeneratorProgram {
                name: name.to_owned(),
                path: cargo::find(&built, name)?.to_owned(),
            })
        };
        Ok(Self {
            forkhestra: find("forkhestra")?,
            ralph_runner: find("ralph-runner")?,
            forge_tasks: find("forge-tasks")?,
        })
    }
}

pub(super) struct GeneratorProgram {
    pub(super) name: String,
    path: PathBuf,
}

impl GeneratorProgram {
    /// The standard output of the program, in a fixed environment.
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
