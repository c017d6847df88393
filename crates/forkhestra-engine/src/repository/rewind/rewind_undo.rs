//! The undo of a rewind.

use std::collections::{HashMap, HashSet};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use forkhestra_core::time::Timestamp;

use super::RewindError;
use super::file_placement::file_stamps;
use super::head_state::{HeadRelation, HeadState, operation_under_way};
use super::rewind_execution::move_head;
use super::rewind_record::{RewindProgress, RewindRecord, UndoRecord, begin_pending};
use super::rewind_survey::UndoSurvey;
use super::saved_state::{
    exact_entries, replace_entries, save_state, saved_reference, staged_tree, sync_objects,
};
use super::tree_change::TreeChange;
use super::user_index::refresh_index;
use super::work_tree_file::{has_content, metadata_below};
use super::work_tree_rewinder::{WorkTreeRewinder, session, writing_session};
use crate::repository::{GitSession, text};

/// How an undo updates the index.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IndexUpdate {
    Keep,
    /// The copy that was made before the rewind replaces it.
    Restore,
}

impl WorkTreeRewinder {
    /// Finds out what the undo of a rewind would do.
    pub fn survey_undo(&mut self, record: RewindRecord) -> Result<UndoSurvey, RewindError> {
        self.index(record.number).remove_own_lock(&session(&self.reader))?;
        let mut current = self.observe()?;
        let session = session(&self.reader);
        let head = HeadState::read(&session)?;
        let is_interrupted = record.progress == RewindProgress::Started;
        let after = record.after_tree.as_ref().unwrap_or(&record.target.tree);
        current.tree = self.with_expected_entries(after, &current.tree)?;
        let mut changed_since = self.differing(&session, after, &current.tree)?;
        if is_interrupted {
            // Each file may be as before or as after the rewind.
            let before = self.differing(&session, &record.before_tree, &current.tree)?;
            changed_since.retain(|path| before.contains(path));
        }
        let head_relation = match record.files_only {
            _ if head.branch != record.branch => match &record.branch {
                Some(branch) => HeadRelation::OtherBranch(
                    branch.strip_prefix("refs/heads/").unwrap_or(branch).to_owned(),
                ),
                None => HeadRelation::Diverged,
            },
            true => HeadRelation::Same,
            false if is_interrupted && head.commit == record.before_head => HeadRelation::Same,
            false => head.relation(&session, record.target.head.as_deref())?,
        };
        let is_staged = !record.files_only && self.is_staged_since(&session, &record, &head)?;
        let changes = self.restoring_changes(&session, &record, &current.tree)?;
        let classified = self.classify(&session, changes, &current, &HashSet::new())?;
        Ok(UndoSurvey {
            record,
            changes: classified.made,
            tree: current.tree,
            head,
            operation: operation_under_way(&session)?,
            changed_since,
            is_staged,
            head_relation,
            obstacles: classified.obstacles,
        })
    }

    /// Whether something was staged since a rewind. The index of an interrupted one may be that of
    /// before or that of after.
    fn is_staged_since(
        &self,
        session: &GitSession<'_>,
        record: &RewindRecord,
        head: &HeadState,
    ) -> Result<bool, RewindError> {
        let after = match record.progress {
            RewindProgress::Started => &record.target.head,
            _ => &head.commit,
        };
        let Some(staged) = staged_tree(session, after)? else { return Ok(false) };
        if record.progress != RewindProgress::Started {
            return Ok(true);
        }
        let copy = self.records.index(record.number);
        let variables = [("GIT_INDEX_FILE", copy.into_os_string())];
        let before = text(&session.require_with(&variables, &["write-tree"])?);
        Ok(staged != before)
    }

    /// Undoes a rewind. If anything was changed since, the current state is saved first; its ref
    /// is returned.
    pub fn undo(
        &mut self,
        survey: UndoSurvey,
        at: Timestamp,
    ) -> Result<Option<String>, RewindError> {
        let session = session(&self.reader);
        let number = survey.record.number;
        let saved = match survey.changed_since.is_empty() && !survey.is_staged {
            true => None,
            false => {
                let scratch = begin_pending(&session.repository.git_dir, &self.run)?;
                let writer = writing_session(&self.reader);
                let name = self.free_name(&writer, &format!("{number}-undone"))?;
                let message = format!("before the undo of rewind {number}");
                let entries = exact_entries(&writer, &survey.changes)?;
                let exact = replace_entries(&writer, &scratch, &survey.tree, &entries)?;
                save_state(&writer, &self.run, &name, &exact, &message)?;
                sync_objects(&session.repository.objects)?;
                Some(saved_reference(&self.run, &name))
            }
        };
        let index = match survey.record.files_only {
            true => IndexUpdate::Keep,
            false => IndexUpdate::Restore,
        };
        self.restore(survey, index, at)?;
        Ok(saved)
    }

