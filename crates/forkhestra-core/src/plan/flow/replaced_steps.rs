//! Which steps an alternative runs instead of.

use super::plan_flow::{Flow, FlowStage};
use crate::plan::types::Plan;

impl Plan {
    /// The steps that a step runs instead of, if another one was not complete: all of the part before
    /// `else`. Steps are one-based.
    pub fn replaced_steps(&self, step: usize, other: usize) -> Vec<usize> {
        let part = self.flow.as_ref().and_then(|flow| flow.part_before_else(step, other));
        part.map_or_else(|| vec![other], Flow::steps)
    }
}

impl Flow {
    /// The innermost part that has `other`, and before an `else` the step.
    fn part_before_else(&self, step: usize, other: usize) -> Option<&Self> {
        self.0.iter().find_map(|stage| match stage {
            FlowStage::Step(_) => None,
            FlowStage::Group(group) => group.stages.part_before_else(step, other),
            FlowStage::Parallel(flows) => {
                flows.iter().find_map(|flow| flow.part_before_else(step, other))
            }
            FlowStage::Alternatives(flows) => {
                let inner = flows.iter().find_map(|flow| flow.part_before_else(step, other));
                let of = |number| flows.iter().position(|flow| flow.steps().contains(&number));
                let replaced = || of(other).filter(|part| of(step).is_some_and(|it| it > *part));
                inner.or_else(|| replaced().map(|part| &flows[part]))
            }
        })
    }
}
