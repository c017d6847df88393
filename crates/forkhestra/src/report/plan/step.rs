//! Entries of a plan for one step.

use std::fmt::Display;

use forkhestra_core::config::{
    AgentSetting, Billing, CheckWhen, OnCycle, OnProtectedChange, Permissions,
};
use forkhestra_core::limit::{LIMITS, Limit};
use forkhestra_core::plan::{
    AgentKind, DirectSpawn, Plan, PlanAgent, PlanCheck, PlanStep, ProgramLocation, Prompt, Replay,
    Sourced, ValueOrigin, work_on,
};
use forkhestra_core::text;
use typeset::text::visible;

use super::dry_run::{DryRunEntry, Verbosity};
use super::fallback;
use super::invocation;
use super::prompt;
use crate::project::project_location::ProjectLocation;
use crate::report::text::agent_program;
use crate::report::text::shell_word::shell_word;

/// All entries for a step at this detail level.
pub(crate) fn entries(
    step: &PlanStep,
    plan: &Plan,
    project: &ProjectLocation,
    detail: Verbosity,
) -> Vec<DryRunEntry> {
    let mut entries = Vec::new();
    entries.extend(agent(&step.agent));
    // A replayed agent receives no prompt, arguments or settings.
    if step.agent.replay.is_some() {
        entries.extend(watched(step, detail));
        return entries;
    }
    entries.extend(direct_spawn(&step.agent, project, detail));
    if let (AgentKind::Direct(direct), Some(model)) = (&step.agent.kind, &step.priced_model) {
        let source = format!("from the arguments or settings of {}", direct.backend.title());
        entries.push(DryRunEntry::new("priced as", visible(model)).note(&source));
    }
    let env: Vec<&str> = step.agent.kind.env().names().collect();
    if !env.is_empty() {
        entries.push(adjusted(
            DryRunEntry::new("env", visible(&env.join(", "))),
            &step.agent,
            "env",
        ));
    }
    if !step.args.is_empty() {
        let words: Vec<String> = step.args.iter().map(|arg| shell_word(&arg.value)).collect();
        let sources = distinct(step.args.iter().map(|arg| &arg.source));
        entries.push(DryRunEntry::new("args", words.join(" ")).from(sources));
    }
    entries.extend(prompt_entry(step, project, detail));
    if detail == Verbosity::Verbose {
        entries.extend(invocation::entry(step, plan, project));
    }
    entries.extend(fallback::entries(step, plan, project, detail));
    entries.extend(watched(step, detail));
    entries.extend(fallback_program_warning(step));
    entries.extend(missing_program(&step.agent.kind).map(|text| {
        let remedy = agent_program::remedy(&step.agent.kind);
        let remedy = remedy.map(|remedy| format!(": {remedy}")).unwrap_or_default();
        let other = agent_program::other_agent_hint(&step.agent, project);
        let other = other.map(|other| format!("; {other}")).unwrap_or_default();
        DryRunEntry::warning(&format!("{text}{remedy}{other}"))
    }));
    entries
}

/// A warning about a fallback that cannot be started.
fn fallback_program_warning(step: &PlanStep) -> Option<DryRunEntry> {
    let agent = step.fallback_agent()?;
    let missing = missing_program(&agent.kind)?;
    let remedy = agent_program::remedy(&agent.kind);
    let remedy = remedy.map(|remedy| format!(": {remedy}")).unwrap_or_default();
    Some(DryRunEntry::warning(&format!("{missing}{remedy}")))
}

