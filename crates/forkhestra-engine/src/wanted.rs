//! What the rules of a step want to know of a work tree.

use forkhestra_core::config::OnCycle;
use forkhestra_core::limit::Limit;
use forkhestra_core::machine::{RunState, StepStatus};
use forkhestra_core::plan::{AgentKind, Protection, Step};

use crate::look::About;
use crate::repository::Kept;

/// What the rules of a step want to know of a work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) step: usize,
    /// Whether the step begins now, so that what is there is what it begins with.
    pub(crate) begins: bool,
    /// Whether it is ended if nothing changes.
    pub(crate) stagnation: bool,
    /// What becomes of it if everything is what it was before; none if nobody asked.
    pub(crate) cycles: Option<OnCycle>,
    /// Whether an agent that did nothing is not believed.
    pub(crate) work: bool,
    pub(crate) uncommitted: bool,
    pub(crate) protection: Option<Protection>,
    /// What to keep the work tree as, if it is kept.
    pub(crate) keep: Option<Kept>,
    /// Whether the agent is expected to commit its work: a coding agent that really runs.
    pub(crate) commits: bool,
}

impl Wanted {
    pub(crate) fn of(about: About, state: &RunState) -> Self {
        let step = about.step();
        let plan: &Step = &state.plan.steps[step - 1];
        let moment = match about {
            About::Step(step) => format!("before step {step}"),
            About::Unit(unit) => format!(
                "after step {}, iteration {}, attempt {}",
                unit.step, unit.iteration, unit.attempt
            ),
        };
        let kept = Kept { number: state.snapshots, moment };
        let is_pending = state.steps[step - 1].status == StepStatus::Pending;
        Self {
            step,
            begins: is_pending && matches!(about, About::Step(_)),
            stagnation: plan.limits.stagnation.value != Limit::Off,
            cycles: plan.on_cycle.as_ref().map(|what| what.value),
            work: plan.require_work,
            uncommitted: plan.clean_room.is_some(),
            protection: plan.protect.as_ref().map(|protect| protect.value.clone()),
            keep: state.plan.snapshots.then_some(kept),
            commits: matches!(plan.agent.kind, AgentKind::Direct(_)) && plan.agent.replay.is_none(),
        }
    }

    /// Whether one state of the work tree is to be told from another.
    pub(crate) const fn compares(&self) -> bool {
        self.stagnation || self.work || self.cycles.is_some()
    }

    /// Whether a repository is of any interest.
    pub(crate) const fn is_about_repository(&self) -> bool {
        self.compares() || self.uncommitted || self.keep.is_some()
    }

    /// What is lost without a repository; none if the step does not depend on one. That nothing changes is
    /// seen without it.
    pub(crate) fn lost_without_repository(&self) -> Option<&'static str> {
        self.commits.then_some("no commits, no snapshots to undo an iteration, no clean room")
    }
}
