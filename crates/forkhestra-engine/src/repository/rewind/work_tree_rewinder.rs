//! Surveys, makes and undoes rewinds.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::RewindError;
use super::file_placement::{FileModes, current_modes, parse_modes, place};
use super::head_state::{HeadRelation, HeadState, operation_under_way};
use super::obstacles::{DividedChanges, KnownPaths};
use super::rewind_record::{
    NewRecord, PENDING_DIRECTORY, RecordedTarget, RewindProgress, RewindRecord, RewindRecords,
    begin_pending,
};
use super::rewind_survey::{
    ExpectedState, RewindLabel, RewindScope, RewindSurvey, RewindTarget, UndoSurvey,
};
use super::saved_state::{
    exact_entries, keep_state, replace_entries, saved_reference, staged_tree, sync_objects,
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
    reader: SnapshotReader,
    observer: RepositoryObserver,
    directory: PathBuf,
    own_paths: OwnPaths,
    records: RewindRecords,
    run: String,
}

/// What an undo does with the index.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IndexTreatment {
    Keep,
    /// It is replaced by the copy that was made before the rewind.
    Restore,
}

/// The current state of the work tree.
struct CurrentState {
    tree: String,
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
        let observer = RepositoryObserver::new(scratch.to_path_buf(), objects);
        let records = RewindRecords::of(snapshots.persistent_directory);
        let run = snapshots.run.as_str().to_owned();
        Ok(Self { reader, observer, directory, own_paths, records, run })
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
        let current = self.observe()?;
        let session = session(&self.reader);
        let head = HeadState::read(&session)?;
        let head_relation = match scope {
            RewindScope::Everything => head.relation(&session, expected.head.as_deref())?,
            RewindScope::FilesOnly => HeadRelation::Same,
        };
        let changes = TreeChange::list(&session, &current.tree, &target.tree)?;
        let divided = self.divide(&session, changes, &current)?;
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

