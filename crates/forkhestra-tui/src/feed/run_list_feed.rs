//! The feed of the run list.

use crate::msg::Msg;
use crate::run_source::{RunListItem, RunScope, RunSource};

/// The feed of the run list.
pub(super) struct RunListFeed {
    scope: RunScope,
    /// The last value sent to the screens.
    sent: Option<Result<Vec<RunListItem>, String>>,
}

impl RunListFeed {
    pub(super) const fn new(scope: RunScope) -> Self {
        Self { scope, sent: None }
    }

    /// The list, if it has changed.
    pub(super) fn poll(&mut self, source: &dyn RunSource) -> Option<Msg> {
        let runs = source.runs(self.scope);
        if self.sent.as_ref() == Some(&runs) {
            return None;
        }
        self.sent = Some(runs.clone());
        Some(Msg::Runs(runs))
    }
}
