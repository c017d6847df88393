//! What was seen of a repository before and after each iteration.

use std::collections::HashMap;

use forkhestra_core::event::{Event, EventKind, Sight};
use forkhestra_core::id::UnitId;

/// What was seen before and after each finished iteration, as far as events tell.
#[derive(Default)]
pub(super) struct IterationSights {
    /// What was seen last.
    last: Sight,
    seen: HashMap<UnitId, (Sight, Sight)>,
}

impl IterationSights {
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
    pub(super) fn of(&self, unit: UnitId) -> Option<&(Sight, Sight)> {
        self.seen.get(&unit)
    }
}

/// What a look says of the repository, and nothing else.
fn repository(sight: &Sight) -> Sight {
    let (signals, snapshot) = (sight.signals.clone(), sight.snapshot.clone());
    Sight { signals, snapshot, ..Sight::default() }
}
