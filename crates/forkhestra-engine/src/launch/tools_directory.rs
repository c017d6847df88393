//! The tools directory: it has a link named `forge-tasks` to forkhestra and is first on the `PATH` of agents, checks, hooks and
//! setups.
//!
//! Without a sandbox an agent can write to its tools directory, and a check must not run what the agent leaves there. So a
//! directory is used again only if it holds nothing but that link.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, DirEntry};
use std::hash::{BuildHasher, Hasher};
use std::io;
use std::mem;
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::launch::agent_command::set;
use crate::ports::OwnProgram;

/// The default `PATH` for an environment without one.
pub(crate) const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// A directory that no process uses at the moment.
#[derive(Debug, Clone, Default)]
pub(crate) struct UnusedToolsDirectory(Arc<Mutex<Option<PathBuf>>>);

impl UnusedToolsDirectory {
    fn lock(&self) -> MutexGuard<'_, Option<PathBuf>> {
        // A panic cannot leave the value inconsistent.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A directory that held nothing but a link to forkhestra's program when this value was created. No
/// other process has it.
#[derive(Debug)]
pub(crate) struct ToolsDirectory {
    path: PathBuf,
    spare: UnusedToolsDirectory,
}

impl ToolsDirectory {
    pub(crate) fn prepare(scratch: &Path, own: &OwnProgram) -> io::Result<Self> {
        let spare = own.spare.clone();
        if let Some(path) = own.spare.lock().take() {
            if holds_only_link(&path, own) {
                return Ok(Self { path, spare });
            }
            remove(&path);
        }
        let path = create_private_directory(scratch, "bin")?;
        symlink(&own.path, path.join(own.name)).inspect_err(|_| remove(&path))?;
        Ok(Self { path, spare })
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
        if let Some(other) = self.spare.lock().replace(mem::take(&mut self.path)) {
            remove(&other);
        }
    }
}

/// Whether a path is a directory with our link and nothing else.
fn holds_only_link(path: &Path, own: &OwnProgram) -> bool {
    let is_directory = fs::symlink_metadata(path).is_ok_and(|found| found.is_dir());
    let Ok(mut entries) = fs::read_dir(path) else { return false };
    let is_ours = |entry: io::Result<DirEntry>| entry.is_ok_and(|it| it.file_name() == own.name);
    is_directory
        && entries.next().is_some_and(is_ours)
        && entries.next().is_none()
        && fs::read_link(path.join(own.name)).is_ok_and(|target| target == own.path)
}

fn remove(path: &Path) {
    // What cannot be removed now is removed with the scratch directory.
    let _ = fs::remove_dir_all(path);
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
        OwnProgram::new("forge-tasks", "/opt/forkhestra")
    }

    fn prepare(scratch: &Path, own: &OwnProgram) -> ToolsDirectory {
        ToolsDirectory::prepare(scratch, own).expect("the place is ours")
    }

    #[test]
    fn two_processes_have_different_directories() {
        let temporary = tempfile::tempdir().expect("there is room");
        let own = own_program();
        let (first, second) = (prepare(temporary.path(), &own), prepare(temporary.path(), &own));
        assert_ne!(first.path, second.path);
    }

    #[test]
    fn a_directory_is_used_again_only_if_it_holds_nothing_but_our_link() {
        type Change = fn(&Path);
        let changes: [(&str, Change); 6] = [
            ("nothing", |_| ()),
            ("a program", |path| fs::write(path.join("sh"), "").expect("it is ours")),
            ("a hidden file", |path| fs::write(path.join(".a"), "").expect("it is ours")),
            ("another link", |path| {
                fs::remove_file(path.join("forge-tasks")).expect("it is ours");
                symlink("/evil", path.join("forge-tasks")).expect("it is ours");
            }),
            ("no link", |path| fs::remove_file(path.join("forge-tasks")).expect("it is ours")),
            ("a linked directory", |path| {
                let moved = path.with_extension("moved");
                fs::rename(path, &moved).expect("it is ours");
                symlink(&moved, path).expect("it is ours");
            }),
        ];
        for (what, change) in changes {
            let temporary = tempfile::tempdir().expect("there is room");
            let own = own_program();
            let first = prepare(temporary.path(), &own);
            let path = first.path.clone();
            change(&path);
            drop(first);
            let second = prepare(temporary.path(), &own);
            assert_eq!(second.path == path, what == "nothing", "{what}");
            assert!(holds_only_link(&second.path, &own), "{what}");
            assert!(what == "nothing" || fs::symlink_metadata(&path).is_err(), "{what} is left");
        }
    }

    #[test]
    fn our_program_comes_first_on_path() {
        let temporary = tempfile::tempdir().expect("there is room");
        let tools = prepare(temporary.path(), &own_program());
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
