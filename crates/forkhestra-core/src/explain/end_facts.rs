//! What is known about a step beside how it ended.

use crate::event::{IterationReport, Observation};
use crate::id::RunId;
use crate::limit::{HumanDuration, Limit};
use crate::machine::RunState;
use crate::plan::{AgentKind, DirectSpawn, Plan, PlanStep};
use crate::time::Timestamp;

/// What is known about a step beside how it ended.
#[derive(Clone, Copy)]
pub struct EndFacts<'a> {
    /// The run, once it has an id.
    pub run: Option<&'a RunId>,
    /// The plan of the run.
    pub plan: Option<&'a Plan>,
    /// The number of the step, from one.
    pub step: usize,
    /// How many iterations are over.
    pub iterations: u32,
    /// How long its agent may wait for its provider.
    pub max_wait: Limit<HumanDuration>,
    /// What was there before the step.
    pub before: Option<&'a Observation>,
    /// The report of the last iteration.
    pub last: Option<&'a IterationReport>,
    /// Whether the agent of that iteration reported a figure that cannot be right.
    pub has_unusable_figure: bool,
    /// Writes a moment in the time zone of the reader.
    pub moment: &'a dyn Fn(Timestamp) -> String,
}

impl<'a> EndFacts<'a> {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self {
        run: None,
        plan: None,
        step: 0,
        iterations: 0,
        max_wait: Limit::Off,
        before: None,
        last: None,
        has_unusable_figure: false,
        moment: &utc,
    };

    /// What the state of a run says about a step, from one.
    pub fn of(run: &'a RunState, step: usize, moment: &'a dyn Fn(Timestamp) -> String) -> Self {
        let index = step.checked_sub(1);
        let state = index.and_then(|index| run.steps.get(index));
        let planned = index.and_then(|index| run.plan.steps.get(index));
        Self {
            run: Some(&run.run),
            plan: Some(&run.plan),
            step,
            iterations: state.map_or(0, |state| state.finished),
            max_wait: planned.map_or(Limit::Off, |step| step.limits.max_wait.value),
            before: state.map(|state| &state.before),
            last: state.and_then(|state| state.last.as_ref()),
            has_unusable_figure: state.is_some_and(|state| state.has_unusable_figure),
            moment,
        }
    }

    /// The step as it was planned.
    pub(super) fn planned(&self) -> Option<&'a PlanStep> {
        self.plan?.steps.get(self.step.checked_sub(1)?)
    }

    /// The agent of the step, if it is one that forkhestra knows.
    pub(super) fn agent(&self) -> Option<&'a DirectSpawn> {
        match &self.planned()?.agent.kind {
            AgentKind::Direct(direct) => Some(direct),
            AgentKind::Program(_) => None,
        }
    }
}

fn utc(moment: Timestamp) -> String {
    moment.to_string()
}
