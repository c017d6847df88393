//! The inventory: every chain and every agent that can be run here.

use std::collections::BTreeSet;

use serde::Serialize;

use super::agent::overlay;
use super::agent::plan_agent::PlanAgent;
use super::agent::resolve::{program_of_same_name, resolve_agent};
use super::cached_host::CachedHost;
use super::check::plan_check::PlanCheck;
use super::host_environment::HostEnvironment;
use super::plan_builder::PlanBuilder;
use super::plan_request::{PlanRequest, RunTarget};
use super::step::agent_files::{check_files, definition_problems};
use super::types::{PlanStep, QUESTION_MARK};
use super::value_origin::{Sourced, ValueOrigin};
use crate::built_in;
use crate::check::CheckSpec;
use crate::config::{ChainEntry, ConfigEntry, ConfigLayers, OnProtectedChange};
use crate::diagnostic::Diagnostic;
use crate::text::count::Count;

/// The version of the inventory's JSON.
const INVENTORY_VERSION: u32 = 1;

/// The chains and agents of the config files.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ConfigInventory {
    pub version: u32,
    /// The chains, those of the project first.
    pub chains: Vec<ChainSummary>,
    /// The agents that are configured, used by a chain, or built in.
    pub agents: Vec<AgentSummary>,
}

/// An agent and its problems.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AgentSummary {
    #[serde(flatten)]
    pub agent: PlanAgent,
    /// What it is for, if it is built in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<&'static str>,
    /// The origin of its default prompt, if it has one.
    pub default_prompt: Option<ValueOrigin>,
    /// Why it cannot be run, apart from a missing program.
    pub problems: Vec<String>,
    /// A note about another meaning that its name could have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name_note: Option<String>,
}

/// A chain and its requirements.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ChainSummary {
    pub name: String,
    /// The chain in one line.
    pub definition: String,
    pub description: Option<String>,
    pub source: ValueOrigin,
    /// The required variables.
    pub variables: Vec<String>,
    pub steps: Vec<StepSummary>,
    /// Why it cannot be run.
    pub problems: Vec<String>,
}

/// A step of a chain.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepSummary {
    pub agent: String,
    /// The maximum iterations of a loop; none for an agent that runs once.
    pub iterations: Option<Count>,
    pub checks: Vec<String>,
    /// Whether forkhestra added the check for open tasks.
    pub tasks_check_implied: bool,
    /// Whether a completion claim of an agent that did nothing is refused.
    pub require_work: bool,
    /// Whether its checks run on committed work only.
    pub clean_room: bool,
    /// The protected files whose changes are refused.
    pub protect: Vec<String>,
}

/// Lists what can be run, or returns the errors that make the whole config unusable.
pub fn inventory(
    layers: &ConfigLayers,
    host: &dyn HostEnvironment,
) -> Result<ConfigInventory, Vec<Diagnostic>> {
    let host = &CachedHost::new(host);
    let broken = check_files(layers, host);
    if !broken.is_empty() {
        return Err(broken);
    }
    let chains: Vec<ChainSummary> =
        layers.chains().map(|chain| summary(chain, layers, host)).collect();
    let configured = layers.agent_names().into_iter();
    let used = chains.iter().flat_map(|chain| &chain.steps).map(|step| step.agent.as_str());
    // A person answers a question, and no agent.
    let used = used.filter(|name| *name != QUESTION_MARK);
    let built_in = built_in::AGENTS.iter().filter(|_| layers.has_built_ins());
    let all = configured.chain(used).chain(built_in.map(|agent| agent.name));
    let mut seen = BTreeSet::new();
    let names: Vec<&str> = all.filter(|name| seen.insert(*name)).collect();
    let agents = names.into_iter().map(|name| agent_summary(name, layers, host)).collect();
    Ok(ConfigInventory { version: INVENTORY_VERSION, chains, agents })
}

fn agent_summary(name: &str, layers: &ConfigLayers, host: &dyn HostEnvironment) -> AgentSummary {
    let agent = resolve_agent(name, layers, host);
    let entries = overlay::entries(&agent, layers, host);
    let prompts = entries.prompts.and_then(|prompts| {
        let text = prompts.entry.default_prompt.as_ref().map(|text| text.span);
        let file = prompts.entry.default_prompt_file.as_ref().map(|file| file.span);
        Some(ValueOrigin::file(prompts.layer, text.or(file)?))
    });
    let mut problems =
        entries.definition.map_or_else(Vec::new, |agent| definition_problems(agent, host));
    problems.extend(overlay::problems(&agent, layers, host));
    let name_note =
        program_of_same_name(&agent, layers, host).map(|program| note(&agent, &program));
    let built_in = built_in::agent(name).filter(|_| agent.source == ValueOrigin::BuiltIn);
    AgentSummary {
        agent,
        description: built_in.map(|built_in| built_in.description),
        default_prompt: prompts,
        problems: problems.into_iter().map(|problem| problem.message).collect(),
        name_note,
    }
}

/// The note about the other meaning of an agent's name.
fn note(agent: &PlanAgent, program: &str) -> String {
    let alias = built_in::agent(&agent.name).map_or("", |built_in| built_in.alias);
    match agent.source {
        ValueOrigin::BuiltIn => format!("the system program `{program}` is not used"),
        _ => format!("the built-in agent of this name is `{alias}`; built-in chains use it"),
    }
}

/// Plans the chain without variables, to find the required ones and other problems.
fn summary(
    chain: ConfigEntry<'_, ChainEntry>,
    layers: &ConfigLayers,
    host: &dyn HostEnvironment,
) -> ChainSummary {
    let request = PlanRequest::new(RunTarget::Chain(chain.name.value.clone()), "");
    let mut builder = PlanBuilder::new(&request, layers, host);
    let plan = builder.plan_of_chain(chain);
    let problems = builder.diagnostics.iter().filter(|problem| problem.is_error());
    ChainSummary {
        name: chain.name.value.clone(),
        definition: plan.definition,
        description: plan.description,
        source: plan.source,
        variables: builder.missing_variables.keys().cloned().collect(),
        steps: plan.steps.iter().map(step_summary).collect(),
        problems: problems.map(|problem| problem.message.clone()).collect(),
    }
}

fn step_summary(step: &PlanStep) -> StepSummary {
    let is_implied = |check: &Sourced<PlanCheck>| {
        check.value.check == CheckSpec::Tasks && matches!(check.source, ValueOrigin::Implied(_))
    };
    StepSummary {
        agent: step.agent.name.clone(),
        iterations: step.iterations,
        checks: step.checks.iter().map(|check| check.value.check.to_string()).collect(),
        tasks_check_implied: step.checks.iter().any(is_implied),
        require_work: step.require_work,
        clean_room: step.clean_room.is_some(),
        protect: protected(step),
    }
}

/// The protected files, if their changes are refused and not only reported.
fn protected(step: &PlanStep) -> Vec<String> {
    let protect = step.protect.as_ref().map(|protect| &protect.value);
    let refused = protect.filter(|protect| protect.on_change == OnProtectedChange::Refuse);
    refused.map(|protect| protect.patterns.clone()).unwrap_or_default()
}
