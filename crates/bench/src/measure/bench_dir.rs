//! A folder to run in, which keeps nothing.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use devkit::error::Result;
use devkit::files;

/// A temporary folder in which programs run.
pub(crate) struct BenchDir(TempDir);

impl BenchDir {
    pub(crate) fn new() -> Result<Self> {
        tempfile::tempdir()
            .map(Self)
            .map_err(files::failing("create", Path::new("a temporary folder")))
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    /// Writes an executable file.
    pub(crate) fn write_script(&self, name: &str, text: &str) -> Result<()> {
        let path = self.file(name);
        files::write(&path, &format!("#!/bin/sh\n{text}\n"))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
            .map_err(files::failing("make executable", &path))
    }

    /// A command that runs here, in an environment of its own.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.folder())
            // Cargo tells us where to look for shared libraries; a child that looks there first
            // starts more slowly.
            .env_clear()
            // Looking for programs is part of what a person waits for.
            .env("PATH", "/usr/local/bin:/usr/bin:/bin");
        command
    }

    /// A command of ours that keeps its runs here.
    pub(crate) fn run(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = self.command(program, arguments);
        command.arg("--state-dir").arg(self.state());
        command
    }

    /// Removes all runs, so that no disk fills up while we measure.
    pub(crate) fn forget_runs(&self) -> Result<()> {
        let state = self.state();
        fs::remove_dir_all(&state).map_err(files::failing("remove", &state))
    }

    fn state(&self) -> PathBuf {
        self.file("state")
    }
}
