//! Where a run is: a pure function of its flow and the ends of its steps.

use super::run_state::RunState;
use super::step_state::StepStatus;
use crate::config::OnCycle;
use crate::event::{ProcessEnd, StepEnd, StopReason, Verdict};
use crate::plan::{Flow, FlowGroup, FlowStage};
use crate::policy::{leads_to_alternative, refuses_round};

/// Where a run is. Steps are one-based.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FlowPosition {
    /// The step has not ended.
    AtStep {
        step: usize,
        /// The step that was not complete, if this one is the first that runs instead of it.
        instead_of: Option<usize>,
    },
    /// The step refused a round, which is not recorded.
    RoundRefused { group: usize, round: u32, step: usize },
    /// A round has to begin.
    BeforeRound { group: usize, round: u32, first_step: usize },
    /// Everything is complete, skipped or not needed.
    Complete,
    /// The step ended without being complete, and nothing runs instead. The end is that of the
    /// step, or of a group that the step decided about.
    Incomplete { step: usize, end: StepEnd },
}

impl RunState {
    /// Where the run is.
    pub(crate) fn position(&self) -> FlowPosition {
        match self.scope.as_ref().or(self.plan.flow.as_ref()) {
            Some(flow) => self.position_in(flow),
            None => self.position_in_order(1..=self.steps.len()),
        }
    }

    fn position_in_order(&self, steps: impl Iterator<Item = usize>) -> FlowPosition {
        let mut positions = steps.map(|step| self.position_of_step(step));
        positions.find(|at| *at != FlowPosition::Complete).unwrap_or(FlowPosition::Complete)
    }

    /// Whether the stage of the whole chain that a step (one-based) is in is complete.
    pub(crate) fn is_stage_complete(&self, step: usize) -> bool {
        let stages = self.plan.flow.iter().flat_map(|flow| &flow.0);
        let stage = stages.into_iter().find(|stage| stage.steps().contains(&step));
        let position = match stage {
            Some(stage) => self.position_in_stage(stage),
            None => self.position_of_step(step),
        };
        position == FlowPosition::Complete
    }

    fn position_in_stage(&self, stage: &FlowStage) -> FlowPosition {
        let is_inherited = |step: usize| step <= self.inherited_steps;
        if self.inherited_steps > 0 && stage.steps().into_iter().all(is_inherited) {
            return FlowPosition::Complete;
        }
        match stage {
            FlowStage::Step(step) => self.position_of_step(*step),
            FlowStage::Group(group) => self.position_in_group(group),
            FlowStage::Alternatives(flows) => self.deciding_alternative(flows).1,
            FlowStage::Parallel(branches) => self.position_in_branches(branches),
        }
    }

    /// The position in parallel branches. While their lanes run, it is that of the first one which has
    /// not ended. They end together, so that one that is not complete ends the stage only then.
    fn position_in_branches(&self, branches: &[Flow]) -> FlowPosition {
        let first_step = branches.first().and_then(|branch| branch.steps().first().copied());
        let lanes = first_step.and_then(|step| self.lanes_of(step));
        if let Some(lanes) = lanes {
            let open = lanes.lanes.iter().find_map(|lane| match lane.progress.position() {
                at @ FlowPosition::AtStep { .. } => Some(at),
                _ => None,
            });
            let first = FlowPosition::AtStep { step: first_step.unwrap_or(1), instead_of: None };
            return open.unwrap_or(first);
        }
        let positions: Vec<FlowPosition> =
            branches.iter().map(|branch| self.position_in(branch)).collect();
        let is_incomplete = |at: &&FlowPosition| matches!(at, FlowPosition::Incomplete { .. });
        let incomplete = positions.iter().find(is_incomplete);
        let open = || positions.iter().find(|at| **at != FlowPosition::Complete);
        incomplete.or_else(open).cloned().unwrap_or(FlowPosition::Complete)
    }

    fn position_of_step(&self, step: usize) -> FlowPosition {
        match &self.steps[step - 1].status {
            StepStatus::Pending | StepStatus::Open => {
                FlowPosition::AtStep { step, instead_of: None }
            }
            StepStatus::Ended(end) if end.allows_next_step() => FlowPosition::Complete,
            StepStatus::Ended(end) => FlowPosition::Incomplete { step, end: end.clone() },
        }
    }

    pub(in crate::machine) fn position_in(&self, flow: &Flow) -> FlowPosition {
        let mut positions = flow.0.iter().map(|stage| self.position_in_stage(stage));
        positions.find(|at| *at != FlowPosition::Complete).unwrap_or(FlowPosition::Complete)
    }

