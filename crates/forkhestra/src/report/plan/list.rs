//! Report of `list`: chains and agents that can be run.

use std::collections::BTreeMap;

use forkhestra_core::built_in::AGENTS;
use forkhestra_core::config::{Billing, ConfigLayers, Permissions};
use forkhestra_core::plan::{
    AgentKind, AgentSummary, ChainSummary, ConfigInventory, DirectSpawn, PlanAgent, StepSummary,
    ValueOrigin,
};
use forkhestra_core::text;
use typeset::style::{DIM, NAME, WARNING, paint};
use typeset::text::{escaped_json, visible};

use super::list_built_in;
use super::step::{kind, missing_program};
use crate::report::text::checks;

/// The inventory for a person.
pub(crate) fn render(inventory: &ConfigInventory, layers: &ConfigLayers) -> String {
    let is_ours = |source: &ValueOrigin| *source == ValueOrigin::BuiltIn;
    let (our_chains, chains): (Vec<_>, Vec<_>) =
        inventory.chains.iter().partition(|chain| is_ours(&chain.source));
    let (mut our_agents, agents): (Vec<_>, Vec<_>) =
        inventory.agents.iter().partition(|summary| is_ours(&summary.agent.source));
    let mut parts = Vec::new();
    if chains.is_empty() && agents.is_empty() {
        parts.push(nothing_configured(layers));
    }
    if !chains.is_empty() {
        parts.push(format!("Chains:\n{}", chains.into_iter().map(chain).collect::<String>()));
    }
    if !agents.is_empty() {
        parts.push(format!("Agents:\n{}", agents.into_iter().map(agent).collect::<String>()));
    }
    if !our_chains.is_empty() {
        parts.push(list_built_in::chains(&our_chains));
    }
    our_agents.sort_by_key(|summary| {
        AGENTS.iter().position(|agent| [agent.name, agent.alias].contains(&&*summary.agent.name))
    });
    if !our_agents.is_empty() {
        parts.push(list_built_in::agents(&our_agents));
    }
    parts.join("\n")
}

/// The inventory as JSON.
pub(crate) fn json(inventory: &ConfigInventory) -> String {
    let text = serde_json::to_string_pretty(inventory);
    let text = text.expect("an inventory holds only strings, numbers and lists of them");
    escaped_json(&text).into_owned() + "\n"
}

fn nothing_configured(layers: &ConfigLayers) -> String {
    let files: Vec<String> =
        layers.user_layers().map(|layer| layer.file_name().to_owned()).collect();
    let (names, what) = match files.as_slice() {
        [] => (&layers.looked_for, "No chains or agents are configured here; looked for"),
        _ => (&files, "No chains or agents are configured in"),
    };
    let names = visible(&text::join_with_and(&text::quoted(names)));
    format!("{what} {names}.\nAny program on PATH can be run as an agent all the same.\n")
}

fn chain(chain: &ChainSummary) -> String {
    let mut text = heading(&chain.name, &chain.source);
    let definition = if chain.steps.is_empty() { "(no steps)" } else { &chain.definition };
    text.push_str(&format!("    {}\n", visible(definition)));
    if let Some(description) = &chain.description {
        text.push_str(&format!("    {}\n", visible(description)));
    }
    if !chain.variables.is_empty() {
        let needed: Vec<String> = chain.variables.iter().map(|name| format!("{name}=…")).collect();
        text.push_str(&format!("    needs {}\n", needed.join(" ")));
    }
    for step in chain.steps.iter().filter(|step| step.tasks_check_implied) {
        text.push_str(&format!(
            "    {} is complete when no task is left (check `tasks`)\n",
            visible(&step.agent)
        ));
    }
    for step in &chain.steps {
        text.extend(checked(step));
    }
    for step in chain.steps.iter().filter(|step| step.require_work) {
        text.push_str(&format!(
            "    {} is complete only after some work (`requireWork`)\n",
            visible(&step.agent)
        ));
    }
    text.extend(chain.steps.iter().flat_map(guarded));
    text.extend(chain.problems.iter().map(|problem| cannot_run(problem)));
    text
}

/// The configured checks of a step. An implied check has its own line.
fn checked(step: &StepSummary) -> Option<String> {
    let own = step.checks.iter().filter(|_| !step.tasks_check_implied);
    let own: Vec<String> = own.map(|check| checks::name(check)).collect();
    let checks = text::join_with_and(&text::quoted(&own));
    let agent = visible(&step.agent);
    (!own.is_empty()).then(|| format!("    {agent} is checked by {checks}\n"))
}

