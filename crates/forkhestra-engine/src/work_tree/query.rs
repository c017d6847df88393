//! The facts about the work tree that the rules of a step need.

use forkhestra_core::config::{OnCycle, OnProtectedChange};
use forkhestra_core::event::{AuxJob, BaselineDigests, Observation};
use forkhestra_core::limit::Limit;
use forkhestra_core::machine::{RunState, StepStatus, UnrestoredFiles};
use forkhestra_core::plan::{AgentKind, CleanRoom, PlanStep, Protection};

use crate::repository::SnapshotRequest;
use crate::work_tree::observer::ObservationSubject;

/// The facts about the work tree that the rules of a step need.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WorkTreeQuery {
    pub(crate) step: usize,
    /// Whether the step begins now, so that the observation is its baseline.
    pub(crate) begins: bool,
    /// Protected files whose state before a change is its baseline.
    pub(crate) unrestored: Vec<UnrestoredFiles>,
    /// Whether it is the first one of a forked run, in which no agent has run yet.
    pub(crate) begins_fork: bool,
    /// Whether the step ends on stagnation.
    pub(crate) stagnation: bool,
    /// The action on a repeated state, if cycles are detected.
    pub(crate) cycles: Option<OnCycle>,
    /// Whether a claim without work is refused.
    pub(crate) work: bool,
    pub(crate) uncommitted: bool,
    pub(crate) protection: Option<Protection>,
    /// The digests of the baselines that were written when the step began.
    pub(crate) baselines: BaselineDigests,
    /// The snapshot to take, if snapshots are taken.
    pub(crate) keep: Option<SnapshotRequest>,
    /// Whether the agent is expected to commit its work: a coding agent that is not replayed.
    pub(crate) commits: bool,
}

/// What a clean room is needed for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RoomQuery {
    pub(crate) step: usize,
    pub(crate) room: CleanRoom,
    /// The commit with which the run began.
    pub(crate) run_base: Option<String>,
    /// The commit with which the step began.
    pub(crate) step_base: Option<String>,
    /// The files that must not be changed in a commit either.
    pub(crate) protection: Option<Protection>,
    /// The digest of their baseline.
    pub(crate) digest: Option<String>,
}

/// The protected files to compare after a check, or after the set-up of a clean room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProtectionQuery {
    pub(crate) step: usize,
    pub(crate) protection: Protection,
    /// The digest of their baseline.
    pub(crate) digest: Option<String>,
    /// Whether new files count: a later check could use them. Other ones are by-products.
    pub(crate) counts_new: bool,
}

impl ProtectionQuery {
    /// `None` if nothing is protected from this job. Before the first iteration there is no claim.
    pub(crate) fn of(aux_job: AuxJob, state: &RunState) -> Option<Self> {
        let (unit, number) = match aux_job {
            AuxJob::Setup { unit } => (unit, None),
            AuxJob::Check { unit, number } => (unit, Some(number)),
            AuxJob::Hook { .. } => return None,
        };
        let plan = state.plan.step(unit.step).filter(|_| !unit.is_before_first())?;
        let protection = plan.protect.as_ref().map(|protect| &protect.value);
        let protection =
            protection.filter(|protection| protection.on_change == OnProtectedChange::Refuse)?;
        let baselines = state.steps[unit.step - 1].before.baselines.as_ref();
        Some(Self {
            step: unit.step,
            protection: protection.clone(),
            digest: baselines.and_then(|digests| digests.protected.clone()),
            counts_new: number.is_some_and(|number| number < plan.checks.len()),
        })
    }
}

impl RoomQuery {
    pub(crate) fn of(step: usize, room: &CleanRoom, state: &RunState) -> Self {
        let plan = &state.plan.steps[step - 1];
        let protection = plan.protect.as_ref().map(|protect| protect.value.clone());
        let is_refused =
            |protection: &Protection| protection.on_change == OnProtectedChange::Refuse;
        let before = &state.steps[step - 1].before;
        let head = |before: &Observation| before.signals.as_ref()?.head.clone();
        Self {
            step,
            room: room.clone(),
            run_base: state.steps.iter().find_map(|step| head(&step.before)),
            step_base: head(before),
            protection: protection.filter(is_refused),
            digest: before.baselines.as_ref().and_then(|digests| digests.protected.clone()),
        }
    }
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
        let begins = is_pending && matches!(subject, ObservationSubject::Step(_));
        Self {
            step,
            begins,
            unrestored: if begins { state.unrestored_files(step) } else { Vec::new() },
            begins_fork: begins && state.origin.is_some() && step == state.inherited_steps + 1,
            // Rounds that change nothing are noticed.
            stagnation: plan.limits.stagnation.value != Limit::Off
                || !state.plan.enclosing_repeated_groups(step).is_empty(),
            cycles: plan.on_cycle.as_ref().map(|what| what.value),
            work: plan.require_work,
            // Only commits land.
            uncommitted: plan.clean_room.is_some() || state.is_in_lane(),
            protection: plan.protect.as_ref().map(|protect| protect.value.clone()),
            baselines: state.steps[step - 1].before.baselines.clone().unwrap_or_default(),
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
