//! The attempts of a run, as far as its journal is read.

use forkhestra_core::event::{Event, EventKind, OutputSummary};
use forkhestra_core::history::IterationPosition;
use forkhestra_core::id::{LaneNumber, UnitId};
use forkhestra_core::machine::{RunState, UnexpectedEvent};
use forkhestra_core::plan::DirectSpawn;
use forkhestra_core::text::count::Count;

/// The state of a run and its attempts.
#[derive(Debug)]
pub(crate) struct RunAttempts {
    /// The state after all applied events.
    pub(crate) state: RunState,
    /// All started attempts, in order.
    pub(crate) tries: Vec<AgentAttempt>,
}

/// An agent that was started or was about to be.
#[derive(Debug)]
pub(crate) struct AgentAttempt {
    pub(crate) unit: UnitId,
    /// The lane that it runs in; none for the work tree.
    pub(crate) lane: Option<LaneNumber>,
    /// The agent, if its stream format is supported.
    pub(crate) direct: Option<DirectSpawn>,
    /// Which iteration of the loop it was when it started; `None` for an agent that runs once.
    pub(crate) position: Option<IterationPosition>,
    /// Whether it prints nothing more.
    pub(crate) is_over: bool,
    /// Size of its output; zero until it is over.
    pub(crate) printed: OutputSummary,
}

impl RunAttempts {
    /// Starts with the first event of a run.
    pub(crate) fn begin(first: &Event) -> Result<Self, UnexpectedEvent> {
        Ok(Self { state: RunState::begin(first)?, tries: Vec::new() })
    }

    /// Applies an event.
    pub(crate) fn apply(&mut self, event: &Event) -> Result<(), UnexpectedEvent> {
        self.state.apply(event)?;
        match &event.kind {
            // An attempt that was cut off in an earlier process is over, although its end was not
            // recorded.
            EventKind::RunResumed { .. } => {
                self.tries.iter_mut().for_each(|attempt| attempt.is_over = true);
            }
            EventKind::IterationStarted { unit, .. } => {
                let (unit, position) = (*unit, IterationPosition::of(&self.state, *unit));
                let printed = OutputSummary::default();
                let direct = self.direct(unit.step).cloned();
                let (lane, is_over) = (event.lane, false);
                self.tries.push(AgentAttempt { unit, lane, direct, position, is_over, printed });
            }
            EventKind::AgentFinished { unit, report }
            | EventKind::IterationFinished { unit, report } => {
                let same = self.tries.iter_mut().rfind(|attempt| attempt.unit == *unit);
                if let Some(attempt) = same {
                    attempt.is_over = true;
                    attempt.printed = report.output;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether the journal contains the end of the run.
    pub(crate) fn is_over(&self) -> bool {
        self.state.end.is_some()
    }

    /// Whether a step is a loop.
    pub(crate) fn is_loop(&self, step: usize) -> bool {
        self.state.plan.step(step).is_some_and(|step| step.iterations.is_some())
    }

    /// The last iteration that a step may have, in all rounds of the groups around it.
    pub(crate) fn last_possible_iteration(&self, step: usize) -> u32 {
        let in_round = self.state.plan.step(step).and_then(|step| step.iterations);
        let rounds = self
            .state
            .plan
            .enclosing_repeated_groups(step)
            .into_iter()
            .filter_map(|group| group.rounds);
        let counts = rounds.chain(in_round).map(Count::get);
        counts.fold(1, u32::saturating_mul)
    }

    /// The agent of the last attempt of a step, if its stream format is supported.
    fn direct(&self, step: usize) -> Option<&DirectSpawn> {
        self.state.plan.step(step)?.agent.kind.direct()
    }

    /// The number of steps.
    pub(crate) fn steps(&self) -> usize {
        self.state.plan.steps.len()
    }

    /// The last started iteration of a step; 0 if there is none.
    pub(crate) fn last_iteration(&self, step: usize) -> u32 {
        let tries = self.tries.iter().filter(|attempt| attempt.unit.step == step);
        tries.map(|attempt| attempt.unit.iteration).max().unwrap_or(0)
    }

    /// Whether the step gets no more attempts unless the run is resumed.
    pub(crate) fn has_ended(&self, step: usize) -> bool {
        let has_end = self.state.step(step).is_none_or(|state| state.end().is_some());
        self.is_over() || has_end && !self.may_be_repeated(step)
    }

    /// Whether a repeated group around a step is not over.
    fn may_be_repeated(&self, step: usize) -> bool {
        let Some(current) = self.state.current_step() else { return false };
        self.state.plan.enclosing_repeated_groups(step).iter().any(|group| group.contains(current))
    }
}
