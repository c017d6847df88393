//! The facts about a step that explain its end.

use crate::event::{IterationReport, StepEnd, WorkTreeSnapshot};
use crate::id::RunId;
use crate::limit::{HumanDuration, Limit};
use crate::machine::{RunState, StepState};
use crate::plan::{DirectSpawn, Plan, PlanStep};
use crate::time::Timestamp;

/// The facts about a step beside its end.
#[derive(Clone, Copy)]
pub struct EndFacts<'a> {
    /// The run, once it has an id.
    pub run: Option<&'a RunId>,
    pub plan: Option<&'a Plan>,
    /// One-based.
    pub step: usize,
    /// Whether the step has begun; its condition is checked before that.
    pub has_begun: bool,
    /// The number of finished iterations in the current round.
    pub iterations: u32,
    /// How long its agent may wait for its provider.
    pub max_wait: Limit<HumanDuration>,
    /// The snapshot before what it changed, if one was taken.
    pub snapshot_before: Option<&'a WorkTreeSnapshot>,
    /// The report of the last iteration.
    pub last: Option<&'a IterationReport>,
    /// How the step itself ended. The end of a group may be another one.
    pub step_end: Option<&'a StepEnd>,
    /// Whether the agent of that iteration reported an implausible figure.
    pub has_unusable_figure: bool,
    /// Formats a time in the reader's time zone.
    pub moment: &'a dyn Fn(Timestamp) -> String,
}

impl<'a> EndFacts<'a> {
    /// No facts.
    pub const UNKNOWN: Self = Self {
        run: None,
        plan: None,
        step: 0,
        has_begun: true,
        iterations: 0,
        max_wait: Limit::Off,
        snapshot_before: None,
        last: None,
        step_end: None,
        has_unusable_figure: false,
        moment: &utc,
    };

    /// The facts about a step (one-based) from the state of a run.
    pub fn of(
        run: &'a RunState,
        step: usize,
        format_time: &'a dyn Fn(Timestamp) -> String,
    ) -> Self {
        let (state, planned) = (run.step(step), run.plan.step(step));
        Self {
            run: Some(&run.run),
            plan: Some(&run.plan),
            step,
            has_begun: state.is_none_or(StepState::has_begun),
            iterations: state.map_or(0, iterations_in_round),
            max_wait: planned.map_or(Limit::Off, |step| step.limits.max_wait.value),
            snapshot_before: run.snapshot_before_change(step),
            last: state.and_then(|state| state.last.as_ref()),
            step_end: state.and_then(|state| state.end()),
            has_unusable_figure: state.is_some_and(|state| state.has_unusable_figure),
            moment: format_time,
        }
    }

    /// The step's plan.
    pub(super) fn planned(&self) -> Option<&'a PlanStep> {
        self.plan?.step(self.step)
    }

    /// The agent of the step, if it is spawned directly.
    pub(super) fn agent(&self) -> Option<&'a DirectSpawn> {
        self.planned()?.agent.kind.direct()
    }
}

/// The finished iterations in the current round. Lanes that share them count together.
fn iterations_in_round(step: &StepState) -> u32 {
    match &step.shared_numbers {
        Some(numbers) => numbers.used(),
        None => step.finished_in_round(),
    }
}

fn utc(timestamp: Timestamp) -> String {
    timestamp.to_string()
}
