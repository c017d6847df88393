//! Directories with forkhestra's own program, first on the `PATH` of agents, checks, hooks and set-ups.
//!
//! Each process has a directory of its own, with a name that no earlier process of the run could know: an agent can write
//! its directory, and must not leave a program there for a check.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder};
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};

use crate::launch::agent_command::set;
use crate::ports::OwnProgram;

/// The default `PATH` for an environment without one.
pub(crate) const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A new directory that holds nothing but a link to forkhestra's program. It exists as long as this value.
#[derive(Debug)]
pub(crate) struct ToolsDirectory {
    path: PathBuf,
}

impl ToolsDirectory {
    pub(crate) fn create(scratch: &Path, own: &OwnProgram) -> io::Result<Self> {
        let directory = Self { path: create_private_directory(scratch, "bin")? };
        symlink(&own.path, directory.path.join(own.name))?;
        Ok(directory)
    }

    /// Puts the directory first on `PATH`. An empty `PATH` means the working directory, and keeps that meaning.
    pub(crate) fn prepend_to_path(&self, environment: &mut Vec<(OsString, OsString)>) {
        let known =
            environment.iter().find(|(name, _)| name == "PATH").map(|(_, path)| path.as_os_str());
        let known = known.unwrap_or(OsStr::new(DEFAULT_PATH));
        let path = [self.path.as_os_str(), known].join(OsStr::new(":"));
        set(environment, "PATH", path);
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for ToolsDirectory {
    fn drop(&mut self) {
        // A directory that cannot be removed now is removed with the scratch directory.
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Creates a directory for the owner only. Its name cannot be predicted, and it did not exist.
pub(crate) fn create_private_directory(scratch: &Path, prefix: &str) -> io::Result<PathBuf> {
    let scratch = std::path::absolute(scratch)?;
    DirBuilder::new().recursive(true).mode(0o700).create(&scratch)?;
    loop {
        // The standard library seeds its hashers from the system.
        let random = RandomState::new().build_hasher().finish();
        let path = scratch.join(format!("{prefix}-{random:016x}"));
        match DirBuilder::new().mode(0o700).create(&path) {
            Ok(()) => return Ok(path),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own_program() -> OwnProgram {
        OwnProgram { name: "forge-tasks", path: "/opt/forkhestra".into() }
    }

    #[test]
    fn each_directory_is_new_and_holds_only_our_link() {
        let temporary = tempfile::tempdir().expect("there is room");
        let scratch = temporary.path().join("scratch");
        let first = ToolsDirectory::create(&scratch, &own_program()).expect("the place is ours");
        fs::write(first.path.join("sh"), "").expect("the place is ours");
        let second = ToolsDirectory::create(&scratch, &own_program()).expect("the place is ours");
        assert_ne!(first.path, second.path);
        let entries = fs::read_dir(&second.path).expect("it is there").flatten();
        let names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        assert_eq!(names, ["forge-tasks"]);
        let target = fs::read_link(second.path.join("forge-tasks")).expect("it is a link");
        assert_eq!(target, Path::new("/opt/forkhestra"));
        drop((first, second));
        assert_eq!(fs::read_dir(&scratch).expect("it is there").count(), 0, "nothing is left");
    }

    #[test]
    fn our_program_comes_first_on_path() {
        let temporary = tempfile::tempdir().expect("there is room");
        let tools =
            ToolsDirectory::create(temporary.path(), &own_program()).expect("the place is ours");
        let ours = tools.path.display().to_string();
        for (path, expected) in [
            (Some("/a:/b"), format!("{ours}:/a:/b")),
            (Some(""), format!("{ours}:")),
            (None, format!("{ours}:{DEFAULT_PATH}")),
        ] {
            let mut environment: Vec<(OsString, OsString)> = vec![("HOME".into(), "/h".into())];
            environment.extend(path.map(|path| ("PATH".into(), path.into())));
            tools.prepend_to_path(&mut environment);
            let found: Vec<_> = environment.iter().filter(|(name, _)| name == "PATH").collect();
            assert_eq!(found, [&(OsString::from("PATH"), OsString::from(expected))], "{path:?}");
            assert_eq!(environment.len(), 2);
        }
    }
}