    fn position_in_group(&self, group: &FlowGroup) -> FlowPosition {
        let Some(rounds) = group.rounds else { return self.position_in(&group.stages) };
        let state = &self.groups[group.number - 1];
        let first_step = group.stages.steps().first().copied().unwrap_or(1);
        let number = group.number;
        if state.round == 0 && self.is_left_out(group) {
            return self.position_in(&group.stages);
        }
        if state.round == 0 {
            // A condition of the group may have ended its first step.
            return match self.position_of_step(first_step) {
                incomplete @ FlowPosition::Incomplete { .. } => incomplete,
                _ => FlowPosition::BeforeRound { group: number, round: 1, first_step },
            };
        }
        match self.position_in(&group.stages) {
            FlowPosition::Incomplete { step, end } if self.is_round_refused(group, step, &end) => {
                let round = state.round;
                if !state.refused {
                    FlowPosition::RoundRefused { group: number, round, step }
                } else if round >= rounds.get() {
                    FlowPosition::Incomplete { step, end: StepEnd::MaxRounds(round) }
                } else if self.is_cycling(group, step) {
                    FlowPosition::Incomplete { step, end: StepEnd::Cycling(2) }
                } else {
                    FlowPosition::BeforeRound { group: number, round: round + 1, first_step }
                }
            }
            other => other,
        }
    }

    /// Whether all steps of a group are skipped or not needed, so that no round of it begins.
    fn is_left_out(&self, group: &FlowGroup) -> bool {
        let states = group.stages.steps().into_iter().map(|step| &self.steps[step - 1]);
        states.into_iter().all(|state| state.skip || state.not_needed)
    }

    /// Whether a step that ended without being complete refuses a round of a group. Failed checks
    /// of a group around it refuse the round of that group, and not of this one.
    fn is_round_refused(&self, group: &FlowGroup, step: usize, end: &StepEnd) -> bool {
        let decides = group.stages.deciding_steps().contains(&step);
        let failed = self.steps[step - 1].failed_round().map(|round| round.group);
        let is_here = failed.is_none_or(|of| of == group.number || group.stages.has_group(of));
        // The cycle of an inner group is not that of the step.
        let is_inner = self.steps[step - 1].end() != Some(end);
        let refuses = match end {
            StepEnd::Cycling(_) if is_inner => true,
            _ => {
                refuses_round(&self.plan.steps[step - 1], end)
                    && !self.last_agent_could_not_work(step)
            }
        };
        decides && is_here && refuses
    }

    /// Whether a loop ended although its last agent could not work: a known one crashed, or a program
    /// was killed or could not be started.
    fn last_agent_could_not_work(&self, step: usize) -> bool {
        let (plan, state) = (&self.plan.steps[step - 1], &self.steps[step - 1]);
        let is_loop_end =
            matches!(state.end(), Some(StepEnd::MaxIterations | StepEnd::Stagnated(_)));
        let crashed = state.last_report().filter(|last| last.verdict == Verdict::Crashed);
        let is_known = plan.agent.kind.direct().is_some();
        let could_judge = |end: &Option<ProcessEnd>| {
            !is_known && end.as_ref().is_some_and(ProcessEnd::is_own_failure)
        };
        is_loop_end && crashed.is_some_and(|last| !could_judge(&last.end))
    }

    /// Whether two refused rounds left the same work tree, so that a third one would too. A person
    /// who decides is asked again.
    fn is_cycling(&self, group: &FlowGroup, step: usize) -> bool {
        let plan = &self.plan.steps[step - 1];
        let only_reports = plan.on_cycle.as_ref().is_some_and(|what| what.value == OnCycle::Report);
        let is_person = plan.is_question();
        self.groups[group.number - 1].cycling && !is_person && !only_reports
    }

    /// The index of the alternative that decides, and the position in it. An alternative that has
    /// begun is not left for the one that it replaced, also if that one could continue with other
    /// limits.
    fn deciding_alternative(&self, flows: &[Flow]) -> (usize, FlowPosition) {
        let begun = flows.iter().rposition(|flow| self.has_begun(flow)).unwrap_or(0);
        let mut failed: Option<(usize, usize, StepEnd)> = None;
        for (index, flow) in flows.iter().enumerate().skip(begun) {
            match self.position_in(flow) {
                FlowPosition::Incomplete { step, end }
                    if leads_to_alternative(&end)
                        && !self.is_refused_by_outer_group(flows, step)
                        && !self.is_limited_by_outer_group(flows, step, &end) =>
                {
                    failed = Some((index, step, end));
                }
                // Nothing ran instead.
                FlowPosition::Complete if failed.is_some() && self.is_not_needed(flow) => {}
                FlowPosition::AtStep { step, instead_of: None } if self.is_entry(flow, step) => {
                    let replaced = failed.map(|(_, replaced, _)| replaced);
                    let mut steps = flow.steps().into_iter();
                    let known = || steps.find_map(|step| self.steps[step - 1].instead_of);
                    return (
                        index,
                        FlowPosition::AtStep { step, instead_of: replaced.or_else(known) },
                    );
                }
                other => return (index, other),
            }
        }
        match failed {
            Some((index, step, end)) => (index, FlowPosition::Incomplete { step, end }),
            None => (begun, FlowPosition::Complete),
        }
    }

    /// Whether a step of a flow has begun, in the current round of the groups around it.
    fn has_begun(&self, flow: &Flow) -> bool {
        let mut steps = flow.steps().into_iter();
        let has_later_round = |group: &FlowGroup| self.groups[group.number - 1].round > 1;
        steps.any(|step| self.steps[step - 1].has_begun())
            || flow.groups().into_iter().any(has_later_round)
    }

