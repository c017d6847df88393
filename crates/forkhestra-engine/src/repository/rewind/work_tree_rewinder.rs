//! Surveys, makes and undoes rewinds.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::RewindError;
use super::file_placement::{
    FileModes, FilePlacement, FileStamps, current_modes, file_stamps, parse_modes,
};
use super::head_state::{HeadRelation, HeadState, operation_under_way};
use super::kept_paths::{filtered_paths, ignored_at_target};
use super::obstacles::{DividedChanges, KnownPaths, has_bytes, has_content};
use super::rewind_record::{
    NewRecord, PENDING_DIRECTORY, RecordedTarget, RewindProgress, RewindRecord, RewindRecords,
    begin_pending,
};
use super::rewind_survey::{ExpectedState, RewindLabel, RewindScope, RewindSurvey, RewindTarget};
use super::saved_state::{
    exact_entries, keep_state, replace_entries, saved_reference, sync_objects,
};
use super::staged_files::{FileConversion, StagedFiles};
use super::tree_change::TreeChange;
use super::user_index::{SavedIndex, refresh_index, set_index};
use crate::repository::snapshot::{SnapshotLocation, SnapshotReader};
use crate::repository::{GitSession, ObjectTarget, RepositoryObserver, names, remove_tree};
use crate::secret_finder::SecretFinder;
use crate::work_tree::own_paths::{OwnPaths, real_path};

/// Upper bound for one command of git.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The file in the directory of a pending rewind that becomes the index.
const RESTORED_INDEX: &str = "restored-index";

/// The work tree that is brought back.
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

/// Brings a work tree back to snapshots of a run. The caller holds the lock of the work tree.
#[derive(Debug)]
pub struct WorkTreeRewinder {
    pub(super) reader: SnapshotReader,
    observer: RepositoryObserver,
    pub(super) directory: PathBuf,
    pub(super) own_paths: OwnPaths,
    pub(super) records: RewindRecords,
    pub(super) scratch: PathBuf,
    pub(super) run: String,
}

