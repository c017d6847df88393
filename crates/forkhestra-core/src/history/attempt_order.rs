//! The order of attempts over all steps.

use super::iteration_record::IterationRecord;
use super::step_history::StepHistory;
use crate::event::{Event, EventKind};

/// The order in which attempts ended. In a repeated group it is not the order of the steps.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct AttemptOrder {
    /// Indexes of a step and of a record in it.
    ends: Vec<(usize, usize)>,
}

impl AttemptOrder {
    /// Notes an event in the scope of a step, by its index. `attempts` is how many attempts of it
    /// have ended, including one that ended with the event.
    pub(super) fn apply(&mut self, event: &Event, index: usize, attempts: usize) {
        if matches!(event.kind, EventKind::IterationFinished { .. }) && attempts > 0 {
            self.ends.push((index, attempts - 1));
        }
    }

    /// A finished attempt by its index in the order.
    pub(super) fn attempt<'a>(
        &self,
        steps: &'a [StepHistory],
        index: usize,
    ) -> Option<&'a IterationRecord> {
        let (step, record) = *self.ends.get(index)?;
        steps.get(step)?.iterations.get(record)
    }

    /// The finished attempts in the order of their ends.
    pub(super) fn attempts<'a>(
        &'a self,
        steps: &'a [StepHistory],
    ) -> impl DoubleEndedIterator<Item = &'a IterationRecord> + ExactSizeIterator {
        self.ends.iter().map(|(step, record)| &steps[*step].iterations[*record])
    }
}
