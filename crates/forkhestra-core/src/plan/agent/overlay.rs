//! Overlays: config entries without a prompt, which adjust an agent key by key.

use super::resolve::means_program;
use crate::built_in;
use crate::config::{
    AgentEntries, AgentEntry, AgentSetting, Backend, ConfigEntry, ConfigLayerKind, ConfigLayers,
    SettingProblem, ToolSpec, model_misfit,
};
use crate::diagnostic::source::{Span, Spanned};
use crate::diagnostic::{Diagnostic, Severity};
use crate::plan::agent::plan_agent::{AgentKind, DirectSpawn, EnvVars, PlanAgent};
use crate::plan::error;
use crate::plan::host_environment::{HostEnvironment, ProgramLocation};
use crate::plan::plan_builder::PlanBuilder;
use crate::plan::step::agent_files::overlay_file_problems;
use crate::plan::types::Plan;
use crate::plan::value_origin::ValueOrigin;
use crate::text;

pub(crate) const BACKEND: &str = "backend";
const ENV: &str = "env";

/// The config entries for an agent. A built-in agent has two names, and an entry under one of them
/// also adjusts it under the other.
pub(crate) fn entries<'a>(
    agent: &PlanAgent,
    layers: &'a ConfigLayers,
    host: &dyn HostEnvironment,
) -> AgentEntries<'a> {
    if agent.source == ValueOrigin::BuiltIn {
        entries_of_built_in(&agent.name, layers, host)
    } else {
        layers.agent(&agent.name)
    }
}

/// The config entries for a name that means a built-in agent.
pub(crate) fn entries_of_built_in<'a>(
    name: &str,
    layers: &'a ConfigLayers,
    host: &dyn HostEnvironment,
) -> AgentEntries<'a> {
    let mut entries = layers.agent(name);
    let Some(other) = built_in::other_name(name) else { return entries };
    let others = layers.agent(other);
    // The other name may mean another agent: one of the config, or a program.
    if others.definition.is_some() || means_program(other, host) {
        return entries;
    }
    let depth = |entry: &ConfigEntry<'_, AgentEntry>| {
        layers.files.iter().position(|layer| std::ptr::eq(layer, entry.layer))
    };
    entries.overlays.extend(others.overlays);
    // In one file the name itself comes before the other name: the sort is stable.
    entries.overlays.sort_by_key(depth);
    let prompts = entries.prompts.into_iter().chain(others.prompts);
    entries.prompts = prompts.min_by_key(depth);
    entries
}

/// The agent program that the nearest overlay names.
pub(crate) fn backend(entries: &AgentEntries<'_>) -> Option<Backend> {
    entries.overlays.iter().find_map(|overlay| Some(overlay.entry.named_backend()?.value))
}

/// Applies the overlays to an agent. The nearest one wins, key by key; variables of `env` are
/// merged.
pub(crate) fn apply(agent: &mut PlanAgent, entries: &AgentEntries<'_>, host: &dyn HostEnvironment) {
    // A recording takes no settings.
    if agent.replay.is_some() {
        return;
    }
    for overlay in entries.overlays.iter().rev() {
        let mut adjusted = Vec::new();
        let variables = env(overlay.entry);
        if let Some(written) = &overlay.entry.env {
            agent.kind.env_mut().into_iter().for_each(|env| env.0.extend(variables.0.clone()));
            adjusted.push((ENV, written.span));
        }
        if let AgentKind::Direct(direct) = &mut agent.kind {
            adjusted.extend(adjust_backend(direct, overlay.entry, host));
            adjust_settings(direct, overlay.entry);
            adjusted.extend(settings(overlay.entry));
        }
        for (key, span) in adjusted {
            agent.adjusted.insert(key.to_owned(), ValueOrigin::file(overlay.layer, span));
        }
    }
}

/// Sets the agent program. A built-in agent was created for it, since its tools depend on it.
fn adjust_backend(
    direct: &mut DirectSpawn,
    entry: &AgentEntry,
    host: &dyn HostEnvironment,
) -> Option<(&'static str, Span)> {
    let named = entry.named_backend()?;
    if direct.system_prompt.source == ValueOrigin::BuiltIn {
        return (direct.backend == named.value).then_some((BACKEND, named.span));
    }
    direct.backend = named.value;
    direct.command = host.agent_program(named.value);
    direct.location = host.locate(&direct.command);
    Some((BACKEND, named.span))
}

