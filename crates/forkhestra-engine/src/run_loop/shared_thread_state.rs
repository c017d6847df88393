//! What the threads of all places of work have in common.

use crate::repository::SnapshotNumbers;
use crate::run_loop::loop_message::LoopSender;
use crate::run_loop::operator_notices::OperatorNotices;

/// What the threads of all places of work have in common.
#[derive(Debug, Clone)]
pub(crate) struct SharedThreadState {
    pub(crate) sender: LoopSender,
    /// The notices that were reported, each once in the whole run.
    pub(crate) notices: OperatorNotices,
    /// The numbers of snapshots, each given once in the whole run.
    pub(crate) snapshots: SnapshotNumbers,
}

impl SharedThreadState {
    pub(crate) fn new(sender: LoopSender) -> Self {
        let notices = OperatorNotices::new(sender.clone());
        Self { sender, notices, snapshots: SnapshotNumbers::default() }
    }
}
