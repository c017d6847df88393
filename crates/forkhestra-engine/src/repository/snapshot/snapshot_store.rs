//! Stores snapshots of work trees as commits outside of any branch, so that an agent cannot destroy
//! work irrecoverably.

use std::ffi::OsString;
use std::path::Path;

use forkhestra_core::event::WorkTreeSnapshot;

use super::snapshot_backup::SnapshotBackup;
use super::snapshot_numbers::SnapshotNumbers;
use crate::repository::git_program::GitError;
use crate::repository::{GitSession, text};

/// The prefix of their refs. A plain push, fetch or clone does not transfer them.
pub(in crate::repository) const REF_NAMESPACE: &str = "refs/forkhestra";

/// The repository with the backup of the snapshots, in the persistent directory of the run.
pub(super) const BACKUP_DIRECTORY: &str = "snapshots.git";

/// The snapshots of a run.
#[derive(Debug, Clone)]
pub(crate) struct SnapshotStore {
    run: String,
    numbers: SnapshotNumbers,
    last: Option<TakenSnapshot>,
    backup: SnapshotBackup,
    /// The last snapshot, if it is not copied to the backup yet.
    not_copied: Option<TakenSnapshot>,
}

/// A request for a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SnapshotRequest {
    /// The least number of the snapshot, if it is taken.
    pub(crate) number: u32,
    /// A description of its position in the run.
    pub(crate) moment: String,
}

#[derive(Debug, Clone)]
struct TakenSnapshot {
    tree: String,
    snapshot: WorkTreeSnapshot,
}

impl SnapshotStore {
    /// The snapshots of a run, with a backup in its persistent directory.
    pub(crate) fn new(run: String, persistent_directory: &Path, numbers: SnapshotNumbers) -> Self {
        let backup = SnapshotBackup::new(persistent_directory.join(BACKUP_DIRECTORY));
        Self { run, numbers, last: None, backup, not_copied: None }
    }

    /// Stores a tree whose objects are in the repository. Returns the last snapshot if it has the
    /// same tree.
    pub(crate) fn store(
        &mut self,
        session: &GitSession<'_>,
        tree: &str,
        head: Option<&str>,
        kept: &SnapshotRequest,
    ) -> Result<WorkTreeSnapshot, GitError> {
        if self.last.is_none() {
            self.last = self.recall(session, kept.number)?;
        }
        if let Some(last) = self.last.as_ref().filter(|last| last.tree == tree) {
            return Ok(last.snapshot.clone());
        }
        let message = format!("forkhestra run {}: {}", self.run, kept.moment);
        let parent = head.map(|head| ["-p", head]);
        let mut args = vec!["commit-tree", "-m", &message];
        args.extend(parent.into_iter().flatten());
        args.push(tree);
        let commit = text(&session.require_with(&identity(), &args)?);
        let number = self.numbers.next(kept.number);
        session.require(&["update-ref", &self.reference(number), &commit])?;
        let snapshot = WorkTreeSnapshot { number, commit };
        let taken = TakenSnapshot { tree: tree.to_owned(), snapshot: snapshot.clone() };
        self.not_copied = Some(taken.clone());
        self.last = Some(taken);
        Ok(snapshot)
    }

    /// Copies the last snapshot to a repository that agents do not know. A backup that failed is tried
    /// again with the next observation.
    pub(crate) fn back_up(&mut self, session: &GitSession<'_>) -> Result<(), GitError> {
        let Some(taken) = &self.not_copied else { return Ok(()) };
        let reference = self.reference(taken.snapshot.number);
        self.backup.store(session, &taken.tree, &reference)?;
        self.not_copied = None;
        Ok(())
    }

    /// Reads the last snapshot after the run was resumed.
    fn recall(
        &self,
        session: &GitSession<'_>,
        next: u32,
    ) -> Result<Option<TakenSnapshot>, GitError> {
        let Some(number) = next.checked_sub(1) else { return Ok(None) };
        let place = self.reference(number);
        let ask = |what: &str| {
            let output = session.query(&["rev-parse", "--quiet", "--verify", what])?;
            Ok::<_, GitError>(output.map(|output| text(&output)))
        };
        let (commit, tree) =
            (ask(&format!("{place}^{{commit}}"))?, ask(&format!("{place}^{{tree}}"))?);
        let taken =
            |(commit, tree)| TakenSnapshot { tree, snapshot: WorkTreeSnapshot { number, commit } };
        Ok(commit.zip(tree).map(taken))
    }

    fn reference(&self, number: u32) -> String {
        format!("{REF_NAMESPACE}/{}/{number}", self.run)
    }
}

/// The author of snapshots, so that git needs no configured identity.
pub(in crate::repository) fn identity() -> [(&'static str, OsString); 4] {
    let (name, address) = ("forkhestra", "forkhestra@localhost");
    [
        ("GIT_AUTHOR_NAME", name.into()),
        ("GIT_AUTHOR_EMAIL", address.into()),
        ("GIT_COMMITTER_NAME", name.into()),
        ("GIT_COMMITTER_EMAIL", address.into()),
    ]
}
