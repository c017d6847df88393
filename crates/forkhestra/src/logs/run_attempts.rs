//! A run as far as its journal was read: which tries there were, in order.

use forkhestra_core::event::{Event, EventKind, OutputSummary};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::{RunState, StepStatus, UnexpectedEvent};
use forkhestra_core::plan::{AgentKind, DirectSpawn};
use forkhestra_core::text::count::Count;

/// A run so far.
#[derive(Debug)]
pub(crate) struct RunAttempts {
    /// What its events add up to.
    pub(crate) state: RunState,
    /// Everything that was started, in order.
    pub(crate) tries: Vec<AgentAttempt>,
}

/// An agent that was started, or was about to be.
#[derive(Debug)]
pub(crate) struct AgentAttempt {
    /// Which one.
    pub(crate) unit: UnitId,
    /// The most iterations there might be when it was started; none for an agent that runs once.
    pub(crate) most: Option<u32>,
    /// Whether it prints nothing more.
    pub(crate) is_over: bool,
    /// How much it is known to have printed: nothing before it is over.
    pub(crate) printed: OutputSummary,
}

impl RunAttempts {
    /// Begins with the first event of a run.
    pub(crate) fn begin(first: &Event) -> Result<Self, UnexpectedEvent> {
        Ok(Self { state: RunState::begin(first)?, tries: Vec::new() })
    }

    /// Goes on with an event.
    pub(crate) fn apply(&mut self, event: &Event) -> Result<(), UnexpectedEvent> {
        self.state.apply(event)?;
        match &event.kind {
            // What was cut off in an earlier life is over, although its end was not recorded.
            EventKind::RunResumed { .. } => {
                self.tries.iter_mut().for_each(|attempt| attempt.is_over = true);
            }
            EventKind::IterationStarted { unit } => {
                let (unit, most) = (*unit, self.max_iterations(unit.step));
                let printed = OutputSummary::default();
                self.tries.push(AgentAttempt { unit, most, is_over: false, printed });
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

    /// Whether the journal says that the run is over.
    pub(crate) fn is_over(&self) -> bool {
        self.state.end.is_some()
    }

    /// The most iterations that a step may have by now; none for an agent that runs once.
    pub(crate) fn max_iterations(&self, step: usize) -> Option<u32> {
        self.state.plan.steps.get(step.checked_sub(1)?)?.iterations.map(Count::get)
    }

    /// The name of a step's agent.
    pub(crate) fn agent(&self, step: usize) -> &str {
        let step = step.checked_sub(1).and_then(|index| self.state.plan.steps.get(index));
        step.map_or("", |step| &step.agent.name)
    }

    /// The agent of a step, if it is one whose stream we understand.
    pub(crate) fn direct(&self, step: usize) -> Option<&DirectSpawn> {
        match &self.state.plan.steps.get(step.checked_sub(1)?)?.agent.kind {
            AgentKind::Direct(direct) => Some(direct),
            AgentKind::Program(_) => None,
        }
    }

    /// How many steps there are.
    pub(crate) fn steps(&self) -> usize {
        self.state.plan.steps.len()
    }

    /// The last iteration of a step that was started; 0 if none was.
    pub(crate) fn last_iteration(&self, step: usize) -> u32 {
        let tries = self.tries.iter().filter(|attempt| attempt.unit.step == step);
        tries.map(|attempt| attempt.unit.iteration).max().unwrap_or(0)
    }

    /// Whether nothing more comes of a step in this life of the run.
    pub(crate) fn has_ended(&self, step: usize) -> bool {
        let state = step.checked_sub(1).and_then(|index| self.state.steps.get(index));
        let ended = |status: &StepStatus| matches!(status, StepStatus::Ended(_));
        self.is_over() || state.is_none_or(|state| ended(&state.status))
    }
}