/// Takes over the settings of an entry.
pub(crate) fn adjust_settings(direct: &mut DirectSpawn, entry: &AgentEntry) {
    if let Some(model) = &entry.model {
        direct.model = Some(model.value.0.clone());
    }
    if let Some(turns) = &entry.max_turns {
        direct.max_turns = Some(turns.value);
    }
    if let Some(tools) = &entry.allowed_tools {
        // An empty list is no restriction.
        direct.allowed_tools = Some(tool_names(tools)).filter(|tools| !tools.is_empty());
    }
    if let Some(tools) = &entry.disallowed_tools {
        direct.disallowed_tools = Some(tool_names(tools));
    }
    if let Some(path) = &entry.mcp_config {
        direct.mcp_config = Some(path.value.0.clone());
    }
    if let Some(path) = &entry.settings {
        direct.settings = Some(path.value.0.clone());
    }
    if let Some(permissions) = &entry.permissions {
        direct.permissions = permissions.value;
    }
    if let Some(billing) = &entry.billing {
        direct.billing = billing.value;
    }
}

/// The environment variables of an entry.
pub(crate) fn env(entry: &AgentEntry) -> EnvVars {
    let pairs = entry.env.iter().flat_map(|env| env.value.0.iter());
    EnvVars(pairs.map(|(name, value)| (name.value.clone(), value.clone())).collect())
}

fn tool_names(tools: &Spanned<Vec<Spanned<ToolSpec>>>) -> Vec<String> {
    tools.value.iter().map(|tool| tool.value.0.clone()).collect()
}

/// All settings in an agent's entries that it cannot honour.
pub(crate) fn problems(
    agent: &PlanAgent,
    layers: &ConfigLayers,
    host: &dyn HostEnvironment,
) -> Vec<Diagnostic> {
    let entries = entries(agent, layers, host);
    let files = entries.overlays.iter().flat_map(|overlay| overlay_file_problems(*overlay, host));
    let mut problems = match &agent.kind {
        _ if agent.replay.is_some() => recording_setting_problems(&entries),
        AgentKind::Direct(direct) => setting_problems(&entries, direct.backend),
        AgentKind::Program(_) => program_setting_problems(agent, &entries, layers),
        AgentKind::Question(_) => Vec::new(),
    };
    problems.extend(files);
    problems
}

/// The settings of an agent that is spawned directly, each from the nearest entry that has it.
fn setting_problems(entries: &AgentEntries<'_>, backend: Backend) -> Vec<Diagnostic> {
    // A definition alone was checked when it was decoded.
    if entries.overlays.is_empty() {
        return Vec::new();
    }
    let nearest = |setting| entries.nearest_first().find(|e| e.entry.span_of(setting).is_some());
    let written =
        AgentSetting::ALL.into_iter().filter_map(|setting| Some((setting, nearest(setting)?)));
    written
        .flat_map(|(setting, ConfigEntry { layer, name, entry })| {
            let found = SettingProblem::find(entry, setting, backend).into_iter();
            found.map(move |problem| {
                let path = path_of(&name.value, setting.key());
                let index = problem.index.map(|index| format!("[{index}]")).unwrap_or_default();
                Diagnostic::error(format!("`{path}{index}` {}", problem.message))
                    .at(&layer.source, problem.span, problem.label)
                    .maybe_hint(problem.hint)
            })
        })
        .collect()
}

fn recording_setting_problems(entries: &AgentEntries<'_>) -> Vec<Diagnostic> {
    let keys = entries.overlays.iter().flat_map(|overlay| {
        let env = overlay.entry.env.as_ref().map(|env| (ENV, env.span));
        let args = overlay.entry.args.as_ref().map(|args| ("args", args.span));
        let keys = direct_spawn_keys(overlay.entry).into_iter().chain(env).chain(args);
        keys.map(|(key, span)| (*overlay, key, span))
    });
    keys.map(|(ConfigEntry { layer, name, .. }, key, span)| {
        let path = path_of(&name.value, key);
        Diagnostic::error(format!("`{path}` has no effect: `{}` is a recording", name.value))
            .at(&layer.source, span, "no agent is started")
            .hint(format!("remove `{key}`"))
    })
    .collect()
}

