//! Chooses the program that runs a command of the user.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The shell that always exists.
pub(crate) const SHELL: &str = "/bin/sh";

/// A program with its arguments and the files that it needs.
pub(crate) struct CommandLine {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    /// Names and contents.
    pub(crate) files: Vec<(String, String)>,
}

impl CommandLine {
    /// A program with arguments.
    pub(crate) fn new<A: Into<OsString>>(
        program: impl Into<PathBuf>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        let args = args.into_iter().map(Into::into).collect();
        Self { program: program.into(), args, files: Vec::new() }
    }

    /// A command for the shell.
    pub(crate) fn shell(command: &str) -> Self {
        Self::new(SHELL, ["-c", command])
    }

    /// An executable file.
    pub(crate) fn executable(path: PathBuf) -> Self {
        Self::new(path, None::<OsString>)
    }
}

/// Whether a path is that of an executable file.
pub(crate) fn is_executable(path: &Path) -> bool {
    fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}