/// Entries that apply to every kind of agent: checks, rules, completion, limits.
fn watched(step: &PlanStep, detail: Verbosity) -> Vec<DryRunEntry> {
    let mut entries: Vec<DryRunEntry> = step.checks.iter().map(check).collect();
    entries.extend(rules(step, detail));
    let confining = step.sandbox.as_ref().filter(|_| step.active_sandbox().is_some());
    entries.extend(confining.map(|sandbox| {
        let entry = DryRunEntry::new("sandbox", sandbox.value.to_string());
        let writable = sandbox.value.writable.iter().map(|path| visible(path));
        let writable: Vec<String> = writable.collect();
        let entry = match writable.as_slice() {
            [] => entry,
            paths => entry.detail(format!("writable: {}", paths.join(", "))),
        };
        entry.from([&sandbox.source])
    }));
    if step.iterations.is_some() {
        entries.extend(completion(step, detail));
    }
    entries.extend(limits(step, detail));
    entries
}

/// Reports that the program of an agent cannot be started; none if it was found.
pub(crate) fn missing_program(kind: &AgentKind) -> Option<String> {
    match kind.location() {
        None | Some(ProgramLocation::Found(_)) => None,
        Some(ProgramLocation::Missing(why)) => Some(format!("`{}` {why}", visible(kind.command()))),
    }
}

/// Describes an agent in a few words.
pub(crate) fn kind(agent: &PlanAgent) -> String {
    if let Some(replay) = &agent.replay {
        return replayed(replay, &agent.kind);
    }
    match (&agent.kind, agent.kind.location()) {
        (AgentKind::Program(_), Some(ProgramLocation::Found(path))) => {
            format!("program {}", visible(path))
        }
        (AgentKind::Question(_), _) => "a person".to_owned(),
        (AgentKind::Program(program), _) => {
            format!("program {}", visible(&program.command))
        }
        (AgentKind::Direct(direct), _) => direct_kind(direct),
    }
}

/// Describes the recording that is replayed in place of an agent.
fn replayed(replay: &Replay, kind: &AgentKind) -> String {
    let Replay { recording, step, speed } = replay;
    let whose = match kind {
        AgentKind::Program(_) | AgentKind::Question(_) => String::new(),
        AgentKind::Direct(direct) => format!(", {}", direct.backend.word()),
    };
    format!("replay of {} (step {step}{whose}) at speed {speed}", visible(recording))
}

/// Names the agent program and the command that replaces it, if any.
fn direct_kind(direct: &DirectSpawn) -> String {
    let program = direct.backend.program();
    if direct.command == program {
        return format!("direct spawn of {program}");
    }
    format!("direct spawn of {program}, as {}", visible(&direct.command))
}

fn agent(agent: &PlanAgent) -> Option<DryRunEntry> {
    let found = matches!(agent.kind.location(), Some(ProgramLocation::Found(_)));
    let defined = matches!(agent.source, ValueOrigin::File { .. } | ValueOrigin::BuiltIn);
    // An agent that is neither defined nor found has only its warning.
    (found || defined).then(|| {
        let source = visible(&agent.source.to_string());
        let entry = DryRunEntry::new("agent", format!("{} ({source})", kind(agent)));
        match agent.adjusted.get("backend") {
            Some(origin) => entry.note(&format!("backend: {}", visible(&origin.to_string()))),
            None => entry,
        }
    })
}

/// Adds the origin of a setting if the agent definition did not decide it.
fn adjusted(entry: DryRunEntry, agent: &PlanAgent, key: &str) -> DryRunEntry {
    match agent.adjusted.get(key) {
        Some(origin) => entry.note(&visible(&origin.to_string())),
        None => entry,
    }
}