/// How far a rewind got.
#[derive(Default)]
struct RewindSteps {
    is_branch_moved: bool,
    /// The paths that are replaced or removed.
    placed: Vec<PathBuf>,
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
        let objects = ObjectTarget::Lasting(secrets.clone());
        let observer = RepositoryObserver::new(scratch.join("observer"), objects);
        let records = RewindRecords::of(snapshots.persistent_directory);
        let run = snapshots.run.as_str().to_owned();
        let scratch = scratch.to_path_buf();
        Ok(Self { reader, observer, directory, own_paths, records, scratch, run })
    }

    /// The reader of the run's snapshots.
    pub const fn reader(&self) -> &SnapshotReader {
        &self.reader
    }

    /// The records of earlier rewinds.
    pub const fn records(&self) -> &RewindRecords {
        &self.records
    }

    /// Whether a rewind of this work tree was cut off.
    pub fn is_pending(&self) -> bool {
        self.pending_directory().is_dir()
    }

    /// Removes what a rewind left behind that was cut off before it changed anything.
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
        let mut kept = filtered_paths(&session, &changes)?;
        kept.extend(ignored_at_target(&session, &self.scratch, &target.tree, &changes)?);
        let divided = self.divide(&session, changes, &current, &kept)?;
        Ok(RewindSurvey {
            changed_since: self.differing(&session, &expected.tree, &current.tree)?,
            operation: operation_under_way(&session)?,
            target,
            scope,
            tree: current.tree,
            changes: divided.made,
            same: divided.same,
            head,
            head_relation,
            obstacles: divided.obstacles,
            left: divided.left,
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

    /// Makes a rewind. If it fails, the state before it is restored.
    pub fn rewind(
        &mut self,
        survey: &RewindSurvey,
        label: RewindLabel,
    ) -> Result<RewindRecord, RewindError> {
        let number = self.records.next_number()?;
        let session = session(&self.reader);
        let scratch = begin_pending(&session.repository.git_dir, &self.run)?;
        let stamps = file_stamps(&session.repository.top, &survey.changes);
        // What can fail for lack of space comes before anything is changed.
        let prepared = self.prepare(&session, &scratch, number, survey, label);
        let (mut record, staged) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => {
                self.forget_pending()?;
                return Err(error);
            }
        };
        let mut steps = RewindSteps::default();
        if let Err(failure) = self.apply(survey, &record, (&staged, &stamps), &mut steps) {
            return Err(match self.roll_back(&record, &steps) {
                Ok(()) => RewindError::RolledBack(Box::new(failure)),
                Err(rollback) => {
                    let failure = Box::new(failure);
                    RewindError::HalfDone { failure, rollback: Box::new(rollback) }
                }
            });
        }
        record.progress = RewindProgress::Done;
        self.records.write(&record)?;
        self.forget_pending()?;
        // With files that git ignored before, it can differ from the tree of the target.
        record.after_tree = Some(self.observe()?.tree);
        self.records.write(&record)?;
        Ok(record)
    }

    /// Saves the current state, and writes the files of the target to a scratch directory.
    fn prepare(
        &self,
        session: &GitSession<'_>,
        scratch: &Path,
        number: u32,
        survey: &RewindSurvey,
        label: RewindLabel,
    ) -> Result<(RewindRecord, StagedFiles), RewindError> {
        let RewindLabel { address, snapshot, at } = label;
        let RewindTarget { tree, head, branch: _ } = survey.target.clone();
        let conversion = FileConversion::AsCheckout;
        let staged = StagedFiles::write(session, scratch, &tree, &survey.changes, conversion)?;
        let message = format!("before the rewind to {address}");
        let writer = writing_session(&self.reader);
        let saved = self.exact_tree(&writer, scratch, survey)?;
        let saved = keep_state(&writer, &self.run, &number.to_string(), &saved, &message)?;
        let modes = current_modes(&session.repository.top, &survey.changes);
        self.records.write_file(&self.records.modes(number), &modes)?;
        self.index(number).save(session)?;
        sync_objects(&session.repository.objects)?;
        let record = self.records.begin(
            number,
            NewRecord {
                at,
                files_only: survey.scope == RewindScope::FilesOnly,
                target: RecordedTarget { address, snapshot, tree, head },
                saved,
                before_tree: survey.tree.clone(),
                before_head: survey.head.commit.clone(),
                branch: survey.head.branch.clone(),
            },
        )?;
        Ok((record, staged))
    }

    /// Moves the branch, then the files, then the index.
    fn apply(
        &self,
        survey: &RewindSurvey,
        record: &RewindRecord,
        (staged, stamps): (&StagedFiles, &FileStamps),
        steps: &mut RewindSteps,
    ) -> Result<(), RewindError> {
        let session = session(&self.reader);
        if survey.scope == RewindScope::Everything {
            let reason = format!("forkhestra: rewind {} to {}", self.run, record.target.address);
            let (from, to) = (survey.head.commit.as_deref(), survey.target.head.as_deref());
            move_head(&session, from, to, &reason)?;
            steps.is_branch_moved = true;
        }
        let modes = FileModes::new();
        let mut placement = self.placement(staged, &modes, stamps);
        let placed = placement.place(&survey.changes);
        steps.placed = placement.done;
        placed?;
        match survey.scope {
            RewindScope::Everything => set_index(&session, survey.target.head.as_deref())?,
            RewindScope::FilesOnly => refresh_index(&session),
        }
        Ok(())
    }

    pub(super) fn placement<'a>(
        &'a self,
        staged: &'a StagedFiles,
        modes: &'a FileModes,
        stamps: &'a FileStamps,
    ) -> FilePlacement<'a> {
        FilePlacement {
            top: &self.reader.repository.top,
            staged,
            modes,
            stamps,
            working_directory: &self.directory,
            done: Vec::new(),
        }
    }

    /// Takes back the steps of a rewind that failed. The index is the last thing that a rewind
    /// changes, so it is as before. Nothing is recorded then.
    fn roll_back(&self, record: &RewindRecord, steps: &RewindSteps) -> Result<(), RewindError> {
        let session = session(&self.reader);
        let placed: HashSet<&PathBuf> = steps.placed.iter().collect();
        let mut changes = TreeChange::list(&session, &record.target.tree, &record.saved)?;
        changes.retain(|change| placed.contains(&change.path));
        let staged = self.restored_files(&session, record, &changes)?;
        if steps.is_branch_moved {
            let (from, to) = (record.target.head.as_deref(), record.before_head.as_deref());
            move_head(&session, from, to, "forkhestra: the rewind failed")?;
        }
        let modes = self.saved_modes(record.number)?;
        self.placement(&staged, &modes, &FileStamps::new()).place(&changes)?;
        refresh_index(&session);
        self.records.remove(record.number)?;
        let reference = saved_reference(&self.run, &record.number.to_string());
        session.require(&["update-ref", "-d", &reference])?;
        self.forget_pending()
    }

    /// Writes the files of the state before a rewind to the directory of the pending rewind.
    pub(super) fn restored_files(
        &self,
        session: &GitSession<'_>,
        record: &RewindRecord,
        changes: &[TreeChange],
    ) -> Result<StagedFiles, RewindError> {
        let scratch = begin_pending(&session.repository.git_dir, &self.run)?;
        // Files of the rewind that was cut off.
        for left in ["files", "index", RESTORED_INDEX] {
            remove_tree_or_file(&scratch.join(left))?;
        }
        StagedFiles::write(session, &scratch, &record.saved, changes, FileConversion::Exact)
    }

    pub(super) fn saved_modes(&self, number: u32) -> Result<FileModes, RewindError> {
        let path = self.records.modes(number);
        Ok(parse_modes(&fs::read(&path).map_err(RewindError::file(&path))?))
    }

    /// A tree of the current state with the exact bytes of the files that a rewind touches: git may
    /// have converted their line ends. It also has the files that have the content of the target
    /// already, so that an undo does not remove them.
    fn exact_tree(
        &self,
        session: &GitSession<'_>,
        scratch: &Path,
        survey: &RewindSurvey,
    ) -> Result<String, RewindError> {
        let mut entries = exact_entries(session, &survey.changes)?;
        entries.retain(|(entry, object)| entry.object() != Some(object));
        entries.extend(exact_entries(session, &survey.same)?);
        replace_entries(session, scratch, &survey.tree, &entries)
    }

    pub(super) fn observe(&mut self) -> Result<CurrentState, RewindError> {
        let session = writing_session(&self.reader);
        let seen = self.observer.observe(&session, &self.directory, &self.own_paths)?;
        // The index can have repositories that are not there.
        let left_out = seen.left_out.into_iter().filter(|path| path.symlink_metadata().is_ok());
        Ok(CurrentState { tree: seen.tree, left_out: left_out.collect() })
    }

    pub(super) fn divide(
        &self,
        session: &GitSession<'_>,
        changes: Vec<TreeChange>,
        current: &CurrentState,
        kept: &HashSet<PathBuf>,
    ) -> Result<DividedChanges, RewindError> {
        let sparse = sparse_paths(session)?;
        let (left_out, own_paths) = (&current.left_out, &self.own_paths);
        let known = KnownPaths { left_out, sparse: &sparse, kept, own_paths };
        DividedChanges::of(session, changes, &known)
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

    pub(super) fn index(&self, number: u32) -> SavedIndex {
        let restored = self.pending_directory().join(RESTORED_INDEX);
        SavedIndex { copy: self.records.index(number), restored }
    }

    fn pending_directory(&self) -> PathBuf {
        self.reader.repository.git_dir.join(PENDING_DIRECTORY)
    }
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

/// A session that does not see the copies of snapshots: what it writes does not depend on them.
pub(super) fn writing_session(reader: &SnapshotReader) -> GitSession<'_> {
    GitSession { repository: &reader.without_copies, ..session(reader) }
}

