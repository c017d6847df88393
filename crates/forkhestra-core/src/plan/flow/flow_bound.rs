//! Upper bounds of a flow, for the dry run.

use super::plan_flow::{Flow, FlowStage};
use crate::plan::types::{Plan, PlanStep};

/// The most that a flow can execute.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FlowBound {
    pub iterations: u64,
    pub questions: u64,
}

impl FlowBound {
    fn of_step(step: Option<&PlanStep>) -> Self {
        match step {
            None => Self::default(),
            Some(step) if step.is_question() => Self { iterations: 0, questions: 1 },
            Some(step) => {
                let iterations = step.iterations.map_or(1, |count| u64::from(count.get()));
                // Lanes share the iterations of a step, but each of best of N has all of them.
                let attempts = step.best.as_ref().map_or(1, |best| u64::from(best.lanes.get()));
                let iterations = iterations.saturating_mul(attempts);
                Self { iterations, questions: 0 }
            }
        }
    }

    const fn plus(self, other: Self) -> Self {
        Self {
            iterations: self.iterations.saturating_add(other.iterations),
            questions: self.questions.saturating_add(other.questions),
        }
    }

    const fn times(self, rounds: u64) -> Self {
        Self {
            iterations: self.iterations.saturating_mul(rounds),
            questions: self.questions.saturating_mul(rounds),
        }
    }
}

impl Flow {
    fn bound(&self, steps: &[PlanStep]) -> FlowBound {
        let bounds = self.0.iter().map(|stage| match stage {
            FlowStage::Step(step) => FlowBound::of_step(steps.get(step.saturating_sub(1))),
            FlowStage::Group(group) => {
                let rounds = group.rounds.map_or(1, |rounds| u64::from(rounds.get()));
                group.stages.bound(steps).times(rounds)
            }
            FlowStage::Alternatives(flows) | FlowStage::Parallel(flows) => {
                flows.iter().fold(FlowBound::default(), |sum, flow| sum.plus(flow.bound(steps)))
            }
        });
        bounds.fold(FlowBound::default(), FlowBound::plus)
    }
}

impl Plan {
    /// The most that a run of the plan can execute. Attempts without an outcome do not count.
    pub fn bound(&self) -> FlowBound {
        match &self.flow {
            Some(flow) => flow.bound(&self.steps),
            None => {
                let bounds = self.steps.iter().map(|step| FlowBound::of_step(Some(step)));
                bounds.fold(FlowBound::default(), FlowBound::plus)
            }
        }
    }
}
