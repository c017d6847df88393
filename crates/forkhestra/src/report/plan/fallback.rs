//! Entries of a plan for the fallback of a step.

use forkhestra_core::plan::{BackendRole, Plan, PlanAgent, PlanStep};
use forkhestra_core::text;
use typeset::text::visible;

use super::dry_run::{DryRunEntry, Verbosity};
use super::invocation;
use crate::project::project_location::ProjectLocation;

/// What takes over at a usage limit, and what of the step is not passed to it.
pub(crate) fn entries(
    step: &PlanStep,
    plan: &Plan,
    project: &ProjectLocation,
    detail: Verbosity,
) -> Vec<DryRunEntry> {
    let Some(fallback) = &step.fallback else { return Vec::new() };
    let Some(direct) = fallback.agent.kind.direct() else { return Vec::new() };
    let mut value = direct.backend.program().to_owned();
    if direct.command != direct.backend.program() {
        value.push_str(&format!(", as {}", visible(&direct.command)));
    }
    value.push_str(&match (&direct.model, &fallback.priced_model) {
        (Some(model), _) => format!(", with the model {}", visible(model)),
        (None, Some(model)) => format!(", with its own model, priced as {}", visible(model)),
        (None, None) => ", with its own model".to_owned(),
    });
    let missing = not_passed(step);
    if !missing.is_empty() {
        value.push_str(&format!("; it does not get {}", text::join_with_and(&missing)));
    }
    let mut entries = vec![DryRunEntry::new("at a usage limit", value).from([&fallback.source])];
    if detail == Verbosity::Verbose {
        entries.extend(invocation::entry(&step.on_backend(BackendRole::Fallback), plan, project));
    }
    entries
}

/// The arguments and variables that belong to the primary back-end alone, and a list of tools that the
/// other one cannot have.
fn not_passed(step: &PlanStep) -> Vec<String> {
    let primary = step.agent.kind.env().names();
    let other: Vec<&str> =
        step.fallback_agent().into_iter().flat_map(|agent| agent.kind.env().names()).collect();
    let variables = primary.filter(|name| !other.contains(name)).map(visible);
    let args = (!step.args.is_empty()).then(|| "the arguments".to_owned());
    let has_tools = |agent: Option<&PlanAgent>| {
        agent.and_then(|agent| agent.kind.direct()).is_some_and(|it| it.allowed_tools.is_some())
    };
    let loses_tools = has_tools(Some(&step.agent)) && !has_tools(step.fallback_agent());
    let tools = loses_tools.then(|| "the list of allowed tools".to_owned());
    args.into_iter().chain(tools).chain(variables).collect()
}
