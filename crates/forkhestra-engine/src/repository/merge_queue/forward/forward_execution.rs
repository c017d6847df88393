//! Makes a move that nothing is in the way of, and takes it back if it fails.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use super::HeldReason;
use super::forward_survey::ForwardSurvey;
use super::pending_forward::{ForwardRecord, PendingForward};
use super::replaced_files::ReplacedFiles;
use crate::repository::merge_queue::{MergeQueueError, QueueRepository};
use crate::repository::rewind::{
    FileConversion, FileModes, FilePlacement, FileStamps, SavedIndex, StagedFiles,
};
use crate::repository::{GitSession, RewindError};

/// A move whose index is locked.
pub(super) struct ForwardExecution<'a> {
    pub(super) queue: &'a QueueRepository,
    pub(super) pending: &'a PendingForward,
    pub(super) record: &'a ForwardRecord,
    pub(super) survey: &'a ForwardSurvey,
}

/// What is prepared before anything is changed.
struct PreparedForward<'a> {
    staged: StagedFiles,
    /// The index that replaces that of the user.
    index: PathBuf,
    /// A link to the index of the user.
    old_index: PathBuf,
    replaced: ReplacedFiles<'a>,
    stamps: FileStamps,
}

/// Why a move was taken back.
enum ForwardFailure {
    Held(HeldReason),
    Error(MergeQueueError),
}

impl<E: Into<MergeQueueError>> From<E> for ForwardFailure {
    fn from(error: E) -> Self {
        match error.into() {
            MergeQueueError::WorkTree(RewindError::ChangedMeanwhile(path)) => {
                Self::Held(HeldReason::ChangedMeanwhile(path.display().to_string()))
            }
            error => Self::Error(error),
        }
    }
}

impl ForwardExecution<'_> {
    /// Makes the move. If it fails, everything is as before.
    pub(super) fn run(&self) -> Result<Option<HeldReason>, MergeQueueError> {
        let session = self.queue.session();
        let prepared = match self.prepare(&session) {
            Ok(prepared) => prepared,
            Err(ForwardFailure::Held(reason)) => return Ok(Some(reason)),
            Err(ForwardFailure::Error(error)) => return Err(error),
        };
        self.pending.record(self.record)?;
        let mut placed = Vec::new();
        match self.apply(&session, &prepared, &mut placed) {
            Ok(()) => Ok(None),
            Err(failure) => {
                prepared.replaced.restore(&placed)?;
                match failure {
                    ForwardFailure::Held(reason) => Ok(Some(reason)),
                    ForwardFailure::Error(error) => Err(error),
                }
            }
        }
    }

    /// Writes the new files and the new index. What can fail for lack of space comes first.
    fn prepare(&self, session: &GitSession<'_>) -> Result<PreparedForward<'_>, ForwardFailure> {
        let (pending, changes) = (&self.pending.directory, &self.survey.changes);
        let conversion = FileConversion::AsCheckout;
        let staged = StagedFiles::write(session, pending, &self.record.to, changes, conversion)?;
        let (index, old_index) = (pending.join("new-index"), pending.join("old-index"));
        let saved = SavedIndex { copy: index.clone(), restored: PathBuf::new() };
        saved.save(session)?;
        let user_index = &session.repository.index;
        if user_index.exists() {
            fs::hard_link(user_index, &old_index).map_err(MergeQueueError::file(user_index))?;
        }
        let ForwardRecord { from, to, .. } = self.record;
        session.require_with(&of_index(&index), &["read-tree", "-m", "-i", from, to])?;
        let top = self.queue.top();
        let kept = ReplacedFiles::keep(top, pending, changes, &self.survey.stamps)?;
        let (replaced, stamps) = kept.map_err(|path| {
            ForwardFailure::Held(HeldReason::ChangedMeanwhile(path.display().to_string()))
        })?;
        Ok(PreparedForward { staged, index, old_index, replaced, stamps })
    }

    /// Moves the files, then the index, then the branch.
    fn apply(
        &self,
        session: &GitSession<'_>,
        prepared: &PreparedForward<'_>,
        placed: &mut Vec<PathBuf>,
    ) -> Result<(), ForwardFailure> {
        let mut placement = FilePlacement {
            top: &session.repository.top,
            staged: &prepared.staged,
            modes: &FileModes::new(),
            stamps: &prepared.stamps,
            working_directory: &self.queue.directory,
            done: Vec::new(),
        };
        let result = placement.place(&self.survey.changes);
        *placed = placement.done;
        result?;
        // Only the speed of the next `git status` depends on it.
        let refresh = ["update-index", "-q", "--refresh"].map(std::ffi::OsStr::new);
        let _ = session.attempt_with(&of_index(&prepared.index), &refresh);
        let index = &session.repository.index;
        fs::rename(&prepared.index, index).map_err(MergeQueueError::file(index))?;
        self.move_branch(session).inspect_err(|_| {
            // If this fails as well, the index has what has landed, and the record stays.
            let _ = fs::rename(&prepared.old_index, index);
        })
    }

    /// Moves the branch by compare-and-swap.
    fn move_branch(&self, session: &GitSession<'_>) -> Result<(), ForwardFailure> {
        let ForwardRecord { branch, from, to, .. } = self.record;
        let reason = format!("forkhestra: bring forward ({})", self.queue.run);
        let moved = session.require(&["update-ref", "-m", &reason, branch, to, from]);
        let Err(error) = moved else { return Ok(()) };
        match session.head()? {
            Some(found) if found == *from => Err(error.into()),
            _ => Err(ForwardFailure::Held(HeldReason::ChangedMeanwhile("the branch".to_owned()))),
        }
    }
}

fn of_index(index: &Path) -> [(&'static str, OsString); 1] {
    [("GIT_INDEX_FILE", index.into())]
}
