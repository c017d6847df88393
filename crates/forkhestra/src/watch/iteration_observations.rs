//! What was seen of a repository before and after each iteration.

use std::collections::HashMap;

use forkhestra_core::event::{Event, EventKind, Observation};
use forkhestra_core::id::UnitId;

/// What was seen before and after each finished iteration, as far as events tell.
#[derive(Default)]
pub(super) struct IterationObservations {
    /// What was seen last.
    last: Observation,
    seen: HashMap<UnitId, (Observation, Observation)>,
}

impl IterationObservations {
    /// Adds an event.
    pub(super) fn apply(&mut self, event: &Event) {
        match &event.kind {
            EventKind::StepStarted { sight, .. } => self.last = repository(sight),
            EventKind::IterationFinished { unit, report } => {
                let after = repository(&report.sight);
                if after.signals.is_none() {
                    return;
                }
                let before = std::mem::replace(&mut self.last, after.clone());
                self.seen.insert(*unit, (before, after));
            }
            _ => {}
        }
    }

    /// What was seen before and after an iteration, if it is finished and anything was.
    pub(super) fn of(&self, unit: UnitId) -> Option<&(Observation, Observation)> {
        self.seen.get(&unit)
    }
}

/// What a look says of the repository, and nothing else.
fn repository(sight: &Observation) -> Observation {
    let (signals, snapshot) = (sight.signals.clone(), sight.snapshot.clone());
    Observation { signals, snapshot, ..Observation::default() }
}
