//! The progress of the steps of a run, also while lanes work on them.

use super::step_history::UnfinishedAgent;
use super::{ExecutionStatus, IterationRecord, Liveness, RunHistory};
use crate::cost::Spend;
use crate::event::IterationReport;
use crate::id::UnitId;
use crate::machine::StepState;
use crate::plan::PlanAgent;

impl RunHistory {
    /// The state of a step (one-based). While the branches of a parallel stage run, it is that in the
    /// lane of its branch.
    pub fn step_state(&self, number: usize) -> Option<&StepState> {
        let lanes = self.state.lanes_of(number).into_iter().flat_map(|lanes| &lanes.lanes);
        let mut branches = lanes.filter(|lane| lane.shared_step.is_none());
        let branch = branches.find(|lane| {
            let flow = lane.progress.plan.flow.as_ref();
            flow.is_some_and(|flow| flow.steps().contains(&number))
        });
        branch.map_or(&self.state, |lane| &lane.progress).step(number)
    }

    /// The status of a step (one-based).
    pub fn step_status(&self, number: usize, liveness: Liveness) -> ExecutionStatus {
        let is_over = self.state.end.is_some();
        let liveness = if is_over { Liveness::Gone } else { liveness };
        if self.is_not_accepted(number) {
            return ExecutionStatus::NotAccepted;
        }
        self.step_state(number).map_or(ExecutionStatus::Pending, |step| {
            ExecutionStatus::of_step(&step.status, liveness)
        })
    }

    /// The number of iterations with an outcome, over all steps.
    pub fn iterations(&self) -> u32 {
        (1..=self.steps.len()).map(|number| self.step_iterations(number)).sum()
    }

    /// The number of iterations of a step (one-based) that have an outcome, in all lanes.
    pub fn step_iterations(&self, number: usize) -> u32 {
        self.iterations_after(number, 0)
            .or_else(|| Some(self.step_state(number)?.iterations()))
            .unwrap_or(0)
    }

    /// The same in the current round.
    pub fn step_iterations_in_round(&self, number: usize) -> u32 {
        let shared = self.state.step(number).and_then(|step| step.shared_numbers.as_ref());
        self.iterations_after(number, shared.map_or(0, |numbers| numbers.taken_before))
            .or_else(|| Some(self.step_state(number)?.finished_in_round()))
            .unwrap_or(0)
    }

    /// The number of iterations with an outcome behind an iteration, if lanes share those of the step.
    fn iterations_after(&self, number: usize, before: u32) -> Option<u32> {
        self.state.step(number)?.shared_numbers.as_ref()?;
        let records = &self.steps.get(number.checked_sub(1)?)?.iterations;
        let finished = records.iter().filter(|record| record.report.has_outcome());
        let mut numbers: Vec<u32> = finished.map(|record| record.unit.iteration).collect();
        numbers.retain(|iteration| *iteration > before);
        numbers.sort_unstable();
        numbers.dedup();
        u32::try_from(numbers.len()).ok()
    }

    /// What a step (one-based) has spent; none if it is unknown for all of its agents.
    pub fn step_spend(&self, number: usize) -> Option<Spend> {
        let (step, state) = (self.steps.get(number.checked_sub(1)?)?, self.step_state(number)?);
        let spend = state.all_spend();
        let is_reported = step.iterations.iter().any(|record| record.report.spend.is_some());
        (is_reported || state.spending.is_some() || !spend.is_zero()).then_some(spend)
    }

    /// The last agent that is running or whose work is being checked, if its end is not recorded.
    pub fn unfinished_agent(&self) -> Option<(UnitId, &UnfinishedAgent)> {
        let works = self.steps.iter().filter_map(|step| step.unfinished_agent());
        works.map(|work| (work.unit, work)).next_back()
    }

    /// All agents that are running or whose work is being checked, in the order of steps and starts.
    pub fn unfinished_agents(&self) -> impl Iterator<Item = &UnfinishedAgent> {
        self.steps.iter().flat_map(|step| &step.unfinished_agents)
    }

    /// The preliminary report of an agent that has ended and whose work is being checked.
    pub fn unchecked_report(&self, agent: &UnfinishedAgent) -> Option<&IterationReport> {
        let lane =
            agent.lane.and_then(|lane| Some(&self.state.lanes.as_deref()?.lane(lane)?.progress));
        let step = lane.unwrap_or(&self.state).step(agent.unit.step)?;
        let (unit, report) = step.unchecked.as_deref()?;
        (*unit == agent.unit).then_some(report)
    }

    /// The agent of an attempt, on the back-end that it ran on.
    pub fn agent_of(&self, unit: UnitId) -> Option<&PlanAgent> {
        let step = self.state.plan.step(unit.step)?;
        let history = self.steps.get(unit.step.checked_sub(1)?)?;
        let record = history.iterations.iter().rfind(|record| record.unit == unit);
        let unfinished = history.unfinished_agents.iter().find(|agent| agent.unit == unit);
        let fallback = record.map(|record: &IterationRecord| record.fallback);
        match fallback.or(unfinished.map(|agent| agent.fallback)).flatten() {
            Some(_) => step.fallback_agent(),
            None => Some(step.primary_agent()),
        }
    }
}
