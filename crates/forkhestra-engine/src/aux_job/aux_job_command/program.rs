//! Chooses the program that runs a command of the user.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The shell that always exists.
const SHELL: &str = "/bin/sh";

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

/// The path of bash by a `PATH`, or else of the shell that always exists.
pub(crate) fn bash(path: Option<&OsStr>) -> PathBuf {
    let places = path.into_iter().flat_map(env::split_paths);
    let mut found = places.map(|place| place.join("bash")).filter(|bash| is_executable(bash));
    found.next().unwrap_or_else(|| SHELL.into())
}

/// Whether a path is that of an executable file.
pub(crate) fn is_executable(path: &Path) -> bool {
    fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bash_is_the_first_one_on_the_path_that_can_be_executed() {
        let temporary = tempfile::tempdir().expect("there is room");
        let (one, other) = (temporary.path().join("one"), temporary.path().join("other"));
        for (directory, mode) in [(&one, 0o644), (&other, 0o755)] {
            fs::create_dir(directory).expect("the place is ours");
            let bash = directory.join("bash");
            fs::write(&bash, "").expect("the place is ours");
            fs::set_permissions(&bash, fs::Permissions::from_mode(mode)).expect("it is ours");
        }
        let path = env::join_paths([&one, &other]).expect("no colon is in them");
        assert_eq!(bash(Some(&path)), other.join("bash"));
        assert_eq!(bash(Some(one.as_os_str())), Path::new(SHELL));
        assert_eq!(bash(None), Path::new(SHELL));
    }
}
