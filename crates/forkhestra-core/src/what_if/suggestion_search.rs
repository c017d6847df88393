//! The search for the tightest value of a limit that would have harmed no completed run.

use std::num::NonZeroU32;

use super::limit_simulation::LimitSimulation;
use super::simulated_limit::SimulatedLimit;
use crate::event::{Event, LimitChanges};
use crate::limit::LimitScope;
use crate::machine::{RunState, UnexpectedEvent};

/// The search for the tightest value of a limit that would have harmed none of the runs so far.
#[derive(Debug, Clone)]
pub struct SuggestionSearch {
    limit: SimulatedLimit,
    /// The number of the tightest value that harmed none of the runs.
    number: NonZeroU32,
    runs: usize,
    ended_by_any_value: usize,
}

/// The tightest value of a limit that would have harmed no completed run.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitSuggestion {
    /// The option, without its dashes.
    pub option: &'static str,
    /// What it holds for; none for the iterations of a loop.
    pub scope: Option<LimitScope>,
    /// The limit with that value; none if it applies to too few runs.
    pub value: Option<LimitChanges>,
    /// Completed runs to which the limit applies.
    pub runs: usize,
    /// Completed runs that any value would have ended, because their cost is unknown.
    pub ended_by_any_value: usize,
}

impl LimitSuggestion {
    /// The number of runs that a suggestion needs.
    pub const MIN_RUNS: usize = 10;
}

impl SuggestionSearch {
    /// The search for a limit, without any run.
    pub const fn new(limit: SimulatedLimit) -> Self {
        Self { limit, number: NonZeroU32::MIN, runs: 0, ended_by_any_value: 0 }
    }

    /// Takes another completed run into account, with its last state. The limit that it had does
    /// not count, nor do changes of it: a run that completed only after a resume needs a value that
    /// would not have ended it.
    pub fn add(&mut self, events: &[Event], last: &RunState) -> Result<(), UnexpectedEvent> {
        let off = self.limit.off();
        let harms = |number: NonZeroU32| {
            let outcome = LimitSimulation::of_held(events, &off, &self.limit.nth(number));
            outcome.map(|outcome| outcome.harms())
        };
        if !self.limit.applies_to(events, last) {
            return Ok(());
        }
        if harms(NonZeroU32::MAX)? {
            self.ended_by_any_value += 1;
            return Ok(());
        }
        self.number = first_harmless(self.number, harms)?;
        self.runs += 1;
        Ok(())
    }

    /// The result of the search.
    pub fn suggestion(&self) -> LimitSuggestion {
        let Self { limit, number, runs, ended_by_any_value } = *self;
        let is_enough = runs >= LimitSuggestion::MIN_RUNS;
        let value = is_enough.then(|| limit.nth(number));
        LimitSuggestion {
            option: limit.option(),
            scope: limit.scope(),
            value,
            runs,
            ended_by_any_value,
        }
    }
}

/// The smallest number, from `from` on, that does no harm. A larger number never harms more, and the
/// largest harms nothing.
fn first_harmless(
    from: NonZeroU32,
    harms: impl Fn(NonZeroU32) -> Result<bool, UnexpectedEvent>,
) -> Result<NonZeroU32, UnexpectedEvent> {
    if !harms(from)? {
        return Ok(from);
    }
    let (mut harmful, mut harmless) = (from, from.saturating_add(1));
    while harms(harmless)? {
        harmful = harmless;
        harmless = harmless.saturating_mul(NonZeroU32::MIN.saturating_add(1));
    }
    while harmless.get() - harmful.get() > 1 {
        let middle = harmful.saturating_add((harmless.get() - harmful.get()) / 2);
        if harms(middle)? { harmful = middle } else { harmless = middle }
    }
    Ok(harmless)
}
