//! What the events of a run add up to, as far as a person is told of it.

use std::time::Duration;

use forkhestra_core::count::Count;
use forkhestra_core::event::{AgentEnd, Ending, Event, EventKind, LimitChanges, StepEnd};
use forkhestra_core::limit::{Limit, Time};
use forkhestra_core::machine::{Found, Recovery};
use forkhestra_core::plan::Plan;
use typeset::text::visible;

/// A run so far, its earlier lives included.
pub(super) struct Tally {
    pub(super) steps: Vec<StepTally>,
    /// Whether the journal says how the run ended.
    is_over: bool,
    /// The time that there is for the run, and how much of it is used.
    pub(super) limit: Limit<Time>,
    pub(super) elapsed: Duration,
}

/// A step so far.
pub(super) struct StepTally {
    pub(super) number: usize,
    /// The name of the agent, safe to print.
    pub(super) name: String,
    /// The most iterations of a loop; none for an agent that runs once.
    pub(super) most: Option<u32>,
    /// The time that there is for it.
    pub(super) limit: Limit<Time>,
    /// How many iterations are over. One that was cut off does not count: it is tried again.
    pub(super) iterations: u32,
    /// How the last agent's process ended.
    pub(super) last_end: Option<AgentEnd>,
    /// Why we are ending the agent that runs now, or ended the last one.
    pub(super) ending: Option<Ending>,
    /// How the step ended, if it did.
    pub(super) end: Option<StepEnd>,
    /// When it began and when it was last heard of, on the clock of the run.
    times: Option<(Duration, Duration)>,
}

impl Tally {
    /// A run that has not begun.
    pub(super) fn new(plan: &Plan) -> Self {
        let steps = plan.steps.iter().map(|step| StepTally {
            number: step.number,
            name: visible(&step.agent.name),
            most: step.iterations.map(Count::get),
            limit: step.limits.time.value,
            iterations: 0,
            last_end: None,
            ending: None,
            end: None,
            times: None,
        });
        let (steps, limit) = (steps.collect(), plan.limits.time.value);
        Self { steps, is_over: false, limit, elapsed: Duration::ZERO }
    }

    /// Takes in what happened.
    pub(super) fn absorb(&mut self, event: &Event) {
        self.elapsed = event.elapsed;
        match &event.kind {
            EventKind::RunResumed { changes, .. } => self.reopen(changes),
            EventKind::RunFinished { .. } => self.is_over = true,
            _ => {}
        }
        if let Some(step) = step_of(&event.kind).and_then(|step| self.step_mut(step)) {
            step.absorb(event);
        }
    }

    /// A step by its number, from one.
    pub(super) fn step(&self, number: usize) -> Option<&StepTally> {
        self.steps.get(number.checked_sub(1)?)
    }

    /// How many steps are done.
    pub(super) fn complete(&self) -> usize {
        self.steps.iter().filter(|step| step.is_complete()).count()
    }

    /// What a run that goes on has to do next.
    pub(super) fn next(&self) -> Option<&StepTally> {
        self.steps.iter().find(|step| !step.is_complete())
    }

    fn step_mut(&mut self, number: usize) -> Option<&mut StepTally> {
        self.steps.get_mut(number.checked_sub(1)?)
    }

    /// A run that goes on tries again what it did not complete, unless all that is left to do is to
    /// record how it ended.
    fn reopen(&mut self, changes: &LimitChanges) {
        let was_over = std::mem::take(&mut self.is_over);
        self.limit = changes.run_time.unwrap_or(self.limit);
        for step in self.steps.iter_mut().filter(|step| !step.is_complete()) {
            let (number, cancelled) = (step.number, step.end == Some(StepEnd::Cancelled));
            let found = if was_over {
                Found::Ended { step: number }
            } else {
                Found::StepEnded { step: number, cancelled }
            };
            if matches!(found.recovery(changes), Recovery::Reopen { .. }) {
                step.end = None;
            }
            step.limit = changes.step_time.unwrap_or(step.limit);
            let begun = step.has_begun();
            if let (Some(most), Some(changed)) = (&mut step.most, changes.iterations) {
                *most = if begun { changed.get() } else { changed.get().max(*most) };
            }
        }
    }
}

impl StepTally {
    /// Whether the work of the step is done.
    pub(super) fn is_complete(&self) -> bool {
        self.end.as_ref().is_some_and(StepEnd::is_complete)
    }

    /// Whether it has begun.
    pub(super) fn has_begun(&self) -> bool {
        self.times.is_some()
    }

    /// How long it has taken, in all lives of the run together.
    pub(super) fn time(&self) -> Duration {
        self.times.map_or(Duration::ZERO, |(from, to)| to.saturating_sub(from))
    }

    fn absorb(&mut self, event: &Event) {
        let (from, _) = self.times.unwrap_or((event.elapsed, event.elapsed));
        self.times = Some((from, event.elapsed));
        match &event.kind {
            EventKind::IterationStarted { .. } => self.ending = None,
            EventKind::AgentEnding { why, .. } => self.ending = Some(*why),
            EventKind::IterationFinished { unit, report } => {
                self.last_end.clone_from(&report.end);
                if report.has_outcome() {
                    self.iterations = self.iterations.max(unit.iteration);
                }
            }
            EventKind::StepFinished { end, .. } => self.end = Some(end.clone()),
            _ => {}
        }
    }
}

/// The step that an event is about.
fn step_of(kind: &EventKind) -> Option<usize> {
    match kind {
        EventKind::StepStarted { step, .. }
        | EventKind::BackingOff { step, .. }
        | EventKind::StepFinished { step, .. } => Some(*step),
        EventKind::IterationStarted { unit }
        | EventKind::AgentStarted { unit, .. }
        | EventKind::CompletionRequested { unit, .. }
        | EventKind::AgentEnding { unit, .. }
        | EventKind::IterationFinished { unit, .. } => Some(unit.step),
        EventKind::RunStarted { .. }
        | EventKind::RunResumed { .. }
        | EventKind::Cancelled { .. }
        | EventKind::Paused
        | EventKind::Continued
        | EventKind::MachineSlept { .. }
        | EventKind::Warning { .. }
        | EventKind::RunFinished { .. } => None,
    }
}
