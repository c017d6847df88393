//! Iterations whose outcome a repair removes.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::ops::RangeInclusive;

use forkhestra_core::event::Event;
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::RunState;

/// The maximum number of ranges in a message.
const MOST_LISTED: usize = 20;

/// Iterations that were started, and whose outcome the lines before the cut do not record. They run
/// again.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LostIterations(BTreeMap<usize, Vec<RangeInclusive<u32>>>);

impl LostIterations {
    /// The lost iterations of a state and of the removed events.
    pub(super) fn of<'a>(state: &RunState, removed: impl Iterator<Item = &'a Event>) -> Self {
        let running = state.steps.iter().filter_map(|step| step.running);
        let removed = removed.filter_map(|event| event.scope().unit());
        let mut units: Vec<UnitId> = running.chain(removed).collect();
        units.retain(|unit| has_no_outcome(state, *unit));
        units.sort_unstable();
        let mut lost = Self::default();
        units.into_iter().for_each(|unit| lost.add(unit));
        lost
    }

    /// Whether no iteration is lost.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn add(&mut self, unit: UnitId) {
        let single = unit.iteration..=unit.iteration;
        let mut ranges = match self.0.entry(unit.step) {
            Entry::Occupied(ranges) => ranges,
            Entry::Vacant(none) => {
                none.insert(vec![single]);
                return;
            }
        };
        match ranges.get_mut().last_mut() {
            Some(last) if unit.iteration <= last.end().saturating_add(1) => {
                *last = *last.start()..=unit.iteration.max(*last.end());
            }
            _ => ranges.get_mut().push(single),
        }
    }
}

/// Whether neither the outcome of an iteration nor the end of its agent is recorded.
fn has_no_outcome(state: &RunState, unit: UnitId) -> bool {
    let step = unit.step.checked_sub(1).and_then(|index| state.steps.get(index));
    step.is_some_and(|step| {
        let is_unchecked =
            step.unchecked.as_deref().is_some_and(|(of, _)| of.iteration == unit.iteration);
        !step.allows_next_step() && unit.iteration > step.finished && !is_unchecked
    })
}

/// `iterations 2 to 4 of step 1, iteration 1 of step 2`.
impl fmt::Display for LostIterations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ranges =
            self.0.iter().flat_map(|(step, ranges)| ranges.iter().map(move |range| (step, range)));
        let mut listed: Vec<String> = ranges
            .map(|(step, range)| match (range.start(), range.end()) {
                (first, last) if first == last => format!("iteration {first} of step {step}"),
                (first, last) => format!("iterations {first} to {last} of step {step}"),
            })
            .collect();
        let more = listed.len().saturating_sub(MOST_LISTED);
        listed.truncate(MOST_LISTED);
        f.write_str(&forkhestra_core::text::and_more(&listed, more))
    }
}
