//! Surveys rewinds. The files `rewind_execution.rs` and `rewind_undo.rs` make and undo them.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use forkhestra_core::time::Timestamp;

use super::RewindError;
use super::classified_changes::{ClassifiedChanges, KnownPaths};
use super::head_state::{HeadRelation, HeadState, operation_under_way};
use super::rewind_record::{PENDING_DIRECTORY, RewindRecords};
use super::rewind_survey::{ExpectedState, RewindScope, RewindSurvey, RewindTarget};
use super::saved_state::{exact_entries, replace_entries};
use super::tree_change::TreeChange;
use super::unchanged_paths::{filtered_paths, ignored_at_target};
use super::work_tree_file::{has_bytes, has_content};
use crate::repository::snapshot::{SnapshotLocation, SnapshotReader};
use crate::repository::{GitSession, ObjectTarget, RepositoryObserver, names, remove_tree};
use crate::secret_finder::SecretFinder;
use crate::work_tree::own_paths::{OwnPaths, real_path};

/// Upper bound for one command of git.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The work tree that is rewound.
#[derive(Debug, Clone)]
pub struct RewindLocation<'a> {
    pub snapshots: SnapshotLocation<'a>,
    /// Paths of forkhestra, which are never touched.
    pub own_paths: &'a [&'a Path],
    /// A directory for temporary files.
    pub scratch: &'a Path,
    /// Finds secrets, which must not be stored in the repository.
    pub secrets: SecretFinder,
}

/// Rewinds a work tree to snapshots of a run. The caller holds the lock of the work tree.
#[derive(Debug)]
pub struct WorkTreeRewinder {
    pub(super) reader: SnapshotReader,
    observer: RepositoryObserver,
    secrets: SecretFinder,
    pub(super) directory: PathBuf,
    pub(super) own_paths: OwnPaths,
    pub(super) records: RewindRecords,
    pub(super) scratch: PathBuf,
    pub(super) run: String,
}

/// The current state of the work tree.
pub(super) struct CurrentState {
    pub(super) tree: String,
    left_out: BTreeSet<PathBuf>,
}

impl WorkTreeRewinder {
    /// Finds the repository of a run.
    pub fn open(location: &RewindLocation<'_>) -> Result<Self, RewindError> {
        let RewindLocation { snapshots, own_paths, scratch, secrets } = location;
        let reader = SnapshotReader::open(*snapshots)?;
        let directory = real_path(snapshots.directory);
        let places: Vec<&Path> =
            own_paths.iter().copied().chain([*scratch, snapshots.persistent_directory]).collect();
        let own_paths = OwnPaths::new(&directory, &places);
        let (observer, secrets) = (new_observer(scratch, secrets), secrets.clone());
        let records = RewindRecords::of(snapshots.persistent_directory);
        let run = snapshots.run.as_str().to_owned();
        let scratch = scratch.to_path_buf();
        Ok(Self { reader, observer, secrets, directory, own_paths, records, scratch, run })
    }

    /// The reader of the run's snapshots.
    pub const fn reader(&self) -> &SnapshotReader {
        &self.reader
    }

    /// The records of earlier rewinds.
    pub const fn records(&self) -> &RewindRecords {
        &self.records
    }

    /// The state that the last rewind or undo left, if it was made after a moment.
    pub fn left_since(&mut self, since: Timestamp) -> Result<Option<ExpectedState>, RewindError> {
        let mut left = self.records.left_since(since)?;
        if left.len() > 1 {
            let head = HeadState::read(&session(&self.reader))?;
            let tree = self.observe()?.tree;
            left.sort_by_key(|state| (state.head != head.commit, state.tree != tree));
        }
        Ok(left.into_iter().next())
    }

    /// Whether a rewind of this work tree was interrupted.
    pub fn is_pending(&self) -> bool {
        self.pending_directory().is_dir()
    }

    /// Removes what a rewind left that was interrupted before it changed anything.
    pub fn forget_pending(&self) -> Result<(), RewindError> {
        let directory = self.pending_directory();
        remove_tree(&directory).map_err(RewindError::file(&directory))
    }

    /// The tree of the current state, as git would commit it.
    #[cfg(test)]
    pub(crate) fn current_tree(&mut self) -> Result<String, RewindError> {
        Ok(self.observe()?.tree)
    }

    /// Finds out what a rewind would do. Objects of the current state are stored; nothing else is
    /// changed.
    pub fn survey(
        &mut self,
        target: RewindTarget,
        expected: &ExpectedState,
        scope: RewindScope,
    ) -> Result<RewindSurvey, RewindError> {
        let mut current = self.observe()?;
        let session = session(&self.reader);
        current.tree = self.with_expected_entries(&expected.tree, &current.tree)?;
        let head = HeadState::read(&session)?;
        let head_relation = match scope {
            RewindScope::FilesOnly => HeadRelation::Same,
            RewindScope::Everything => {
                let branches = [&expected.branch, &target.branch].map(Option::as_deref);
                let writer = writing_session(&self.reader);
                match head.obstacle(&writer, branches, target.head.as_deref())? {
                    Some(obstacle) => obstacle,
                    None => head.relation(&session, expected.head.as_deref())?,
                }
            }
        };
        let changes = TreeChange::list(&session, &current.tree, &target.tree)?;
        let changes = without_done_changes(&session, changes)?;
        let mut unchanged = filtered_paths(&session, &changes)?;
        unchanged.extend(ignored_at_target(&session, &self.scratch, &target.tree, &changes)?);
        let classified = self.classify(&session, changes, &current, &unchanged)?;
        Ok(RewindSurvey {
            changed_since: self.differing(&session, &expected.tree, &current.tree)?,
            operation: operation_under_way(&session)?,
            target,
            scope,
            tree: current.tree,
            changes: classified.made,
            head,
            head_relation,
            obstacles: classified.obstacles,
            unchanged: classified.unchanged,
        })
    }

