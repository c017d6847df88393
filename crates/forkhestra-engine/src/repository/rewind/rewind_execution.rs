//! Makes a rewind, and rolls it back if it fails.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::RewindError;
use super::file_placement::{
    FileModes, FilePlacement, FileStamps, current_modes, file_stamps, parse_modes,
};
use super::rewind_record::{
    NewRecord, RecordedTarget, RewindProgress, RewindRecord, begin_pending,
};
use super::rewind_survey::{RewindLabel, RewindScope, RewindSurvey, RewindTarget};
use super::saved_state::{
    exact_entries, replace_entries, save_state, saved_reference, sync_objects,
};
use super::staged_files::{FileConversion, StagedFiles};
use super::tree_change::{TreeChange, zero_ended};
use super::user_index::{SavedIndex, refresh_index, set_index};
use super::work_tree_rewinder::{WorkTreeRewinder, session, writing_session};
use crate::repository::{GitSession, remove_tree};

/// The file in the directory of a pending rewind that becomes the index.
const RESTORED_INDEX: &str = "restored-index";

/// How far a rewind got.
#[derive(Default)]
struct RewindSteps {
    is_branch_moved: bool,
    /// The paths that are replaced or removed.
    placed: Vec<PathBuf>,
}

impl WorkTreeRewinder {
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
                    RewindError::RollbackFailed { failure, rollback: Box::new(rollback) }
                }
            });
        }
        record.progress = RewindProgress::Done;
        self.records.write(&record)?;
        self.forget_pending()?;
        // With files that git ignored before, it can differ from the tree of the target.
        record.after_tree = Some(self.observe_anew()?.tree);
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
        let saved = save_state(&writer, &self.run, &number.to_string(), &saved, &message)?;
        let modes = current_modes(&session.repository.top, &survey.changes);
        self.records.write_file(&self.records.modes(number), &modes)?;
        let paths = zero_ended(survey.changes.iter());
        self.records.write_file(&self.records.paths(number), &paths)?;
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

    /// Rolls back the steps of a rewind that failed. The index is the last thing that a rewind
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
        // Files of the interrupted rewind.
        for left in ["files", "index", RESTORED_INDEX] {
            remove_tree_or_file(&scratch.join(left))?;
        }
        StagedFiles::write(session, &scratch, &record.saved, changes, FileConversion::Exact)
    }

    pub(super) fn saved_modes(&self, number: u32) -> Result<FileModes, RewindError> {
        let path = self.records.modes(number);
        Ok(parse_modes(&fs::read(&path).map_err(RewindError::file(&path))?))
    }

    /// A tree of the current state with the exact bytes of the files that a rewind changes: git may
    /// have converted their line ends.
    fn exact_tree(
        &self,
        session: &GitSession<'_>,
        scratch: &Path,
        survey: &RewindSurvey,
    ) -> Result<String, RewindError> {
        let mut entries = exact_entries(session, &survey.changes)?;
        entries.retain(|(entry, object)| entry.object() != Some(object));
        replace_entries(session, scratch, &survey.tree, &entries)
    }

    pub(super) fn index(&self, number: u32) -> SavedIndex {
        let restored = self.pending_directory().join(RESTORED_INDEX);
        SavedIndex { copy: self.records.index(number), restored }
    }
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

fn remove_tree_or_file(path: &Path) -> Result<(), RewindError> {
    let removed = match fs::symlink_metadata(path) {
        Ok(metadata) if metadata.is_dir() => remove_tree(path),
        Ok(_) => fs::remove_file(path),
        Err(_) => Ok(()),
    };
    removed.map_err(RewindError::file(path))
}
