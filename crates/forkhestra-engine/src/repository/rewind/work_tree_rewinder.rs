//! Surveys, makes and undoes rewinds.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use forkhestra_core::time::Timestamp;

use super::RewindError;
use super::file_placement::{FileModes, current_modes, parse_modes, place};
use super::head_state::{HeadRelation, HeadState, LOCK_TIMEOUT, operation_under_way};
use super::obstacles::{DividedChanges, KnownPaths};
use super::rewind_record::{
    NewRecord, PENDING_DIRECTORY, RecordedTarget, RewindProgress, RewindRecord, RewindRecords,
    begin_pending,
};
use super::staged_files::{FileConversion, StagedFiles};
use super::tree_change::{TreeChange, TreeEntryKind};
use crate::repository::index_lock::wait_for_lock;
use crate::repository::snapshot::{REF_NAMESPACE, SnapshotLocation, SnapshotReader, identity};
use crate::repository::work_survey::empty_tree;
use crate::repository::{
    GitSession, ObjectTarget, RepositoryObserver, copy_index, names, remove_tree, text,
};
use crate::secret_finder::SecretFinder;
use crate::work_tree::own_paths::{OwnPaths, real_path};

/// Upper bound for one command of git.
const TIMEOUT: Duration = Duration::from_secs(600);

/// The namespace of saved states below that of the run.
const SAVED_STATES: &str = "before-rewind";

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

/// The state to which a rewind leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewindTarget {
    pub tree: String,
    /// The commit that was checked out; `None` before the first one.
    pub head: Option<String>,
}

/// The state that a run, a rewind or an undo left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpectedState {
    pub tree: String,
    pub head: Option<String>,
}

/// What a rewind changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RewindScope {
    Everything,
    /// The branch and the index stay.
    FilesOnly,
}

/// How a rewind is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewindLabel {
    /// How users name the target.
    pub address: String,
    /// The number of its snapshot.
    pub snapshot: u32,
    pub at: Timestamp,
}

/// What a rewind would do, and what stands against it.
#[derive(Debug)]
pub struct RewindSurvey {
    target: RewindTarget,
    scope: RewindScope,
    tree: String,
    changes: Vec<TreeChange>,
    /// Files that git does not know, which have the content of the target already.
    same: Vec<TreeChange>,
    /// What is checked out.
    pub head: HeadState,
    /// An operation of git that is under way, in words.
    pub operation: Option<String>,
    /// Files that differ from the expected state, relative to the top.
    pub changed_since: Vec<PathBuf>,
    pub head_relation: HeadRelation,
    /// Ignored files at places where the target has others.
    pub obstacles: BTreeSet<PathBuf>,
    /// Paths that stay as they are: submodules, and files that are in no snapshot.
    pub left: Vec<PathBuf>,
}

/// What an undo would do, and what stands against it.
#[derive(Debug)]
pub struct UndoSurvey {
    record: RewindRecord,
    changes: Vec<TreeChange>,
    /// The tree of the current state.
    tree: String,
    pub head: HeadState,
    pub operation: Option<String>,
    /// Files that differ from what the rewind left.
    pub changed_since: Vec<PathBuf>,
    /// Whether something was staged since.
    pub is_staged: bool,
    /// Whether the branch is where the rewind left it.
    pub head_relation: HeadRelation,
    pub obstacles: BTreeSet<PathBuf>,
}

impl RewindSurvey {
    /// The number of files that are written or removed.
    pub fn file_count(&self) -> usize {
        self.changes.len()
    }

    /// The files that are written or removed, relative to the top.
    pub fn files(&self) -> impl Iterator<Item = (&Path, FileEffect)> {
        self.changes.iter().map(|change| (&*change.path, FileEffect::of(change)))
    }

    /// The commit to which the branch is moved, if it is moved.
    pub fn moves_branch(&self) -> bool {
        self.scope == RewindScope::Everything && self.head.commit != self.target.head
    }

    /// Whether nothing has to be done.
    pub fn is_nothing(&self) -> bool {
        self.changes.is_empty() && !self.moves_branch()
    }
}

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileEffect {
    Created,
    Changed,
    Removed,
}

impl FileEffect {
    const fn of(change: &TreeChange) -> Self {
        match (&change.before, &change.after) {
            (None, _) => Self::Created,
            (_, None) => Self::Removed,
            _ => Self::Changed,
        }
    }
}

impl UndoSurvey {
    /// The rewind that is undone.
    pub const fn record(&self) -> &RewindRecord {
        &self.record
    }

