//! A plan's chain in one line: its `definition`.

use super::plan_flow::{Flow, FlowStage};
use crate::dsl::{Dsl, DslPartKind};
use crate::plan::agent::plan_agent::AgentKind;
use crate::plan::types::PlanStep;
use crate::text::count::Count;

/// The chain in one line, as on the command line, but names that cannot be written there are
/// quoted. Conditions and texts of questions are left out.
pub(crate) fn chain_line(flow: Option<&Flow>, steps: &[PlanStep]) -> String {
    match flow {
        Some(flow) => joined_stages(flow, steps),
        None => steps.iter().map(part).collect::<Vec<_>>().join(" -> "),
    }
}

fn joined_stages(flow: &Flow, steps: &[PlanStep]) -> String {
    flow.0.iter().map(|other| stage(other, steps)).collect::<Vec<_>>().join(" -> ")
}

fn stage(stage_of: &FlowStage, steps: &[PlanStep]) -> String {
    match stage_of {
        FlowStage::Step(step) => steps.get(step.saturating_sub(1)).map(part).unwrap_or_default(),
        FlowStage::Group(group) => {
            let inner = joined_stages(&group.stages, steps);
            let lanes = group.lanes.map(|lanes| format!(" x{lanes}")).unwrap_or_default();
            match (group.rounds, group.stages.0.as_slice()) {
                (Some(rounds), _) => format!("({inner}):{rounds}{lanes}"),
                (None, [FlowStage::Step(_) | FlowStage::Group(_) | FlowStage::Parallel(_)]) => {
                    inner
                }
                (None, _) => format!("({inner})"),
            }
        }
        FlowStage::Alternatives(flows) => {
            let parts = flows.iter().map(|flow| match flow.0.as_slice() {
                [only] => stage(only, steps),
                _ => format!("({})", joined_stages(flow, steps)),
            });
            parts.collect::<Vec<_>>().join(" else ")
        }
        FlowStage::Parallel(branches) => {
            let branches = branches.iter().map(|branch| joined_stages(branch, steps));
            format!("({})", branches.collect::<Vec<_>>().join(" | "))
        }
    }
}

fn part(step: &PlanStep) -> String {
    let name = &step.agent.name;
    let is_question = matches!(step.agent.kind, AgentKind::Question(_));
    let lanes = match (step.lanes, &step.best) {
        (Some(lanes), _) => format!(" x{lanes}"),
        (None, Some(best)) => format!(" best{}", best.lanes),
        (None, None) => String::new(),
    };
    let text = counted(name, step.iterations);
    if is_question || is_read_as(&text, name, step.iterations) {
        return text + &lanes;
    }
    // A name of a config may read as another form, such as a question.
    counted(&format!("{name:?}"), step.iterations) + &lanes
}

fn counted(name: &str, count: Option<Count>) -> String {
    match count {
        Some(count) => format!("{name}:{count}"),
        None => name.to_owned(),
    }
}

/// Whether a text in a chain is this agent with this count.
fn is_read_as(text: &str, name: &str, count: Option<Count>) -> bool {
    // Most names are plain words. `else` is a keyword, and `x4` is reserved.
    let is_letter = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'-' | b'_');
    if name.bytes().all(is_letter) && name != "else" && !name.starts_with('x') && !name.is_empty() {
        return true;
    }
    let Ok(dsl) = Dsl::parse(text) else { return false };
    let Some(part) = dsl.chain.only_part() else { return false };
    matches!(&part.kind, DslPartKind::Agent(agent) if agent.value == name) && part.count == count
}