    /// The tree of the current state with the entries of the expected state for files that are as
    /// there, although git would commit them otherwise by now. A run keeps a file in its snapshots that
    /// an agent has git ignore later, and one whose line ends are to be converted later.
    pub(super) fn with_expected_entries(
        &self,
        expected: &str,
        current: &str,
    ) -> Result<String, RewindError> {
        let reader = session(&self.reader);
        let session = writing_session(&self.reader);
        let mut known = Vec::new();
        for change in TreeChange::list(&reader, current, expected)? {
            let Some(entry) = change.after.clone() else { continue };
            if has_bytes(&session, &change.path, &entry)?
                || change.before.is_none() && has_content(&session, &change.path, &entry)?
            {
                known.push((TreeChange { before: Some(entry.clone()), ..change }, entry.object));
            }
        }
        let entries: Vec<(&TreeChange, String)> =
            known.iter().map(|(change, object)| (change, object.clone())).collect();
        fs::create_dir_all(&self.scratch).map_err(RewindError::file(&self.scratch))?;
        replace_entries(&session, &self.scratch, current, &entries)
    }

    /// Observes the work tree without what earlier observations know: files that have not changed since
    /// can have other entries under other attributes.
    pub(super) fn observe_anew(&mut self) -> Result<CurrentState, RewindError> {
        self.observer = new_observer(&self.scratch, &self.secrets);
        self.observe()
    }

    pub(super) fn observe(&mut self) -> Result<CurrentState, RewindError> {
        let session = writing_session(&self.reader);
        let seen = self.observer.observe(&session, &self.directory, &self.own_paths)?;
        // The index can have repositories that are not there.
        let left_out = seen.left_out.into_iter().filter(|path| path.symlink_metadata().is_ok());
        Ok(CurrentState { tree: seen.tree, left_out: left_out.collect() })
    }

    pub(super) fn classify(
        &self,
        session: &GitSession<'_>,
        changes: Vec<TreeChange>,
        current: &CurrentState,
        unchanged: &HashSet<PathBuf>,
    ) -> Result<ClassifiedChanges, RewindError> {
        let sparse = sparse_paths(session)?;
        let (left_out, own_paths) = (&current.left_out, &self.own_paths);
        let known = KnownPaths { left_out, sparse: &sparse, unchanged, own_paths };
        ClassifiedChanges::of(session, changes, &known)
    }

    pub(super) fn differing(
        &self,
        session: &GitSession<'_>,
        from: &str,
        to: &str,
    ) -> Result<Vec<PathBuf>, RewindError> {
        if from == to {
            return Ok(Vec::new());
        }
        let changes = TreeChange::list(session, from, to)?;
        Ok(changes.into_iter().map(|change| change.path).collect())
    }

    pub(super) fn pending_directory(&self) -> PathBuf {
        self.reader.repository.git_dir.join(PENDING_DIRECTORY)
    }
}

fn new_observer(scratch: &Path, secrets: &SecretFinder) -> RepositoryObserver {
    RepositoryObserver::new(scratch.join("observer"), ObjectTarget::Lasting(secrets.clone()))
}

pub(super) fn session(reader: &SnapshotReader) -> GitSession<'_> {
    let deadline = Instant::now() + TIMEOUT;
    GitSession { git: &reader.git, repository: &reader.repository, deadline }
}

/// The changes of files that do not have the bytes of the target yet.
fn without_done_changes(
    session: &GitSession<'_>,
    mut changes: Vec<TreeChange>,
) -> Result<Vec<TreeChange>, RewindError> {
    let done: HashSet<PathBuf> = {
        let is_done = |(change, object): &(&TreeChange, String)| {
            let (before, after) = (change.before.as_ref(), change.after.as_ref());
            let is_same_kind = before.map(|entry| entry.kind) == after.map(|entry| entry.kind);
            is_same_kind && after.is_some_and(|entry| entry.object == *object)
        };
        let exact = exact_entries(session, &changes)?.into_iter().filter(is_done);
        exact.map(|(change, _)| change.path.clone()).collect()
    };
    changes.retain(|change| !done.contains(&change.path));
    Ok(changes)
}

/// A session that does not read the backup of the snapshots: what it writes must not depend on it.
pub(super) fn writing_session(reader: &SnapshotReader) -> GitSession<'_> {
    GitSession { repository: &reader.without_backup, ..session(reader) }
}

/// The files that a sparse checkout leaves out.
pub(in crate::repository) fn sparse_paths(
    session: &GitSession<'_>,
) -> Result<HashSet<PathBuf>, RewindError> {
    if !session.config()?.is_sparse {
        return Ok(HashSet::new());
    }
    let listed = session.require(&["ls-files", "-t", "-z"])?;
    let skipped = names(&listed).filter_map(|entry| entry.strip_prefix(b"S "));
    Ok(skipped.map(|path| PathBuf::from(OsStr::from_bytes(path))).collect())
}
