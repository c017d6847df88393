//! What the rounds and alternatives of a run mean for one of its steps.

use super::RunHistory;
use crate::event::StepEnd;
use crate::machine::StepStatus;
use crate::plan::{Flow, FlowGroup, FlowStage, PlanStep};
use crate::policy::refuses_round;

impl RunHistory {
    /// The innermost repeated group around a step (one-based) whose first round has begun, with the
    /// number of its current round.
    pub fn innermost_round(&self, step: usize) -> Option<(&FlowGroup, u32)> {
        self.state.current_rounds(step).into_iter().next()
    }

    /// The step that runs instead of a step; both are one-based.
    pub fn replacement_of(&self, step: usize) -> Option<usize> {
        let mut others = (1..).zip(&self.state.steps);
        others.find(|(_, other)| other.instead_of == Some(step)).map(|(number, _)| number)
    }

    /// The current round, if a step (one-based) ran in an earlier round and not yet in this one.
    pub fn awaited_round(&self, step: usize) -> Option<u32> {
        let has_not_begun = match &self.state.step(step)?.status {
            StepStatus::Pending => true,
            StepStatus::Open => false,
            StepStatus::Ended(end) => *end == StepEnd::NotNeeded,
        };
        self.steps.get(step.checked_sub(1)?)?.started.filter(|_| has_not_begun)?;
        let mut rounds = self.state.current_rounds(step).into_iter().map(|(_, round)| round);
        rounds.find(|round| *round > 1)
    }

    /// The current round, if a step (one-based) has not begun in it, and has iterations of an
    /// earlier one.
    pub fn round_after_earlier_work(&self, step: usize) -> Option<u32> {
        self.awaited_round(step).filter(|_| self.state.steps[step - 1].iterations() > 0)
    }

    /// Whether a step (one-based) belongs to an alternative that is not needed: what it would replace
    /// is complete. Another alternative that has not begun may still run.
    pub fn is_unneeded_alternative(&self, step: usize) -> bool {
        let on_path = self.state.steps_on_path();
        let flow = self.state.plan.flow.as_ref();
        flow.is_some_and(|flow| self.is_unneeded_in(flow, step, &on_path))
    }

    fn is_unneeded_in(&self, flow: &Flow, step: usize, on_path: &[usize]) -> bool {
        let contains = |flow: &Flow| flow.steps().contains(&step);
        flow.0.iter().any(|stage| match stage {
            FlowStage::Step(_) => false,
            FlowStage::Group(group) => self.is_unneeded_in(&group.stages, step, on_path),
            FlowStage::Parallel(flows) => {
                flows.iter().any(|flow| self.is_unneeded_in(flow, step, on_path))
            }
            FlowStage::Alternatives(flows) => {
                let Some(own) = flows.iter().position(contains) else { return false };
                let mut before = flows[..own].iter().flat_map(Flow::steps);
                if before.any(|step| on_path.contains(&step)) {
                    // The run is past all alternatives if one of them is complete.
                    let last = flows.iter().flat_map(Flow::steps).max();
                    return self.state.current_step() > last || self.state.current_step().is_none();
                }
                self.is_unneeded_in(&flows[own], step, on_path)
            }
        })
    }

    /// Whether the agent of a step (one-based) runs once, and did not accept the round that it
    /// decides about.
    pub fn is_not_accepted(&self, step: usize) -> bool {
        let end = self.state.step(step).and_then(|state| state.end());
        let decides = |step: &&PlanStep| {
            step.decides_round && step.iterations.is_none() && !step.is_question()
        };
        let plan = self.state.plan.step(step).filter(decides);
        plan.zip(end).is_some_and(|(plan, end)| refuses_round(plan, end))
    }
}
