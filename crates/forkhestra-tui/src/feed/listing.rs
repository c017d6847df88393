//! The list of runs, as long as it is shown.

use crate::msg::Msg;
use crate::world::{Listed, Scope, World};

/// The list of runs that is shown.
pub(super) struct Listing {
    scope: Scope,
    /// What the screens know.
    told: Option<Result<Vec<Listed>, String>>,
}

impl Listing {
    pub(super) const fn new(scope: Scope) -> Self {
        Self { scope, told: None }
    }

    /// The list, if it is another one by now.
    pub(super) fn news(&mut self, world: &dyn World) -> Option<Msg> {
        let runs = world.runs(self.scope);
        if self.told.as_ref() == Some(&runs) {
            return None;
        }
        self.told = Some(runs.clone());
        Some(Msg::Runs(runs))
    }
}