fn direct_spawn(
    agent: &PlanAgent,
    project: &ProjectLocation,
    detail: Verbosity,
) -> Vec<DryRunEntry> {
    let AgentKind::Direct(direct) = &agent.kind else { return Vec::new() };
    let DirectSpawn { system_prompt, mcp_config, settings, model, max_turns, .. } = direct;
    let mut entries = Vec::new();
    if !matches!(&system_prompt.value, Prompt::Text(text) if text.is_empty()) {
        let lines = prompt::describe(&system_prompt.value, project, detail);
        entries.push(DryRunEntry::lines("system prompt", lines).from([&system_prompt.source]));
    }
    let mut setting = |title, setting: AgentSetting, value: Option<String>| {
        let entry = value.map(|value| DryRunEntry::new(title, visible(&value)));
        entries.extend(entry.map(|entry| adjusted(entry, agent, setting.key())));
    };
    let is_adjusted = |setting: AgentSetting| agent.adjusted.contains_key(setting.key());
    setting("model", AgentSetting::Model, model.clone());
    setting("max turns", AgentSetting::MaxTurns, max_turns.map(|turns| turns.to_string()));
    let allowed = direct.allowed_tools.as_deref().map(tools);
    let lifted = is_adjusted(AgentSetting::AllowedTools).then(|| "all".to_owned());
    setting("allowed tools", AgentSetting::AllowedTools, allowed.or(lifted));
    let disallowed = direct.disallowed_tools.as_deref().map(tools);
    setting("disallowed tools", AgentSetting::DisallowedTools, disallowed);
    let verbose = detail == Verbosity::Verbose;
    let is_chosen = direct.permissions != Permissions::default();
    if is_chosen || is_adjusted(AgentSetting::Permissions) || verbose {
        let permissions = direct.permissions.word().to_owned();
        setting("permissions", AgentSetting::Permissions, Some(permissions));
    }
    if direct.billing != Billing::default() || is_adjusted(AgentSetting::Billing) || verbose {
        setting("billing", AgentSetting::Billing, Some(direct.billing.word().to_owned()));
    }
    setting("MCP config", AgentSetting::McpConfig, mcp_config.clone());
    setting("settings", AgentSetting::Settings, settings.clone());
    entries
}