    /// A name for a saved state that none has yet: an undo can be interrupted and repeated.
    fn free_name(&self, session: &GitSession<'_>, name: &str) -> Result<String, RewindError> {
        let mut free = name.to_owned();
        for number in 2.. {
            let reference = saved_reference(&self.run, &free);
            if session.query(&["rev-parse", "--quiet", "--verify", &reference])?.is_none() {
                break;
            }
            free = format!("{name}-{number}");
        }
        Ok(free)
    }

    /// Restores the state before a rewind.
    fn restore(
        &self,
        survey: UndoSurvey,
        index: IndexUpdate,
        at: Timestamp,
    ) -> Result<(), RewindError> {
        let UndoSurvey { mut record, changes, head, .. } = survey;
        let session = session(&self.reader);
        let stamps = file_stamps(&session.repository.top, &changes);
        if record.progress == RewindProgress::Done {
            begin_pending(&session.repository.git_dir, &self.run)?;
            record.progress = RewindProgress::Started;
            self.records.write(&record)?;
        }
        let staged = self.restored_files(&session, &record, &changes)?;
        let modes = self.saved_modes(record.number)?;
        // A branch that the rewind did not move stays.
        if !record.files_only && head.commit == record.target.head {
            let reason = format!("forkhestra: undo the rewind of {}", self.run);
            move_head(&session, head.commit.as_deref(), record.before_head.as_deref(), &reason)?;
        }
        self.placement(&staged, &modes, &stamps).place(&changes)?;
        match index {
            IndexUpdate::Keep => refresh_index(&session),
            IndexUpdate::Restore => self.index(record.number).restore(&session)?,
        }
        record.progress = RewindProgress::Undone;
        let number = self.records.next_undo_number()?;
        record.undo = Some(UndoRecord { number, at: at.to_string() });
        self.records.write(&record)?;
        self.forget_pending()
    }

    /// The changes that restore the files that a rewind touched. A file whose content is as before for
    /// git is written again if its bytes differ. The trees also differ in files that the rewind did not
    /// touch: their bytes may be in neither tree.
    fn restoring_changes(
        &self,
        session: &GitSession<'_>,
        record: &RewindRecord,
        current: &str,
    ) -> Result<Vec<TreeChange>, RewindError> {
        let differing = TreeChange::list(session, current, &record.saved)?;
        let mut differing: HashMap<PathBuf, TreeChange> =
            differing.into_iter().map(|change| (change.path.clone(), change)).collect();
        let paths = self.records.changed_paths(record.number)?;
        let mut touched = TreeChange::list(session, &record.target.tree, &record.saved)?;
        touched.retain(|change| paths.as_ref().is_none_or(|paths| paths.contains(&change.path)));
        let (mut changes, mut equal) = (Vec::new(), Vec::new());
        for touched in touched {
            match (differing.remove(&touched.path), &touched.after, &touched.before) {
                (Some(change), _, _) => changes.push(change),
                (None, Some(entry), _) => {
                    equal.push(TreeChange { before: Some(entry.clone()), ..touched });
                }
                // What the rewind wrote, and git ignores by now, is removed again.
                (None, None, Some(written)) if has_content(session, &touched.path, written)? => {
                    changes.push(touched);
                }
                (None, None, _) => changes.push(TreeChange { before: None, ..touched }),
            }
        }
        let modes = self.saved_modes(record.number)?;
        let top = &session.repository.top;
        let exact = exact_entries(session, &equal)?;
        let other = exact.into_iter().filter(|(change, object)| {
            let mode = metadata_below(top, &change.path).ok().flatten();
            let mode = mode.map(|metadata| metadata.permissions().mode() & 0o7777);
            let is_other_mode = modes.get(&change.path).is_some_and(|saved| Some(*saved) != mode);
            change.object() != Some(object) || is_other_mode
        });
        changes.extend(other.map(|(change, _)| change.clone()));
        Ok(changes)
    }
}
