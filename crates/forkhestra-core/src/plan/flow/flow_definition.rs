//! A plan's chain in one line.

use super::plan_flow::{Flow, FlowStage};
use crate::plan::types::PlanStep;

/// The chain in one line, as on the command line. Conditions and texts of questions are left out.
pub(crate) fn definition(flow: Option<&Flow>, steps: &[PlanStep]) -> String {
    match flow {
        Some(flow) => chain(flow, steps),
        None => steps.iter().map(part).collect::<Vec<_>>().join(" -> "),
    }
}

fn chain(flow: &Flow, steps: &[PlanStep]) -> String {
    flow.0.iter().map(|other| stage(other, steps)).collect::<Vec<_>>().join(" -> ")
}

fn stage(stage_of: &FlowStage, steps: &[PlanStep]) -> String {
    match stage_of {
        FlowStage::Step(step) => steps.get(step.saturating_sub(1)).map(part).unwrap_or_default(),
        FlowStage::Group(group) => {
            let inner = chain(&group.stages, steps);
            match (group.rounds, group.stages.0.as_slice()) {
                (Some(rounds), _) => format!("({inner}):{rounds}"),
                (None, [FlowStage::Step(_) | FlowStage::Group(_)]) => inner,
                (None, _) => format!("({inner})"),
            }
        }
        FlowStage::Alternatives(flows) => {
            let parts = flows.iter().map(|flow| match flow.0.as_slice() {
                [only] => stage(only, steps),
                _ => format!("({})", chain(flow, steps)),
            });
            parts.collect::<Vec<_>>().join(" else ")
        }
    }
}

fn part(step: &PlanStep) -> String {
    match step.iterations {
        Some(count) => format!("{}:{count}", step.agent.name),
        None => step.agent.name.clone(),
    }
}
