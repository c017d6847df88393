//! Limits that change during a run or by a resume, and the steps that they hold for.

use super::flow_position::FlowPosition;
use super::run_state::RunState;
use super::step_state::{StepState, StepStatus};
use crate::diagnostic::Diagnostic;
use crate::event::{LimitChanges, StepEnd};
use crate::plan::agent::quota::quota_warnings;
use crate::plan::{FlowGroup, Plan};

impl RunState {
    /// Warnings about a changed quota that cannot be enforced for a step that is left. A program that
    /// has reported its account needs none.
    pub fn quota_warnings(&self, changes: &LimitChanges) -> Vec<Diagnostic> {
        if changes.quota.is_none() {
            return Vec::new();
        }
        let mut changed = self.clone();
        changed.change_limits(changes);
        let steps = changed.plan.steps.iter().zip(&self.steps);
        let left = steps.filter(|(step, state)| {
            self.is_step_left(step.number) && state.reported_backend.is_none()
        });
        quota_warnings(left.map(|(step, _)| step))
    }

    /// Unknown costs so far do not count from now on.
    pub(super) fn accept_unknown_costs(&mut self) {
        for step in &mut self.steps {
            step.unknown_cost = false;
            step.other_lanes.unknown_cost = false;
        }
    }

    /// Whether changed limits hold for a step (one-based).
    pub(crate) fn is_step_left(&self, step: usize) -> bool {
        is_left(&self.plan, &self.steps, step)
    }
}

/// Whether a cost limit is set, which holds from then on.
pub(super) const fn sets_cost(changes: &LimitChanges) -> bool {
    changes.run_cost.is_some() || changes.group_cost.is_some() || changes.step_cost.is_some()
}

/// Whether a step (one-based) can run an agent from now on: it has not ended, or another round of a
/// group around it can begin.
fn is_left(plan: &Plan, steps: &[StepState], step: usize) -> bool {
    let allows_next_step = |step: usize| {
        step.checked_sub(1).and_then(|at| steps.get(at)).is_none_or(StepState::allows_next_step)
    };
    let rounds = plan.enclosing_repeated_groups(step).into_iter();
    let mut members = rounds.flat_map(|group| group.stages.steps());
    !allows_next_step(step) || members.any(|member| !allows_next_step(member))
}

impl RunState {
    /// Changes the limits of the run, its steps that are left, and its groups.
    pub(in crate::machine) fn change_limits(&mut self, changes: &LimitChanges) {
        let current = self.current_group();
        let current_step = self.undecided_step();
        let (plan, steps) = (&mut self.plan, &self.steps);
        // The limits of the run change even if no step is left.
        changes.apply_to_run(&mut plan.limits);
        let left: Vec<bool> = (1..=steps.len()).map(|step| is_left(plan, steps, step)).collect();
        let with_state = plan.steps.iter_mut().zip(steps).zip(left);
        for ((step, state), _) in with_state.filter(|(_, is_left)| *is_left) {
            // A step that has not begun, or begins again with the next round, never gets fewer
            // iterations: the new number is meant for the current loop.
            let begun = state.status != StepStatus::Pending && current_step == Some(step.number);
            if let (Some(limit), Some(changed)) = (&mut step.iterations, changes.iterations) {
                *limit = if begun { changed } else { changed.max(*limit) };
            }
            changes.apply_to_step(&mut step.limits);
        }
        let Some(flow) = &mut plan.flow else { return };
        let groups = &self.groups;
        let inner: Vec<usize> = current
            .and_then(|current| flow.group(current))
            .map(|group| group.stages.groups().iter().map(|inner| inner.number).collect())
            .unwrap_or_default();
        flow.for_each_group_mut(&mut |group| {
            changes.apply_to_group(&mut group.limits);
            let is_current = current == Some(group.number);
            let has_begun = groups.get(group.number - 1).is_some_and(|group| group.round > 0);
            if let (Some(limit), Some(changed)) = (&mut group.rounds, changes.rounds) {
                // The new number is meant for the current group. Groups around it and in it keep
                // theirs, and later ones never get fewer.
                if is_current {
                    *limit = changed;
                } else if !has_begun && !inner.contains(&group.number) {
                    *limit = changed.max(*limit);
                }
            }
        });
        let (flow, scope) = (&*flow, &mut self.scope);
        scope.iter_mut().for_each(|scope| {
            scope.for_each_group_mut(&mut |group| {
                if let Some(changed) = flow.group(group.number) {
                    (group.rounds, group.limits) = (changed.rounds, changed.limits.clone());
                }
            });
        });
    }

    /// The step (one-based) that the run is at, or whose end is the end of the run; none between
    /// rounds.
    fn undecided_step(&self) -> Option<usize> {
        match self.position() {
            FlowPosition::AtStep { step, .. } => Some(step),
            FlowPosition::Incomplete { step, end } => {
                (self.steps[step - 1].end() == Some(&end)).then_some(step)
            }
            FlowPosition::RoundRefused { .. }
            | FlowPosition::BeforeRound { .. }
            | FlowPosition::Complete => None,
        }
    }

    /// The repeated group whose rounds are the end of the run: they are used up, or changed nothing.
    pub(super) fn ended_group(&self) -> Option<usize> {
        let FlowPosition::Incomplete { step, end } = self.position() else { return None };
        let mut groups = self.plan.enclosing_repeated_groups(step).into_iter();
        let group = match end {
            StepEnd::MaxRounds(_) => return self.current_group(),
            StepEnd::Cycling(_) if self.end.is_some() => {
                groups.rfind(|group| self.groups[group.number - 1].cycling)
            }
            _ => None,
        };
        group.map(|group| group.number)
    }

    /// The repeated group whose rounds changed limits are meant for: the one whose rounds are used up,
    /// or else the innermost one that the run is in.
    fn current_group(&self) -> Option<usize> {
        let position = self.position();
        let step = self.current_step()?;
        let mut enclosing = self.plan.enclosing_repeated_groups(step).into_iter();
        let has_no_round_left = |group: &FlowGroup| {
            let state = &self.groups[group.number - 1];
            state.refused && group.rounds.is_some_and(|max| state.round >= max.get())
        };
        let group = match position {
            FlowPosition::Incomplete { end: StepEnd::MaxRounds(_), .. } => {
                enclosing.rfind(|group| has_no_round_left(group))
            }
            _ => enclosing.find(|group| self.groups[group.number - 1].round > 0),
        };
        group.map(|group| group.number)
    }
}
