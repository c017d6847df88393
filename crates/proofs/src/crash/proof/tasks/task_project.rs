//! A project with tasks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use testkit::TestEnv;

use super::task_command::TaskCommand;
use crate::crash::proof::point::Point;
use crate::crash::proof::trace::{self, TraceResult};
use devkit::command;
use devkit::error::{Error, Result};
use devkit::files;

/// The directory of tasks in a project.
const TASKS: &str = "forge/tasks";

pub(super) struct TaskProject(TestEnv);

impl TaskProject {
    /// A project in the state before a command.
    pub(super) fn prepared(program: &Path, command: &TaskCommand) -> Result<Self> {
        let place = Self(TestEnv::new());
        for arguments in command.before {
            let output = place.run(program, arguments)?;
            if !output.status.success() {
                let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
                return Err(Error::Unmet(format!("`{}` failed: {stderr}", arguments.join(" "))));
            }
        }
        for (name, text) in command.files {
            files::write(&place.tasks().join(name), text)?;
        }
        Ok(place)
    }

    /// A copy of the project.
    pub(super) fn copy(&self) -> Result<Self> {
        let copy = Self(TestEnv::new());
        for below in ["", "archive"] {
            let (from, to) = (self.tasks().join(below), copy.tasks().join(below));
            let Ok(entries) = fs::read_dir(&from) else { continue };
            files::make_folder(&to)?;
            for entry in entries {
                let path = entry.map_err(files::failing("read", &from))?.path();
                if let (true, Some(name)) = (path.is_file(), path.file_name()) {
                    files::copy(&path, &to.join(name))?;
                }
            }
        }
        Ok(copy)
    }

    pub(super) fn tasks(&self) -> PathBuf {
        self.0.project().join(TASKS)
    }

    /// Runs the program without a kill.
    pub(super) fn run(&self, program: &Path, arguments: &[&str]) -> Result<Output> {
        let mut command = self.0.command(program);
        let output = command.args(arguments).output();
        output.map_err(|source| Error::Start { command: command::shown(&command), source })
    }

    /// Runs and traces the program, and kills it at a point.
    pub(super) fn watched(
        &self,
        program: &Path,
        arguments: &[&str],
        point: Option<Point>,
    ) -> Result<TraceResult> {
        let mut command: Command = self.0.command("/bin/sh");
        command.args(trace::HELD).arg(program).args(arguments);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        trace::watch(&mut command, point)
            .map_err(|source| Error::Start { command: command::shown(&command), source })
    }

    /// Keeps the files for inspection.
    pub(super) fn keep(self) -> PathBuf {
        self.0.keep()
    }
}
