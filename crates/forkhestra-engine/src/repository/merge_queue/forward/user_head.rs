//! Notices changes of the user's branch that the queue did not make.

use crate::repository::merge_queue::{MergeQueueError, QueueRepository};
use crate::repository::{HeadRelation, HeadState};

impl QueueRepository {
    /// The commit and the branch that are checked out in the user's work tree.
    pub fn user_head(&self) -> Result<HeadState, MergeQueueError> {
        Ok(HeadState::read(&self.session())?)
    }

    /// How the user's work tree relates to a recorded state: other commits or another branch were checked
    /// out by somebody else.
    pub fn user_head_since(&self, recorded: &HeadState) -> Result<HeadRelation, MergeQueueError> {
        let session = self.session();
        let found = HeadState::read(&session)?;
        if found.branch != recorded.branch {
            return Ok(HeadRelation::OtherBranch(recorded.name()));
        }
        Ok(found.relation(&session, recorded.commit.as_deref())?)
    }
}
