//! A temporary folder to run in.

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

    /// A command that runs here, with a clean environment.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(self.folder())
            // Cargo sets the search path of shared libraries, and a child that searches there
            // starts more slowly.
            .env_clear()
            // The lookup of programs is part of the measured time.
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            // A sandbox has figures of its own.
            .env("FORKHESTRA_SANDBOX", "off");
        command
    }

    /// A command of forkhestra that stores its runs here.
    pub(crate) fn run(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = self.command(program, arguments);
        command.arg("--state-dir").arg(self.state());
        // The cost of a sandbox is measured by itself. An option overrides the variable.
        command.env("FORKHESTRA_SANDBOX", "off");
        command
    }

    /// Removes all runs, so that the disk does not fill up.
    pub(crate) fn forget_runs(&self) -> Result<()> {
        let state = self.state();
        fs::remove_dir_all(&state).map_err(files::failing("remove", &state))
    }

    fn state(&self) -> PathBuf {
        self.file("state")
    }
}