    /// Makes a rewind. If it fails, the state before it is restored.
    pub fn rewind(
        &mut self,
        survey: &RewindSurvey,
        label: RewindLabel,
    ) -> Result<RewindRecord, RewindError> {
        let number = self.records.next_number()?;
        let session = session(&self.reader);
        let scratch = begin_pending(&session.repository.git_dir, &self.run)?;
        // What can fail for lack of space comes before anything is changed.
        let prepared = self.prepare(&session, &scratch, number, survey, label);
        let (mut record, staged) = match prepared {
            Ok(prepared) => prepared,
            Err(error) => {
                self.forget_pending()?;
                return Err(error);
            }
        };
        if let Err(failure) = self.apply(&session, survey, &record, &staged) {
            return Err(self.roll_back(record, failure));
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
        let RewindTarget { tree, head } = survey.target.clone();
        let conversion = FileConversion::AsCheckout;
        let staged = StagedFiles::write(session, scratch, &tree, &survey.changes, conversion)?;
        let message = format!("before the rewind to {address}");
        let saved = self.exact_tree(session, scratch, survey)?;
        let saved = keep_state(session, &self.run, &number.to_string(), &saved, &message)?;
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
        session: &GitSession<'_>,
        survey: &RewindSurvey,
        record: &RewindRecord,
        staged: &StagedFiles,
    ) -> Result<(), RewindError> {
        if survey.scope == RewindScope::Everything {
            let reason = format!("forkhestra: rewind {} to {}", self.run, record.target.address);
            let (from, to) = (survey.head.commit.as_deref(), survey.target.head.as_deref());
            move_head(session, from, to, &reason)?;
        }
        place(&session.repository.top, &survey.changes, staged, &FileModes::new())?;
        match survey.scope {
            RewindScope::Everything => set_index(session, survey.target.head.as_deref())?,
            RewindScope::FilesOnly => refresh_index(session),
        }
        Ok(())
    }

    /// Restores the state before a rewind that failed. The index is the last thing that a rewind
    /// changes, so it is as before.
    fn roll_back(&mut self, record: RewindRecord, failure: RewindError) -> RewindError {
        let undone =
            self.survey_undo(record).and_then(|survey| self.restore(survey, IndexTreatment::Keep));
        let failure = Box::new(failure);
        match undone {
            Ok(()) => RewindError::RolledBack(failure),
            Err(rollback) => RewindError::HalfDone { failure, rollback: Box::new(rollback) },
        }
    }

    /// Finds out what the undo of a rewind would do.
    pub fn survey_undo(&mut self, record: RewindRecord) -> Result<UndoSurvey, RewindError> {
        self.index(record.number).remove_own_lock(&session(&self.reader))?;
        let current = self.observe()?;
        let session = session(&self.reader);
        let head = HeadState::read(&session)?;
        let is_cut_off = record.progress == RewindProgress::Started;
        let after = record.after_tree.as_ref().unwrap_or(&record.target.tree);
        let mut changed_since = self.differing(&session, after, &current.tree)?;
        if is_cut_off {
            // Each file may be as before or as after the rewind.
            let before = self.differing(&session, &record.before_tree, &current.tree)?;
            changed_since.retain(|path| before.contains(path));
        }
        let head_relation = match record.files_only {
            true => HeadRelation::Same,
            false if head.branch != record.branch => HeadRelation::Elsewhere,
            false if is_cut_off && head.commit == record.before_head => HeadRelation::Same,
            false => head.relation(&session, record.target.head.as_deref())?,
        };
        let is_staged =
            !record.files_only && !is_cut_off && staged_tree(&session, &head.commit)?.is_some();
        let changes = restoring_changes(&session, &record, &current.tree)?;
        let divided = self.divide(&session, changes, &current)?;
        Ok(UndoSurvey {
            record,
            changes: divided.made,
            tree: current.tree,
            head,
            operation: operation_under_way(&session)?,
            changed_since,
            is_staged,
            head_relation,
            obstacles: divided.obstacles,
        })
    }

    /// Undoes a rewind. If anything was changed since, the current state is kept first; its ref is
    /// returned.
    pub fn undo(&mut self, survey: UndoSurvey) -> Result<Option<String>, RewindError> {
        let session = session(&self.reader);
        let number = survey.record.number;
        let saved = match survey.changed_since.is_empty() && !survey.is_staged {
            true => None,
            false => {
                let scratch = begin_pending(&session.repository.git_dir, &self.run)?;
                let name = format!("{number}-undone");
                let message = format!("before the undo of rewind {number}");
                let entries = exact_entries(&session, &survey.changes)?;
                let exact = replace_entries(&session, &scratch, &survey.tree, &entries)?;
                keep_state(&session, &self.run, &name, &exact, &message)?;
                sync_objects(&session.repository.objects)?;
                Some(saved_reference(&self.run, &name))
            }
        };
        let index = match survey.record.files_only {
            true => IndexTreatment::Keep,
            false => IndexTreatment::Restore,
        };
        self.restore(survey, index)?;
        Ok(saved)
    }

    /// Restores the state before a rewind.
    fn restore(&self, survey: UndoSurvey, index: IndexTreatment) -> Result<(), RewindError> {
        let UndoSurvey { mut record, changes, head, .. } = survey;
        let session = session(&self.reader);
        let scratch = begin_pending(&session.repository.git_dir, &self.run)?;
        // Files of the rewind that was cut off.
        for left in ["files", "index", RESTORED_INDEX] {
            remove_tree_or_file(&scratch.join(left))?;
        }
        if record.progress == RewindProgress::Done {
            record.progress = RewindProgress::Started;
            self.records.write(&record)?;
        }
        let exact = FileConversion::Exact;
        let staged = StagedFiles::write(&session, &scratch, &record.saved, &changes, exact)?;
        let modes = self.records.modes(record.number);
        let modes = fs::read(&modes).map_err(RewindError::file(&modes))?;
        // A branch that the rewind did not move stays.
        if !record.files_only && head.commit == record.target.head {
            let reason = format!("forkhestra: undo the rewind of {}", self.run);
            move_head(&session, head.commit.as_deref(), record.before_head.as_deref(), &reason)?;
        }
        place(&session.repository.top, &changes, &staged, &parse_modes(&modes))?;
        match index {
            IndexTreatment::Keep => refresh_index(&session),
            IndexTreatment::Restore => self.index(record.number).restore(&session)?,
        }
        record.progress = RewindProgress::Undone;
        self.records.write(&record)?;
        self.forget_pending()
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

    fn observe(&mut self) -> Result<CurrentState, RewindError> {
        let session = session(&self.reader);
        let seen = self.observer.observe(&session, &self.directory, &self.own_paths)?;
        Ok(CurrentState { tree: seen.tree, left_out: seen.left_out })
    }

    fn divide(
        &self,
        session: &GitSession<'_>,
        changes: Vec<TreeChange>,
        current: &CurrentState,
    ) -> Result<DividedChanges, RewindError> {
        let sparse = sparse_paths(session)?;
        let known = KnownPaths { left_out: &current.left_out, sparse: &sparse };
        DividedChanges::of(session, changes, &known)
    }

    fn differing(
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

    fn index(&self, number: u32) -> SavedIndex {
        let restored = self.pending_directory().join(RESTORED_INDEX);
        SavedIndex { copy: self.records.index(number), restored }
    }

    fn pending_directory(&self) -> PathBuf {
        self.reader.repository.git_dir.join(PENDING_DIRECTORY)
    }
}

fn session(reader: &SnapshotReader) -> GitSession<'_> {
    let deadline = Instant::now() + TIMEOUT;
    GitSession { git: &reader.git, repository: &reader.repository, deadline }
}

/// The changes that restore the files that a rewind touched. A file whose content is as before for
/// git is written again: its bytes can differ.
fn restoring_changes(
    session: &GitSession<'_>,
    record: &RewindRecord,
    current: &str,
) -> Result<Vec<TreeChange>, RewindError> {
    let differing = TreeChange::list(session, current, &record.saved)?;
    let mut differing: HashMap<PathBuf, TreeChange> =
        differing.into_iter().map(|change| (change.path.clone(), change)).collect();
    let touched = TreeChange::list(session, &record.target.tree, &record.saved)?;
    let from_now = |change: TreeChange| match differing.remove(&change.path) {
        Some(change) => change,
        None => TreeChange { before: change.after.clone(), ..change },
    };
    Ok(touched.into_iter().map(from_now).collect())
}

/// Moves the checked-out branch from one commit to another, unless it has moved meanwhile.
fn move_head(
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
