//! The state of a work tree at the last observation.

use crate::event::{Fingerprint, Observation};
use crate::id::LaneNumber;

/// The state of the user's work tree, or of that of a lane, at the last observation.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct ObservedTree {
    pub(super) lane: Option<LaneNumber>,
    pub(super) repository: Observation,
    /// The whole work tree.
    tree: Option<Fingerprint>,
    /// Whether the run was resumed since then, so that a person may have changed something.
    pub(super) resumed: bool,
}

impl ObservedTree {
    /// The state of a work tree that was never observed.
    pub(super) fn unknown(lane: Option<LaneNumber>) -> Self {
        Self { lane, ..Self::default() }
    }

    /// The state when a step begins.
    pub(super) fn begin(lane: Option<LaneNumber>, observation: &Observation) -> Self {
        let (repository, tree) = (observation.repository(), observation.tree.clone());
        Self { lane, repository, tree, resumed: false }
    }

    /// Takes the next observation. Returns whether it differs from the last one; none if either is
    /// unknown.
    pub(super) fn observe(&mut self, observation: &Observation) -> Option<bool> {
        // A difference since before a resume may be the work of a person.
        let changed = self.is_change(observation).filter(|changed| !(*changed && self.resumed));
        if observation.signals.is_some() || observation.tree.is_some() {
            self.resumed = false;
        }
        self.tree = observation.tree.clone().or_else(|| self.tree.take());
        if observation.signals.is_some() {
            self.repository = observation.repository();
        }
        changed
    }

    fn is_change(&self, observation: &Observation) -> Option<bool> {
        match (&self.repository.signals, &observation.signals) {
            (Some(before), Some(after)) => Some(before != after),
            _ => Some(self.tree.as_ref()? != observation.tree.as_ref()?),
        }
    }
}
