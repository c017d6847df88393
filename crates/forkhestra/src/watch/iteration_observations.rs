//! Observations of a repository before and after each iteration.

use std::collections::HashMap;

use forkhestra_core::event::{Event, EventKind, Observation};
use forkhestra_core::id::UnitId;

/// The observations before and after each finished iteration, as far as events contain them.
#[derive(Default)]
pub(super) struct IterationObservations {
    /// The latest observation.
    last: Observation,
    seen: HashMap<UnitId, (Observation, Observation)>,
}

impl IterationObservations {
    /// Applies an event.
    pub(super) fn apply(&mut self, event: &Event) {
        match &event.kind {
            EventKind::StepStarted { observation, .. } => self.last = repository(observation),
            EventKind::IterationFinished { unit, report } => {
                let after = repository(&report.observation);
                if after.signals.is_none() {
                    return;
                }
                let before = std::mem::replace(&mut self.last, after.clone());
                self.seen.insert(*unit, (before, after));
            }
            _ => {}
        }
    }

    /// The observations before and after an iteration, if it is finished and was observed.
    pub(super) fn of(&self, unit: UnitId) -> Option<&(Observation, Observation)> {
        self.seen.get(&unit)
    }
}

/// The repository part of an observation.
fn repository(observation: &Observation) -> Observation {
    let (signals, snapshot) = (observation.signals.clone(), observation.snapshot.clone());
    Observation { signals, snapshot, ..Observation::default() }
}