/// Moves the checked-out branch from one commit to another, unless it has moved meanwhile.
pub(super) fn move_head(
    session: &GitSession<'_>,
    from: Option<&str>,
    to: Option<&str>,
    reason: &str,
) -> Result<(), RewindError> {
    if from == to {
        return Ok(());
    }
    // An empty old value means that the ref must not exist.
    let from = from.unwrap_or_default();
    let moved = match to {
        Some(to) => session.require(&["update-ref", "-m", reason, "HEAD", to, from]),
        None => session.require(&["update-ref", "-m", reason, "-d", "HEAD", from]),
    };
    moved.map(drop).map_err(|error| RewindError::Branch(error.to_string()))
}

/// The files that a sparse checkout leaves out.
fn sparse_paths(session: &GitSession<'_>) -> Result<HashSet<PathBuf>, RewindError> {
    if !session.config()?.is_sparse {
        return Ok(HashSet::new());
    }
    let listed = session.require(&["ls-files", "-t", "-z"])?;
    let skipped = names(&listed).filter_map(|entry| entry.strip_prefix(b"S "));
    Ok(skipped.map(|path| PathBuf::from(OsStr::from_bytes(path))).collect())
}

fn remove_tree_or_file(path: &Path) -> Result<(), RewindError> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => remove_tree(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    };
    removed.map_err(RewindError::file(path))
}
