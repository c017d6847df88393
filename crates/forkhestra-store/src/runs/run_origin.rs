//! The identity of the work tree in which a run was begun.
//!
//! The state directory of a work tree is found by its path. Another repository may be at that path later, and a
//! directory of runs inside a repository may come with a clone. Resuming such a run would execute commands that belong to
//! another work tree. So a run records which directories it was begun in: by inode and time of creation, which no
//! repository can carry and which survive a restart of the machine and a renamed directory. Device numbers do not.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use crate::disk::file_error::FileError;
use crate::disk::{files, reading};
use crate::runs::run_dir::RunDir;

/// The directories in which a run was begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunOrigin {
    work_tree: DirectoryIdentity,
    run: DirectoryIdentity,
}

/// Whether a run belongs to a work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OriginMatch {
    Same,
    /// The run was begun in another directory, or was copied.
    Other,
    /// Nothing is recorded: an older version began the run.
    Unknown,
}

/// A directory, whatever its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct DirectoryIdentity {
    inode: u64,
    /// The time of creation in nanoseconds since 1970, where the file system has it.
    born: Option<u64>,
}

impl RunOrigin {
    /// Records that a run belongs to a work tree. The caller holds the locks of both.
    pub fn record(run: &RunDir, work_tree: &Path) -> Result<(), FileError> {
        let origin = Self::of(run, work_tree).map_err(FileError::of("read", work_tree))?;
        let text = serde_json::to_vec(&origin).expect("numbers are JSON");
        // A file that a kill cut off says nothing, as a missing one.
        files::write(run.disk(), &run.origin(), &text)
    }

    /// Whether a run was begun in this work tree.
    pub fn compare(run: &RunDir, work_tree: &Path) -> OriginMatch {
        let recorded = reading::read(&run.origin()).ok();
        let recorded = recorded.and_then(|text| serde_json::from_slice::<Self>(&text).ok());
        let Some(recorded) = recorded else { return OriginMatch::Unknown };
        match Self::of(run, work_tree) {
            Ok(here) if recorded.is_same(&here) => OriginMatch::Same,
            _ => OriginMatch::Other,
        }
    }

    fn of(run: &RunDir, work_tree: &Path) -> io::Result<Self> {
        let identity = DirectoryIdentity::of;
        Ok(Self { work_tree: identity(work_tree)?, run: identity(run.path())? })
    }

    fn is_same(&self, other: &Self) -> bool {
        self.work_tree.is_same(other.work_tree) && self.run.is_same(other.run)
    }
}

impl DirectoryIdentity {
    fn of(path: &Path) -> io::Result<Self> {
        let found = fs::metadata(path)?;
        let born = found.created().ok().and_then(|born| born.duration_since(UNIX_EPOCH).ok());
        let born = born.and_then(|born| u64::try_from(born.as_nanos()).ok());
        Ok(Self { inode: found.ino(), born })
    }

    /// A removed directory may leave its inode to the next one, so the time counts, too, where both have one.
    fn is_same(self, other: Self) -> bool {
        let is_as_old = self.born.zip(other.born).is_none_or(|(one, other)| one == other);
        self.inode == other.inode && is_as_old
    }
}

#[cfg(test)]
mod tests {
    use forkhestra_core::id::RunId;
    use forkhestra_core::time::Timestamp;

    use super::*;
    use crate::runs::state_root::StateRoot;
    use crate::runs::work_tree_lock::LockProof;

    #[test]
    fn a_run_belongs_to_its_work_tree_even_if_that_is_renamed() {
        let directory = tempfile::tempdir().expect("there is room");
        let [old, new] = ["old", "new"].map(|name| directory.path().join(name));
        fs::create_dir(&old).expect("it is ours");
        let tree = StateRoot::new(directory.path().join("state")).work_tree(&old);
        let id = RunId::from_random(1);
        let run = tree.create_run(&LockProof::Waived, &id, Timestamp::default()).expect("room");
        assert_eq!(RunOrigin::compare(&run, &old), OriginMatch::Unknown);
        RunOrigin::record(&run, &old).expect("it is ours");
        assert_eq!(RunOrigin::compare(&run, &old), OriginMatch::Same);
        fs::rename(&old, &new).expect("it is ours");
        assert_eq!(RunOrigin::compare(&run, &new), OriginMatch::Same);
        fs::create_dir(&old).expect("it is ours");
        assert_eq!(RunOrigin::compare(&run, &old), OriginMatch::Other);
    }

    #[test]
    fn a_copied_run_is_another_one() {
        let directory = tempfile::tempdir().expect("there is room");
        let root = StateRoot::new(directory.path().join("state"));
        let (id, started) = (RunId::from_random(1), Timestamp::default());
        let create = |name: &str| {
            let tree = root.work_tree(Path::new(name));
            tree.create_run(&LockProof::Waived, &id, started).expect("there is room")
        };
        let (one, copy) = (create("/a"), create("/b"));
        RunOrigin::record(&one, directory.path()).expect("it is ours");
        fs::copy(one.origin(), copy.origin()).expect("it is ours");
        assert_eq!(RunOrigin::compare(&copy, directory.path()), OriginMatch::Other);
    }
}