    /// Whether no step of a flow before this one does any work.
    fn is_entry(&self, flow: &Flow, step: usize) -> bool {
        let mut before = flow.steps().into_iter().take_while(|other| *other != step);
        before.all(|other| {
            matches!(self.steps[other - 1].end(), Some(StepEnd::NotNeeded | StepEnd::Skipped))
        })
    }

    fn is_not_needed(&self, flow: &Flow) -> bool {
        let mut steps = flow.steps().into_iter();
        steps.all(|step| self.steps[step - 1].end() == Some(&StepEnd::NotNeeded))
    }

    /// Whether a step is complete, and the checks of a group around these alternatives refused its
    /// round.
    fn is_refused_by_outer_group(&self, flows: &[Flow], step: usize) -> bool {
        let failed = self.steps[step - 1].failed_round();
        failed.is_some_and(|round| !flows.iter().any(|flow| flow.has_group(round.group)))
    }

    /// Whether a limit of a group around these alternatives is the end of a step: it ends the group,
    /// and would end the alternative at once.
    fn is_limited_by_outer_group(&self, flows: &[Flow], step: usize, end: &StepEnd) -> bool {
        use StopReason::{GroupCost, GroupTime};
        let is_reached = |group: &FlowGroup| match end {
            StepEnd::GroupTime | StepEnd::AgentStopped(GroupTime) => {
                let limit = group.limits.time.value.value();
                limit.is_some_and(|limit| self.group_elapsed(group) >= limit.duration())
            }
            StepEnd::GroupCost | StepEnd::AgentStopped(GroupCost) => {
                let limit = group.limits.cost.value.value();
                limit.is_some_and(|limit| self.spend_of_group(group).dollars.at_least(limit))
            }
            _ => false,
        };
        let mut enclosing = self.plan.enclosing_groups(step).into_iter();
        enclosing.any(|group| {
            !flows.iter().any(|flow| flow.has_group(group.number)) && is_reached(group)
        })
    }

    /// The step that a pending step (one-based) runs instead of, if it is the current one.
    pub(super) fn replaced_step(&self, step: usize) -> Option<usize> {
        match self.position() {
            FlowPosition::AtStep { step: current, instead_of } if current == step => instead_of,
            _ => None,
        }
    }

    /// The current step, one-based: the first that is neither complete nor skipped on the path that
    /// the run takes; none if everything is complete.
    pub fn current_step(&self) -> Option<usize> {
        match self.position() {
            FlowPosition::AtStep { step, .. }
            | FlowPosition::RoundRefused { step, .. }
            | FlowPosition::BeforeRound { first_step: step, .. }
            | FlowPosition::Incomplete { step, .. } => Some(step),
            FlowPosition::Complete => None,
        }
    }

    /// How the chain ended if it is incomplete: the end of a step, or of a group that the step decided
    /// about.
    pub fn incomplete_end(&self) -> Option<StepEnd> {
        match self.position() {
            FlowPosition::Incomplete { end, .. } => Some(end),
            _ => None,
        }
    }

    /// Whether a round is to be judged or to begin, or the rounds of a group are used up.
    pub(crate) fn is_between_rounds(&self) -> bool {
        match self.position() {
            FlowPosition::RoundRefused { .. } | FlowPosition::BeforeRound { .. } => true,
            FlowPosition::Incomplete { end: StepEnd::MaxRounds(_), .. } => true,
            FlowPosition::Incomplete { step, end: StepEnd::Cycling(_) } => {
                let mut enclosing = self.plan.enclosing_repeated_groups(step).into_iter();
                enclosing.any(|group| self.groups[group.number - 1].cycling)
            }
            FlowPosition::Incomplete { .. } => false,
            FlowPosition::AtStep { .. } | FlowPosition::Complete => false,
        }
    }

    /// The steps on the path that the run takes: without alternatives that are not needed, and
    /// without steps that an alternative ran instead of.
    pub fn steps_on_path(&self) -> Vec<usize> {
        match &self.plan.flow {
            Some(flow) => {
                let mut steps = Vec::new();
                self.collect_path(flow, &mut steps);
                steps
            }
            None => (1..=self.steps.len()).collect(),
        }
    }

    fn collect_path(&self, flow: &Flow, steps: &mut Vec<usize>) {
        for stage in &flow.0 {
            match stage {
                FlowStage::Step(step) => steps.push(*step),
                FlowStage::Group(group) => self.collect_path(&group.stages, steps),
                FlowStage::Parallel(branches) => {
                    branches.iter().for_each(|branch| self.collect_path(branch, steps));
                }
                FlowStage::Alternatives(flows) => {
                    let succeeds = |step: usize| self.steps[step - 1].allows_next_step();
                    let inherited = flows.iter().position(|flow| {
                        let all = flow.steps();
                        all.iter().all(|step| *step <= self.inherited_steps && succeeds(*step))
                    });
                    let taken = inherited.unwrap_or_else(|| self.deciding_alternative(flows).0);
                    self.collect_path(&flows[taken], steps);
                }
            }
        }
    }
}
