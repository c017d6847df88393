//! The state directory of one work tree: its runs and its lock.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use forkhestra_core::id::RunId;
use forkhestra_core::time::Timestamp;

use crate::disk::Disk;
use crate::disk::file_error::FileError;
use crate::disk::files;
use crate::disk::untrusted_path::{require_own_directory, require_safe_root};
use crate::runs::find_run::{FindRunError, find_by_prefix};
use crate::runs::run_dir::RunDir;
use crate::runs::state_root::entries;
use crate::runs::work_tree_lock::LockProof;

/// The state directory of one work tree. It need not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkTreeDir {
    disk: &'static dyn Disk,
    path: PathBuf,
}

/// The maximum number of characters of a work tree's name in the name of its state directory.
const MAX_SLUG_BYTES: usize = 32;

impl WorkTreeDir {
    pub(crate) fn below(disk: &'static dyn Disk, root: &Path, work_tree: &Path) -> Self {
        let hash = fnv1a(work_tree.as_os_str().as_bytes());
        // The hash tells work trees with the same name apart.
        let short = (hash ^ (hash >> 32)) & 0xffff_ffff;
        Self { disk, path: root.join(format!("{}-{short:08x}", slug(work_tree))) }
    }

    /// Wraps the path of an existing state directory.
    pub(crate) fn at(disk: &'static dyn Disk, path: PathBuf) -> Self {
        Self { disk, path }
    }

    /// The disk that the directory is on.
    pub fn disk(&self) -> &'static dyn Disk {
        self.disk
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Requires that only this user can write to the directory and to the state directory around it. A directory that
    /// does not exist is not checked.
    pub(crate) fn require_trusted(&self) -> Result<(), FileError> {
        for (directory, check) in [
            (self.path.parent(), require_safe_root as fn(&Path) -> Result<(), FileError>),
            (Some(self.path.as_path()), require_own_directory),
        ] {
            let existing = directory.filter(|path| path.symlink_metadata().is_ok());
            existing.map_or(Ok(()), check)?;
        }
        Ok(())
    }

    pub(crate) fn lock_file(&self) -> PathBuf {
        self.path.join("lock")
    }

    /// Creates the directory of a new run.
    pub fn create_run(
        &self,
        lock_proof: &LockProof,
        run: &RunId,
        started: Timestamp,
    ) -> Result<RunDir, FileError> {
        lock_proof.check(self)?;
        files::create_lasting_directories(self.disk, &self.path)?;
        self.require_trusted()?;
        let run = RunDir::below(self.disk, &self.path, run.clone(), started);
        files::create_directory(self.disk, run.path())?;
        files::create_directory(self.disk, &run.output())?;
        Ok(run)
    }

    /// The runs of the work tree, newest first.
    pub fn runs(&self) -> Result<Vec<RunDir>, FileError> {
        let found = entries(&self.path)?;
        let mut runs: Vec<RunDir> =
            found.iter().filter_map(|path| RunDir::from_path(self.disk, path)).collect();
        runs.sort_by(RunDir::newest_first);
        Ok(runs)
    }

    /// Finds a run by a prefix of its id.
    pub fn find(&self, id_prefix: &str) -> Result<RunDir, FindRunError> {
        find_by_prefix(id_prefix, self.runs()?)
    }
}

/// The last component of a path, without characters that need quoting.
fn slug(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut slug = String::new();
    for character in name.chars().take(MAX_SLUG_BYTES) {
        match character.to_ascii_lowercase() {
            character @ ('a'..='z' | '0'..='9' | '_' | '.') => slug.push(character),
            _ if slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    match slug.trim_matches(['-', '.']) {
        "" => "root".to_owned(),
        slug => slug.to_owned(),
    }
}

/// A hash that is stable across machines and versions.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::SYSTEM;

    fn name(work_tree: &str) -> String {
        let directory = WorkTreeDir::below(&SYSTEM, Path::new("/state"), Path::new(work_tree));
        directory.path.strip_prefix("/state").expect("it is below").display().to_string()
    }

    #[test]
    fn names_never_change() {
        // A change here would make existing runs unreachable.
        assert_eq!(name("/home/ada/engine"), "engine-7aa2f50c");
        assert_eq!(name("/"), "root-29622bb2");
    }

    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn slugs_need_no_quotes() {
        let table = [
            ("/a/My Project (2)", "my-project-2"),
            ("/a/.config", "config"),
            ("/a/äöü", "root"),
            ("/a/x_y.z", "x_y.z"),
            ("/", "root"),
            ("/a/0123456789012345678901234567890123456789", "01234567890123456789012345678901"),
        ];
        for (path, expected) in table {
            assert_eq!(slug(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn work_trees_of_the_same_name_are_distinguished() {
        assert_ne!(name("/a/project"), name("/b/project"));
    }
}