/// Further requirements for a completion claim.
fn guarded(step: &StepSummary) -> impl Iterator<Item = String> {
    let agent = visible(&step.agent);
    let patterns: Vec<String> = step.protect.iter().map(|pattern| visible(pattern)).collect();
    let patterns = text::join_with_and(&text::quoted(&patterns));
    let room = step
        .clean_room
        .then(|| format!("    {agent} is complete only with what is committed (`cleanRoom`)\n"));
    let protected = (!step.protect.is_empty())
        .then(|| format!("    {agent} may not change {patterns} (`protect`)\n"));
    room.into_iter().chain(protected)
}

fn agent(summary: &AgentSummary) -> String {
    let AgentSummary { agent, default_prompt, problems, .. } = summary;
    let missing = missing_program(&agent.kind).map(|missing| paint(WARNING, &missing));
    let what = match (&agent.kind, missing) {
        _ if agent.replay.is_some() => kind(agent),
        (AgentKind::Program(_), None) | (AgentKind::Question(_), _) => kind(agent),
        // A missing program has nothing to show but its name.
        (AgentKind::Program(_), Some(missing)) => missing,
        (AgentKind::Direct(direct), None) => direct_spawn(agent, direct),
        (AgentKind::Direct(direct), Some(missing)) => {
            format!("{}; {missing}", direct_spawn(agent, direct))
        }
    };
    let mut text = format!("{}    {what}\n", heading(&agent.name, &agent.source));
    if let Some(source) = default_prompt {
        let source = paint(DIM, &format!("[{}]", visible(&source.to_string())));
        text.push_str(&format!("    default prompt  {source}\n"));
    }
    text.extend(adjusted(agent).map(|what| format!("    {what}\n")));
    text.extend(summary.name_note.iter().map(|note| format!("    {}\n", visible(note))));
    text.extend(problems.iter().map(|problem| cannot_run(problem)));
    text
}

/// Settings of an agent that are not decided by its definition, in one line.
pub(crate) fn adjusted(agent: &PlanAgent) -> Option<String> {
    let mut by_origin: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (key, origin) in &agent.adjusted {
        let place = match origin {
            // All keys are lines of the same entry, so line numbers are left out.
            ValueOrigin::File { path, .. } => path.clone(),
            origin => origin.to_string(),
        };
        by_origin.entry(place).or_default().push(setting(agent, key));
    }
    let adjusted = by_origin.iter().map(|(place, settings)| {
        let place = paint(DIM, &format!("[{}]", visible(place)));
        format!("{}  {place}", visible(&settings.join(", ")))
    });
    let adjusted: Vec<String> = adjusted.collect();
    (!adjusted.is_empty()).then(|| format!("adjusted: {}", adjusted.join("; ")))
}

/// A setting by its key, with its value if that is short.
fn setting(agent: &PlanAgent, key: &str) -> String {
    let AgentKind::Direct(direct) = &agent.kind else { return key.to_owned() };
    let value = match key {
        "backend" => Some(direct.backend.word().to_owned()),
        "model" => direct.model.clone(),
        "maxTurns" => direct.max_turns.map(|turns| turns.to_string()),
        "permissions" => Some(direct.permissions.word().to_owned()),
        "billing" => Some(direct.billing.word().to_owned()),
        _ => None,
    };
    value.map_or_else(|| key.to_owned(), |value| format!("{key} {value}"))
}

/// An agent with its permissions and billing where they differ from the default.
fn direct_spawn(agent: &PlanAgent, direct: &DirectSpawn) -> String {
    let mut text = kind(agent);
    if direct.permissions != Permissions::default() {
        text.push_str(&format!(", permissions {}", direct.permissions.word()));
    }
    if direct.billing != Billing::default() {
        text.push_str(&format!(", billing {}", direct.billing.word()));
    }
    text
}

fn cannot_run(problem: &str) -> String {
    format!("    {}: {}\n", paint(WARNING, "cannot run"), visible(problem))
}

fn heading(name: &str, source: &ValueOrigin) -> String {
    let source = match source {
        // The location of a program is shown below.
        ValueOrigin::Path | ValueOrigin::GivenPath => String::new(),
        source => format!("  {}", paint(DIM, &format!("[{}]", visible(&source.to_string())))),
    };
    format!("  {}{source}\n", paint(NAME, &visible(name)))
}