/// Settings that a plain program does not support.
fn program_setting_problems(
    agent: &PlanAgent,
    entries: &AgentEntries<'_>,
    layers: &ConfigLayers,
) -> Vec<Diagnostic> {
    let name = &agent.name;
    let is_nowhere = entries.definition.is_none()
        && matches!(agent.kind.location(), Some(ProgramLocation::Missing(_)));
    let keys = entries.nearest_first().flat_map(|entry| {
        direct_spawn_keys(entry.entry).into_iter().map(move |(key, span)| (entry, key, span))
    });
    keys.map(|(ConfigEntry { layer, .. }, key, span)| {
        let path = path_of(name, key);
        let prompt = "to make it an agent of its own, add `systemPrompt` or `systemPromptText`";
        if is_nowhere {
            let known = layers.agent_names().into_iter().chain(built_in::agent_names());
            return Diagnostic::error(format!(
                "`{path}` has no effect: there is no agent called `{name}`"
            ))
            .at(&layer.source, span, "nothing to adjust")
            .maybe_hint(text::did_you_mean(name, known))
            .hint(prompt);
        }
        let program = match agent.kind.location() {
            Some(ProgramLocation::Found(path)) => path.as_str(),
            Some(ProgramLocation::Missing(_)) | None => agent.kind.command(),
        };
        Diagnostic::error(format!("`{path}` has no effect: `{name}` is the program `{program}`"))
            .at(&layer.source, span, "only for built-in agents and agents with a system prompt")
            .maybe_hint(error::built_in_of_the_same_name(name))
            .hint(prompt)
    })
    .collect()
}

/// The keys of an entry that only an agent that is spawned directly can honour.
fn direct_spawn_keys(entry: &AgentEntry) -> Vec<(&'static str, Span)> {
    let backend = entry.named_backend().map(|named| (BACKEND, named.span));
    backend.into_iter().chain(settings(entry)).collect()
}

/// The settings of an entry, each with its position.
fn settings(entry: &AgentEntry) -> impl Iterator<Item = (&'static str, Span)> {
    let all = AgentSetting::ALL.into_iter();
    all.filter_map(|setting| Some((setting.key(), entry.span_of(setting)?)))
}

pub(crate) fn path_of(agent: &str, key: &str) -> String {
    format!("agents.{agent}.{key}")
}

impl PlanBuilder<'_> {
    /// Reports settings that an agent of the plan cannot honour.
    pub(crate) fn report_settings_without_effect(&mut self, agent: &PlanAgent) {
        for problem in problems(agent, self.layers, self.host) {
            self.report(problem);
        }
    }

    /// Warns about entries of the project's file that no agent could honour, even if no step uses
    /// them.
    pub(crate) fn warn_of_unused_entries(&mut self, plan: &Plan) {
        let is_used = |name: &str| plan.steps.iter().any(|step| step.agent.name == name);
        let project = self.layers.files.iter().find(|layer| layer.kind == ConfigLayerKind::Project);
        let Some(project) = project else { return };
        let names = project.config.agents().map(|(name, _)| name.value.as_str());
        for name in names.filter(|name| !is_used(name)).collect::<Vec<_>>() {
            let agent = crate::plan::resolve_agent(name, self.layers, self.host);
            for problem in problems(&agent, self.layers, self.host) {
                self.report(Diagnostic { severity: Severity::Warning, ..problem });
            }
        }
    }

    /// Applies the model of the command line to an agent.
    pub(crate) fn use_requested_model(&mut self, agent: &mut PlanAgent) {
        let Some(model) = &self.request.model else { return };
        let AgentKind::Direct(direct) = &mut agent.kind else { return };
        if let Some(misfit) = model_misfit(model, Some(direct.backend)) {
            let title = direct.backend.title();
            // Programs learn new names; only what cannot be a name is refused.
            let is_name = !model.is_empty() && !model.contains(char::is_whitespace);
            let diagnostic = if is_name {
                Diagnostic::warning(format!("`--model {model}` is not a known model of {title}"))
            } else {
                Diagnostic::error(format!("`--model {model}` is not a model of {title}"))
            };
            self.report(
                diagnostic.maybe_hint(misfit.hint).hint(format!("expected {}", misfit.expected)),
            );
            if !is_name {
                return;
            }
        }
        direct.model = Some(model.clone());
        let flag = ValueOrigin::Flag("--model".into());
        agent.adjusted.insert(AgentSetting::Model.key().to_owned(), flag);
    }

    /// Refuses a model that no agent of the plan accepts.
    pub(crate) fn refuse_a_model_without_effect(&mut self, plan: &Plan) {
        let Some(model) = &self.request.model else { return };
        let takes_model = |agent: &PlanAgent| {
            matches!(agent.kind, AgentKind::Direct(_)) && agent.replay.is_none()
        };
        if plan.steps.iter().all(|step| !takes_model(&step.agent)) {
            self.report(error::model_without_effect(model));
        }
    }
}
