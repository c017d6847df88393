//! The directory in which the checks of landings run.

use std::io;
use std::path::{Path, PathBuf};

use super::{MergeQueueError, QueueRepository};
use crate::repository::snapshot::SnapshotCheckout;

/// A directory that has the files of one integration commit at a time. It is made once and used again:
/// only files that differ from those of the commit before are written. What git ignores stays, so build
/// output stays warm; everything else that a check left is removed. After a change of attributes of git it
/// is made anew.
#[derive(Debug)]
pub struct IntegrationRoom {
    checkout: SnapshotCheckout,
}

impl IntegrationRoom {
    /// A room in a directory of our own, which exists. It is empty until the first commit, and what an
    /// earlier process left there is removed with it.
    pub fn new(directory: &Path, queue: &QueueRepository) -> Self {
        let checkout = SnapshotCheckout::new(directory, &queue.reader, &queue.persistent_directory);
        Self { checkout }
    }

    /// Puts a commit into the room. Its working directory is returned: that of the run, below the room.
    pub fn put(
        &mut self,
        queue: &QueueRepository,
        commit: &str,
    ) -> Result<PathBuf, MergeQueueError> {
        let unknown = || MergeQueueError::NoCommit(commit.to_owned());
        let commit = queue.commit_of(commit)?.ok_or_else(unknown)?;
        self.checkout.fill_with_commit(&queue.reader, &commit)?;
        let below = queue.directory.strip_prefix(queue.top()).unwrap_or(Path::new(""));
        Ok(match below == Path::new("") {
            true => self.path().to_owned(),
            false => self.path().join(below),
        })
    }

    /// The directory with the files.
    pub fn path(&self) -> &Path {
        self.checkout.path()
    }

    /// The directories that git in the room reads.
    pub fn objects(&self) -> Vec<PathBuf> {
        self.checkout.objects()
    }

    /// Removes all files, also ignored ones.
    pub fn clear(&mut self) -> io::Result<()> {
        self.checkout.clear()
    }
}
