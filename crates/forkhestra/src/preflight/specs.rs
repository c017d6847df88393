//! Finds planners that have no requirements to work on.

use forkhestra_core::built_in;
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::{AgentKind, Plan, PlanStep, Prompt};
use forkhestra_engine::regular_file;

use crate::project::project_location::ProjectLocation;
use crate::project::specs_directory::{PLAN, SpecState, SpecsDirectory};

/// The built-in agents that take their work from the specifications, unless a prompt gives it.
const READERS: [&str; 2] = ["planner", "task-manager"];

/// The problem if the first step has nothing to plan. Later steps are not checked: they may read
/// what an earlier one writes.
pub(crate) fn check_specs(plan: &Plan, project: &ProjectLocation) -> Option<Diagnostic> {
    let step = plan.steps.first().filter(|step| reads_specs(step, project))?;
    let specs = SpecsDirectory::find(&project.working_directory);
    let (number, agent) = (step.number, &step.agent.name);
    if let Some((name, why)) = specs.unreadable() {
        let file = project.shown(&specs.file(name));
        return Some(
            Diagnostic::error(format!("step {number}: {agent} cannot read `{file}`: {why}"))
                .hint("make it a file that you can read, or remove it"),
        );
    }
    if specs.has_requirements() {
        return None;
    }
    let file = project.shown(&specs.file(PLAN));
    let why = match specs.state(PLAN) {
        SpecState::Missing => "does not exist",
        SpecState::Blank => "is empty",
        SpecState::Template | SpecState::Written => "is still the template of `forkhestra init`",
    };
    Some(
        Diagnostic::error(format!("step {number}: {agent} has nothing to plan: `{file}` {why}"))
            .hint(format!(
                "write what you want into `{file}`, or let `forkhestra plan` ask and write it"
            ))
            .hint("or give the agent a prompt: -p \"what to plan\""),
    )
}

/// Whether a step starts a real agent with the prompt of a built-in planner, or with a copy of it
/// from `init --with-prompts`, and without another task.
fn reads_specs(step: &PlanStep, project: &ProjectLocation) -> bool {
    let AgentKind::Direct(direct) = &step.agent.kind else { return false };
    let is_planner = |text: &str| {
        let mut planners = READERS.iter().filter_map(|name| built_in::agent(name));
        planners.any(|planner| planner.prompt.trim() == text.trim())
    };
    let is_asked = !matches!(&step.prompt.value, Prompt::None);
    !is_asked
        && step.agent.replay.is_none()
        && match &direct.system_prompt.value {
            Prompt::None => false,
            Prompt::Text(text) => is_planner(text),
            Prompt::File(path) => regular_file::read_text(&project.working_directory.join(path))
                .is_ok_and(|text| is_planner(&text)),
        }
}