fn tools(names: &[String]) -> String {
    // Plans of earlier versions may hold an empty list, which meant no tools.
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn prompt_entry(
    step: &PlanStep,
    project: &ProjectLocation,
    detail: Verbosity,
) -> Option<DryRunEntry> {
    let nothing_said = step.prompt == Sourced::default(Prompt::None);
    if nothing_said && detail != Verbosity::Verbose {
        return None;
    }
    let lines = prompt::describe(&step.prompt.value, project, detail);
    let entry = DryRunEntry::lines("prompt", lines).from([&step.prompt.source]);
    Some(match &step.task {
        Some(task) => entry.note(&format!("after \"{}\"", visible(&work_on(task)))),
        None => entry,
    })
}

/// Entry for a check and its runner.
pub(crate) fn check(check: &Sourced<PlanCheck>) -> DryRunEntry {
    check_entry(if check.value.when == CheckWhen::Landing { "landing" } else { "check" }, check)
}

/// Entry for a check and its runner under another key.
pub(super) fn check_entry(key: &'static str, check: &Sourced<PlanCheck>) -> DryRunEntry {
    let PlanCheck { timeout, runner, .. } = &check.value;
    let runner = runner.as_ref().map(|runner| format!(", {}", visible(&runner.path)));
    let detail = format!("timeout {timeout}{}", runner.unwrap_or_default());
    let entry = DryRunEntry::new(key, check_text(&check.value)).detail(detail);
    match &check.source {
        // Implied checks are shown at every detail level because the user did not write them.
        ValueOrigin::Implied(reason) => entry.note(&format!("added because {reason}")),
        source => entry.from([source]),
    }
}

/// Describes a check in one line: its name, definition, runner and moment.
pub(super) fn check_text(check: &PlanCheck) -> String {
    let PlanCheck { check: spec, name, when, must_fail_first, runner, .. } = check;
    let mut text = visible(&spec.to_string());
    if let Some(name) = name {
        text = format!("{}: {text}", visible(name));
    }
    if let Some(runner) = runner {
        text.push_str(&format!(", run by {}", runner.kind.program()));
    }
    match when {
        CheckWhen::Completion => {}
        CheckWhen::Always => text.push_str(", after every iteration"),
        CheckWhen::Landing => {}
    }
    if *must_fail_first {
        text.push_str(", must fail before the first iteration");
    }
    text
}

/// Entries for the clean room, protected files and cycles.
pub(crate) fn rules(step: &PlanStep, detail: Verbosity) -> Vec<DryRunEntry> {
    let mut entries = Vec::new();
    if step.calibrate && !step.checks.is_empty() {
        entries.push(DryRunEntry::new("calibrated", "checks also run before the first iteration"));
    }
    if let Some(Sourced { value: room, source }) = &step.clean_room {
        let mut text = "checks run on what is committed".to_owned();
        if let Some(setup) = &room.setup {
            text.push_str(&format!(", after `{}`", visible(setup)));
        }
        if !room.keep.is_empty() {
            text.push_str(&format!(", with {} kept", visible(&text::join_with_and(&room.keep))));
        }
        let timeout = room.setup.as_ref().map(|_| format!("timeout {}", room.timeout));
        let entry = DryRunEntry::new("clean room", text).from([source]);
        entries.push(timeout.into_iter().fold(entry, DryRunEntry::detail));
    }
    if let Some(Sourced { value: protect, source }) = &step.protect {
        let mut text = visible(&protect.patterns.join(", "));
        if protect.on_change == OnProtectedChange::Allow {
            text.push_str(" (changes are reported, and allowed)");
        }
        let entry = DryRunEntry::new("protected", text);
        entries.push(match source {
            ValueOrigin::Implied(reason) => entry.note(&format!("because {reason}")),
            source => entry.from([source]),
        });
    }
    if let Some(Sourced { value: on_cycle, source }) = &step.on_cycle
        && (*on_cycle != OnCycle::Report || detail == Verbosity::Verbose)
    {
        entries.push(DryRunEntry::new("on a cycle", on_cycle.word()).from([source]));
    }
    entries
}

fn completion(step: &PlanStep, detail: Verbosity) -> Vec<DryRunEntry> {
    let mut entries = Vec::new();
    let verbose = detail == Verbosity::Verbose;
    if step.completion.source != ValueOrigin::Default || verbose {
        let entry = DryRunEntry::new("completed by", step.completion.value.word());
        entries.push(entry.from([&step.completion.source]));
    }
    if step.markers.source != ValueOrigin::Default || verbose {
        let markers: Vec<String> =
            step.markers.value.iter().map(|marker| visible(&marker.to_string())).collect();
        let entry = DryRunEntry::new("markers", text::join_with_or(&text::quoted(&markers)));
        entries.push(entry.from([&step.markers.source]));
    }
    if step.require_work || verbose {
        let required = if step.require_work { "yes" } else { "no" };
        entries.push(DryRunEntry::new("work required", required));
    }
    if let Some(file) = &step.done_file {
        entries.push(DryRunEntry::new("done file", visible(&file.value)).from([&file.source]));
    }
    entries
}

fn limits(step: &PlanStep, detail: Verbosity) -> Vec<DryRunEntry> {
    let of_step = LIMITS.iter().filter_map(|row| Some((row.title, row.of_step(&step.limits)?)));
    of_step.filter_map(|(title, value)| limit(title, &value, detail)).collect()
}

/// Entry for a limit, if it was configured or the detail level is verbose.
pub(crate) fn limit<T: Display>(
    name: &'static str,
    limit: &Sourced<Limit<T>>,
    detail: Verbosity,
) -> Option<DryRunEntry> {
    if limit.source == ValueOrigin::Default && detail != Verbosity::Verbose {
        return None;
    }
    let text = match &limit.value {
        Limit::Off => "no limit".to_owned(),
        Limit::At(value) => format!("at most {value}"),
    };
    let entry = DryRunEntry::new(name, text);
    Some(match &limit.source {
        ValueOrigin::Implied(reason) => entry.note(reason),
        source => entry.from([source]),
    })
}

fn distinct<'a>(sources: impl Iterator<Item = &'a ValueOrigin>) -> Vec<&'a ValueOrigin> {
    let mut distinct: Vec<&ValueOrigin> = Vec::new();
    for source in sources {
        if !distinct.contains(&source) {
            distinct.push(source);
        }
    }
    distinct
}