    pub fn file_count(&self) -> usize {
        self.changes.len()
    }
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
        let saved = self.keep(session, &number.to_string(), &saved, &message)?;
        let modes = current_modes(&session.repository.top, &survey.changes);
        self.records.write_file(&self.records.modes(number), &modes)?;
        self.save_index(session, number)?;
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
        self.remove_own_lock(&session(&self.reader))?;
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
                self.keep(&session, &name, &exact, &message)?;
                sync_objects(&session.repository.objects)?;
                Some(self.saved_reference(&name))
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
        for left in ["files", "index", "restored-index"] {
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
            IndexTreatment::Restore => self.restore_index(&session, record.number)?,
        }
        record.progress = RewindProgress::Undone;
        self.records.write(&record)?;
        self.forget_pending()
    }

    /// Creates a commit with a tree and a ref for it. What is staged is kept with it.
    fn keep(
        &self,
        session: &GitSession<'_>,
        name: &str,
        tree: &str,
        message: &str,
    ) -> Result<String, RewindError> {
        let message = format!("forkhestra run {}: {message}", self.run);
        let commit = |tree: &str, parents: &[&str]| {
            let mut args = vec!["commit-tree", "-m", &message];
            args.extend(parents.iter().flat_map(|parent| ["-p", parent]));
            args.push(tree);
            session.require_with(&identity(), &args).map(|output| text(&output))
        };
        let head = session.head()?;
        let staged = staged_tree(session, &head)?;
        let staged = staged.map(|tree| commit(&tree, &[])).transpose()?;
        let parents: Vec<&str> = head.iter().chain(&staged).map(String::as_str).collect();
        let saved = commit(tree, &parents)?;
        session.require(&["update-ref", &self.saved_reference(name), &saved])?;
        Ok(saved)
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

    /// Copies the index of the user. One that is split is written as a whole.
    fn save_index(&self, session: &GitSession<'_>, number: u32) -> Result<(), RewindError> {
        let copy = self.records.index(number);
        copy_index(&session.repository.index, &copy).map_err(RewindError::file(&copy))?;
        if copy.exists() && is_split(&session.repository.git_dir) {
            let variables = [("GIT_INDEX_FILE", copy.clone().into_os_string())];
            session.require_with(&variables, &["update-index", "--force-write-index"])?;
        }
        let sync = || if copy.exists() { File::open(&copy)?.sync_all() } else { Ok(()) };
        sync().map_err(RewindError::file(&copy))
    }

    /// Replaces the index by its copy. Its lock is a link to a file of ours, so that it is known as
    /// ours if we are killed before it is renamed.
    fn restore_index(&self, session: &GitSession<'_>, number: u32) -> Result<(), RewindError> {
        let (copy, index) = (self.records.index(number), &session.repository.index);
        let restore = || {
            if !copy.exists() {
                return match fs::remove_file(index) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                    _ => Ok(()),
                };
            }
            let ours = self.restored_index();
            fs::copy(&copy, &ours)?;
            File::open(&ours)?.sync_all()?;
            let lock = index.with_added_extension("lock");
            fs::hard_link(&ours, &lock)?;
            fs::rename(&lock, index)
        };
        wait_for_index(session)?;
        restore().map_err(RewindError::file(index))?;
        refresh_index(session);
        Ok(())
    }

    /// Removes a lock of the index that an undo has left when it was killed.
    fn remove_own_lock(&self, session: &GitSession<'_>) -> Result<(), RewindError> {
        let lock = session.repository.index.with_added_extension("lock");
        let file = |path: &Path| fs::symlink_metadata(path).map(|it| (it.dev(), it.ino())).ok();
        let is_ours = file(&lock).is_some_and(|lock| file(&self.restored_index()) == Some(lock));
        match is_ours {
            true => fs::remove_file(&lock).map_err(RewindError::file(&lock)),
            false => Ok(()),
        }
    }

    /// The copy of the index that becomes the index.
    fn restored_index(&self) -> PathBuf {
        self.pending_directory().join("restored-index")
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

    fn saved_reference(&self, name: &str) -> String {
        format!("{REF_NAMESPACE}/{}/{SAVED_STATES}/{name}", self.run)
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

/// Lets the index of the user have the files of a commit.
fn set_index(session: &GitSession<'_>, head: Option<&str>) -> Result<(), RewindError> {
    wait_for_index(session)?;
    match head {
        Some(head) => session.require(&["read-tree", "--reset", head])?,
        None => session.require(&["read-tree", "--empty"])?,
    };
    refresh_index(session);
    Ok(())
}

/// Notes the times of files in the index, so that git need not read them again.
fn refresh_index(session: &GitSession<'_>) {
    let args = ["update-index", "-q", "--refresh"].map(OsStr::new);
    // Only the speed of the next `git status` depends on it.
    let _ = session.attempt_with(&[], &args);
}

/// Waits for another git process that has the index locked.
fn wait_for_index(session: &GitSession<'_>) -> Result<(), RewindError> {
    let is_locked = |lock: PathBuf| {
        RewindError::Git(format!("another git process has the index locked: {}", lock.display()))
    };
    wait_for_lock(&session.repository.index, LOCK_TIMEOUT).map_err(is_locked)
}

/// The tree of what is staged, if it differs from that of the commit.
fn staged_tree(
    session: &GitSession<'_>,
    head: &Option<String>,
) -> Result<Option<String>, RewindError> {
    let staged = text(&session.require(&["write-tree"])?);
    let committed = match head {
        Some(head) => text(&session.require(&["rev-parse", &format!("{head}^{{tree}}")])?),
        None => empty_tree(session)?,
    };
    Ok((staged != committed).then_some(staged))
}

/// The files that changes replace or remove, each with the object of its bytes.
fn exact_entries<'a>(
    session: &GitSession<'_>,
    changes: &'a [TreeChange],
) -> Result<Vec<(&'a TreeChange, String)>, RewindError> {
    let kind = |change: &TreeChange| change.before.as_ref().map(|entry| entry.kind);
    let is_file = |change: &&TreeChange| {
        matches!(kind(change), Some(TreeEntryKind::File | TreeEntryKind::Executable))
    };
    let is_link = |change: &&TreeChange| kind(change) == Some(TreeEntryKind::Link);
    let files: Vec<&TreeChange> = changes.iter().filter(is_file).collect();
    let links = changes.iter().filter(is_link);
    let links = links.filter_map(|link| Some((link, link.object()?.clone())));
    if files.is_empty() {
        return Ok(links.collect());
    }
    let paths: Vec<u8> = files.iter().flat_map(|change| quoted_line(&change.path)).collect();
    let args = ["hash-object", "-w", "--no-filters", "--stdin-paths"];
    let objects = text(&session.send_input(&[], &args, &paths)?);
    let objects = objects.lines().map(str::to_owned);
    Ok(files.into_iter().zip(objects).chain(links).collect())
}

/// A tree with other objects for some of its entries.
fn replace_entries(
    session: &GitSession<'_>,
    scratch: &Path,
    tree: &str,
    entries: &[(&TreeChange, String)],
) -> Result<String, RewindError> {
    if entries.is_empty() {
        return Ok(tree.to_owned());
    }
    let mut input = Vec::new();
    for (change, object) in entries {
        let mode = match change.before.as_ref().map(|entry| entry.kind) {
            Some(TreeEntryKind::Executable) => "100755",
            Some(TreeEntryKind::Link) => "120000",
            _ => "100644",
        };
        input.extend(format!("{mode} {object} 0\t").bytes());
        input.extend(change.path.as_os_str().as_bytes().iter().chain([&0]));
    }
    let index = scratch.join("exact-index");
    let variables: [(&'static str, OsString); 1] = [("GIT_INDEX_FILE", index.into())];
    session.require_with(&variables, &["read-tree", "--no-sparse-checkout", tree])?;
    session.send_input(&variables, &["update-index", "-z", "--index-info"], &input)?;
    Ok(text(&session.require_with(&variables, &["write-tree"])?))
}

/// A path in a list of lines, quoted if it could be mistaken.
fn quoted_line(path: &Path) -> Vec<u8> {
    let bytes = path.as_os_str().as_bytes();
    if !bytes.starts_with(b"\"") && !bytes.contains(&b'\n') {
        return [bytes, b"\n"].concat();
    }
    let mut line = vec![b'"'];
    for byte in bytes {
        match byte {
            b'"' | b'\\' => line.extend([b'\\', *byte]),
            b'\n' => line.extend(b"\\n"),
            _ => line.push(*byte),
        }
    }
    line.extend(b"\"\n");
    line
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

/// Whether the index has a part in another file.
fn is_split(git_dir: &Path) -> bool {
    let Ok(entries) = fs::read_dir(git_dir) else { return false };
    entries.flatten().any(|entry| entry.file_name().as_bytes().starts_with(b"sharedindex."))
}

/// Waits until all objects are on the disk: the files that they are copies of are replaced next.
fn sync_objects(objects: &Path) -> Result<(), RewindError> {
    let sync = || {
        let directory = File::open(objects)?;
        #[cfg(target_os = "linux")]
        rustix::fs::syncfs(&directory)?;
        directory.sync_all()
    };
    sync().map_err(RewindError::file(objects))
}

fn remove_tree_or_file(path: &Path) -> Result<(), RewindError> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => remove_tree(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    };
    removed.map_err(RewindError::file(path))
}
