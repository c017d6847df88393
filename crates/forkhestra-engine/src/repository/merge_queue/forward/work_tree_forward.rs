//! Brings the user's work tree forward.

use super::forward_execution::ForwardExecution;
use super::forward_survey::ForwardSurvey;
use super::pending_forward::{ForwardRecord, PendingForward};
use super::{ForwardOutcome, ForwardRequest, HeldReason};
use crate::repository::merge_queue::{MergeQueueError, QueueRepository};
use crate::repository::rewind::unfinished_operation;
use crate::repository::{HeadState, pending_rewind};

/// The commit to which the branch is moved, or why it is not.
enum ForwardTarget {
    UpToDate,
    Commit(String),
    Held(HeldReason),
}

impl QueueRepository {
    /// Brings the user's branch, index and work tree forward to the integration commit. What is not
    /// committed is kept; if anything is in the way, nothing at all is changed.
    pub fn bring_forward(
        &self,
        request: &ForwardRequest<'_>,
    ) -> Result<ForwardOutcome, MergeQueueError> {
        let session = self.session();
        let pending = PendingForward::of(session.repository);
        let interrupted = pending.recover()?;
        let head = HeadState::read(&session)?;
        if let Some(reason) = self.unsuitable(&head, request) {
            return Ok(ForwardOutcome::Held { reasons: vec![reason] });
        }
        let head = head.commit.unwrap_or_default();
        let mut completed = ForwardOutcome::UpToDate;
        if let Some(record) = interrupted
            && record.branch == request.branch
            && record.from == head
        {
            completed = self.make_move(&pending, &record, request)?;
        }
        pending.finish()?;
        let from = match &completed {
            ForwardOutcome::Moved { to, .. } => to.clone(),
            _ => head,
        };
        match self.forward_target(&from, request)? {
            ForwardTarget::UpToDate => Ok(completed),
            ForwardTarget::Held(reason) => Ok(ForwardOutcome::Held { reasons: vec![reason] }),
            ForwardTarget::Commit(to) => {
                let record = ForwardRecord::new(request.branch, &from, &to);
                let outcome = self.make_move(&pending, &record, request)?;
                pending.finish()?;
                Ok(outcome)
            }
        }
    }

    /// Why nothing can be done in this repository now.
    fn unsuitable(&self, head: &HeadState, request: &ForwardRequest<'_>) -> Option<HeldReason> {
        let repository = self.session().repository;
        match &head.branch {
            None => return Some(HeldReason::DetachedHead),
            Some(found) if found != request.branch => {
                let (expected, found) = (request.branch.to_owned(), found.clone());
                return Some(HeldReason::OtherBranch { expected, found });
            }
            Some(_) => {}
        }
        if head.commit.is_none() {
            return Some(HeldReason::NoCommit);
        }
        if pending_rewind(&repository.top).is_some() {
            return Some(HeldReason::Operation("a rewind".to_owned()));
        }
        let operation = unfinished_operation(&repository.git_dir)?;
        Some(HeldReason::Operation(operation.to_owned()))
    }

    /// The commit with what the user has committed and what has landed.
    fn forward_target(
        &self,
        from: &str,
        request: &ForwardRequest<'_>,
    ) -> Result<ForwardTarget, MergeQueueError> {
        let landed = request.commit;
        let Some(base) = self.merge_base(from, landed)? else {
            return Ok(ForwardTarget::Held(HeldReason::Unrelated));
        };
        if base == landed {
            return Ok(ForwardTarget::UpToDate);
        }
        if base == from {
            return Ok(ForwardTarget::Commit(landed.to_owned()));
        }
        let merge = self.merge_trees(from, landed)?;
        if !merge.conflicts.is_empty() {
            let paths = merge.conflicts.into_keys().collect();
            return Ok(ForwardTarget::Held(HeldReason::Conflict(paths)));
        }
        let (message, signature) = (&request.message, &request.signature);
        let commit = self.commit_tree(&merge.tree, &[from, landed], message, signature)?;
        Ok(ForwardTarget::Commit(commit))
    }

    /// Moves from one commit to another, unless something is in the way. After an error the record stays,
    /// so that the next call makes the rest.
    fn make_move(
        &self,
        pending: &PendingForward,
        record: &ForwardRecord,
        request: &ForwardRequest<'_>,
    ) -> Result<ForwardOutcome, MergeQueueError> {
        let outcome = self.move_with_lock(pending, record, request);
        pending.unlock()?;
        outcome
    }

    fn move_with_lock(
        &self,
        pending: &PendingForward,
        record: &ForwardRecord,
        request: &ForwardRequest<'_>,
    ) -> Result<ForwardOutcome, MergeQueueError> {
        if let Err(lock) = pending.begin()? {
            return Ok(ForwardOutcome::Held { reasons: vec![HeldReason::IndexLocked(lock)] });
        }
        let current = HeadState::read(&self.session())?;
        let is_expected = current.commit.as_ref() == Some(&record.from)
            && current.branch.as_ref() == Some(&record.branch);
        if !is_expected {
            let reason = HeldReason::ChangedMeanwhile("the branch".to_owned());
            return Ok(ForwardOutcome::Held { reasons: vec![reason] });
        }
        let survey = ForwardSurvey::take(self, (&record.from, &record.to), request.live_paths)?;
        if !survey.reasons.is_empty() {
            return Ok(ForwardOutcome::Held { reasons: survey.reasons });
        }
        let execution = ForwardExecution { queue: self, pending, record, survey: &survey };
        match execution.run()? {
            Some(reason) => Ok(ForwardOutcome::Held { reasons: vec![reason] }),
            None => Ok(ForwardOutcome::Moved {
                from: record.from.clone(),
                to: record.to.clone(),
                files: survey.changes.len(),
            }),
        }
    }
}
