//! The facts about the work tree that the rules of a step need.

use forkhestra_core::config::OnCycle;
use forkhestra_core::limit::Limit;
use forkhestra_core::machine::{RunState, StepStatus};
use forkhestra_core::plan::{AgentKind, PlanStep, Protection};

use crate::repository::SnapshotRequest;
use crate::work_tree::observer::ObservationSubject;

/// The facts about the work tree that the rules of a step need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkTreeQuery {
    pub(crate) step: usize,
    /// Whether the step begins now, so that the observation is its baseline.
    pub(crate) begins: bool,
    /// Whether the step ends on stagnation.
    pub(crate) stagnation: bool,
    /// The action on a repeated state, if cycles are detected.
    pub(crate) cycles: Option<OnCycle>,
    /// Whether a claim without work is refused.
    pub(crate) work: bool,
    pub(crate) uncommitted: bool,
    pub(crate) protection: Option<Protection>,
    /// The snapshot to take, if snapshots are taken.
    pub(crate) keep: Option<SnapshotRequest>,
    /// Whether the agent is expected to commit its work: a coding agent that is not replayed.
    pub(crate) commits: bool,
}

impl WorkTreeQuery {
    pub(crate) fn of(subject: ObservationSubject, state: &RunState) -> Self {
        let step = subject.step();
        let plan: &PlanStep = &state.plan.steps[step - 1];
        let subject_text = match subject {
            ObservationSubject::Step(step) => format!("before step {step}"),
            ObservationSubject::Unit(unit) => format!(
                "after step {}, iteration {}, attempt {}",
                unit.step, unit.iteration, unit.attempt
            ),
        };
        let kept = SnapshotRequest { number: state.snapshots, moment: subject_text };
        let is_pending = state.steps[step - 1].status == StepStatus::Pending;
        Self {
            step,
            begins: is_pending && matches!(subject, ObservationSubject::Step(_)),
            stagnation: plan.limits.stagnation.value != Limit::Off,
            cycles: plan.on_cycle.as_ref().map(|what| what.value),
            work: plan.require_work,
            uncommitted: plan.clean_room.is_some(),
            protection: plan.protect.as_ref().map(|protect| protect.value.clone()),
            keep: state.plan.snapshots.then_some(kept),
            commits: matches!(plan.agent.kind, AgentKind::Direct(_)) && plan.agent.replay.is_none(),
        }
    }

    /// Whether states of the work tree must be distinguished.
    pub(crate) const fn needs_fingerprint(&self) -> bool {
        self.stagnation || self.work || self.cycles.is_some()
    }

    /// Whether a repository is needed.
    pub(crate) const fn needs_repository(&self) -> bool {
        self.needs_fingerprint() || self.uncommitted || self.keep.is_some()
    }

    /// What is missing without a repository, or `None` if the step does not depend on one.
    /// Stagnation is detected without it.
    pub(crate) fn missing_repository_effect(&self) -> Option<&'static str> {
        self.commits.then_some("no commits, no snapshots to undo an iteration, no clean room")
    }
}
