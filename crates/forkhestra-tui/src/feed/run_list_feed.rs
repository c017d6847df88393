//! The list of runs, as long as it is shown.

use crate::msg::Msg;
use crate::run_source::{RunListItem, RunScope, RunSource};

/// The list of runs that is shown.
pub(super) struct RunListFeed {
    scope: RunScope,
    /// What the screens know.
    sent: Option<Result<Vec<RunListItem>, String>>,
}

impl RunListFeed {
    pub(super) const fn new(scope: RunScope) -> Self {
        Self { scope, sent: None }
    }

    /// The list, if it is another one by now.
    pub(super) fn poll(&mut self, world: &dyn RunSource) -> Option<Msg> {
        let runs = world.runs(self.scope);
        if self.sent.as_ref() == Some(&runs) {
            return None;
        }
        self.sent = Some(runs.clone());
        Some(Msg::Runs(runs))
    }
}
