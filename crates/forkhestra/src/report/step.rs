//! What a plan says about one step, line by line.

use std::fmt::Display;

use forkhestra_core::config::{
    Billing, CheckWhen, OnCycle, OnProtectedChange, Permissions, Setting,
};
use forkhestra_core::limit::{LIMITS, Limit};
use forkhestra_core::plan::{
    Agent, AgentKind, Check, DirectSpawn, Location, Origin, Plan, Prompt, Replay, Sourced, Step,
    work_on,
};
use forkhestra_core::words;
use typeset::text::visible;

use super::agent_program;
use super::dry_run::{Detail, Entry};
use super::invocation;
use super::prompt;
use super::shell_word::shell_word;
use crate::project::Project;

/// Everything about a step that is worth a line.
pub(crate) fn entries(step: &Step, plan: &Plan, project: &Project, detail: Detail) -> Vec<Entry> {
    let mut entries = Vec::new();
    entries.extend(agent(&step.agent));
    // What is played back is told nothing.
    if step.agent.replay.is_some() {
        entries.extend(watched(step, detail));
        return entries;
    }
    entries.extend(direct_spawn(&step.agent, project, detail));
    if let (AgentKind::Direct(direct), Some(model)) = (&step.agent.kind, &step.priced_model) {
        let source = format!("from the arguments or settings of {}", direct.backend.title());
        entries.push(Entry::new("priced as", visible(model)).note(&source));
    }
    let env: Vec<&str> = step.agent.kind.env().names().collect();
    if !env.is_empty() {
        entries.push(adjusted(Entry::new("env", visible(&env.join(", "))), &step.agent, "env"));
    }
    if !step.args.is_empty() {
        let words: Vec<String> = step.args.iter().map(|arg| shell_word(&arg.value)).collect();
        let sources = distinct(step.args.iter().map(|arg| &arg.source));
        entries.push(Entry::new("args", words.join(" ")).from(sources));
    }
    entries.extend(prompt_entry(step, project, detail));
    if detail == Detail::Verbose {
        entries.extend(invocation::entry(step, plan, project));
    }
    entries.extend(watched(step, detail));
    entries.extend(missing_program(&step.agent.kind).map(|text| {
        let remedy = agent_program::remedy(&step.agent.kind);
        let remedy = remedy.map(|remedy| format!(": {remedy}")).unwrap_or_default();
        let other = agent_program::another(&step.agent, project);
        let other = other.map(|other| format!("; {other}")).unwrap_or_default();
        Entry::warning(&format!("{text}{remedy}{other}"))
    }));
    entries
}

/// What is seen to from outside, whatever the agent is.
fn watched(step: &Step, detail: Detail) -> Vec<Entry> {
    let mut entries: Vec<Entry> = step.checks.iter().map(check).collect();
    entries.extend(rules(step, detail));
    if step.iterations.is_some() {
        entries.extend(completion(step, detail));
    }
    entries.extend(limits(step, detail));
    entries
}

/// Says that the program of an agent cannot be started, if it cannot.
pub(crate) fn missing_program(kind: &AgentKind) -> Option<String> {
    match kind.location() {
        Location::Found(_) => None,
        Location::Missing(why) => Some(format!("`{}` {why}", visible(kind.command()))),
    }
}

/// Says in a few words what an agent is.
pub(crate) fn kind(agent: &Agent) -> String {
    if let Some(replay) = &agent.replay {
        return replayed(replay, &agent.kind);
    }
    match (&agent.kind, agent.kind.location()) {
        (AgentKind::Program(_), Location::Found(path)) => format!("program {}", visible(path)),
        (AgentKind::Program(program), Location::Missing(_)) => {
            format!("program {}", visible(&program.command))
        }
        (AgentKind::Direct(direct), _) => direct_kind(direct),
    }
}

/// Says what is played back in place of an agent, and how.
fn replayed(replay: &Replay, kind: &AgentKind) -> String {
    let Replay { recording, step, speed } = replay;
    let whose = match kind {
        AgentKind::Program(_) => String::new(),
        AgentKind::Direct(direct) => format!(", {}", direct.backend.word()),
    };
    format!("replay of {} (step {step}{whose}) at speed {speed}", visible(recording))
}

/// Names the agent program, and what is started in its place if that is something else.
fn direct_kind(direct: &DirectSpawn) -> String {
    let program = direct.backend.program();
    if direct.command == program {
        return format!("direct spawn of {program}");
    }
    format!("direct spawn of {program}, as {}", visible(&direct.command))
}

fn agent(agent: &Agent) -> Option<Entry> {
    let found = matches!(agent.kind.location(), Location::Found(_));
    let defined = matches!(agent.source, Origin::File { .. } | Origin::BuiltIn);
    // What is neither defined nor found has nothing to show but the warning below it.
    (found || defined).then(|| {
        let source = visible(&agent.source.to_string());
        let entry = Entry::new("agent", format!("{} ({source})", kind(agent)));
        match agent.adjusted.get("backend") {
            Some(origin) => entry.note(&format!("backend: {}", visible(&origin.to_string()))),
            None => entry,
        }
    })
}

/// A setting of an agent, with what decided it if that is not what defines the agent.
fn adjusted(entry: Entry, agent: &Agent, key: &str) -> Entry {
    match agent.adjusted.get(key) {
        Some(origin) => entry.note(&visible(&origin.to_string())),
        None => entry,
    }
}

fn direct_spawn(agent: &Agent, project: &Project, detail: Detail) -> Vec<Entry> {
    let AgentKind::Direct(direct) = &agent.kind else { return Vec::new() };
    let DirectSpawn { system_prompt, mcp_config, settings, model, max_turns, .. } = direct;
    let mut entries = Vec::new();
    if !matches!(&system_prompt.value, Prompt::Text(text) if text.is_empty()) {
        let lines = prompt::describe(&system_prompt.value, project, detail);
        entries.push(Entry::lines("system prompt", lines).from([&system_prompt.source]));
    }
    let mut setting = |title, setting: Setting, value: Option<String>| {
        let entry = value.map(|value| Entry::new(title, visible(&value)));
        entries.extend(entry.map(|entry| adjusted(entry, agent, setting.key())));
    };
    let is_adjusted = |setting: Setting| agent.adjusted.contains_key(setting.key());
    setting("model", Setting::Model, model.clone());
    setting("max turns", Setting::MaxTurns, max_turns.map(|turns| turns.to_string()));
    let allowed = direct.allowed_tools.as_deref().map(tools);
    let lifted = is_adjusted(Setting::AllowedTools).then(|| "all".to_owned());
    setting("allowed tools", Setting::AllowedTools, allowed.or(lifted));
    let disallowed = direct.disallowed_tools.as_deref().map(tools);
    setting("disallowed tools", Setting::DisallowedTools, disallowed);
    let verbose = detail == Detail::Verbose;
    let is_chosen = direct.permissions != Permissions::default();
    if is_chosen || is_adjusted(Setting::Permissions) || verbose {
        let permissions = direct.permissions.word().to_owned();
        setting("permissions", Setting::Permissions, Some(permissions));
    }
    if direct.billing != Billing::default() || is_adjusted(Setting::Billing) || verbose {
        setting("billing", Setting::Billing, Some(direct.billing.word().to_owned()));
    }
    setting("MCP config", Setting::McpConfig, mcp_config.clone());
    setting("settings", Setting::Settings, settings.clone());
    entries
}

fn tools(names: &[String]) -> String {
    // Plans of earlier versions may hold an empty list, which meant no tools.
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn prompt_entry(step: &Step, project: &Project, detail: Detail) -> Option<Entry> {
    let nothing_said = step.prompt == Sourced::default(Prompt::None);
    if nothing_said && detail != Detail::Verbose {
        return None;
    }
    let lines = prompt::describe(&step.prompt.value, project, detail);
    let entry = Entry::lines("prompt", lines).from([&step.prompt.source]);
    Some(match &step.task {
        Some(task) => entry.note(&format!("after \"{}\"", visible(&work_on(task)))),
        None => entry,
    })
}

/// A check, and what runs it.
pub(super) fn check(check: &Sourced<Check>) -> Entry {
    let Check { check: spec, name, when, timeout, runner } = &check.value;
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
    }
    let runner = runner.as_ref().map(|runner| format!(", {}", visible(&runner.path)));
    let detail = format!("timeout {timeout}{}", runner.unwrap_or_default());
    let entry = Entry::new("check", text).detail(detail);
    match &check.source {
        // People must see a check that they did not write.
        Origin::Implied(reason) => entry.note(&format!("added because {reason}")),
        source => entry.from([source]),
    }
}

/// Where checks run, and what the agent may not do.
pub(super) fn rules(step: &Step, detail: Detail) -> Vec<Entry> {
    let mut entries = Vec::new();
    if let Some(Sourced { value: room, source }) = &step.clean_room {
        let mut text = "checks run on what is committed".to_owned();
        if let Some(setup) = &room.setup {
            text.push_str(&format!(", after `{}`", visible(setup)));
        }
        if !room.keep.is_empty() {
            text.push_str(&format!(", with {} kept", visible(&words::all_of(&room.keep))));
        }
        let timeout = room.setup.as_ref().map(|_| format!("timeout {}", room.timeout));
        let entry = Entry::new("clean room", text).from([source]);
        entries.push(timeout.into_iter().fold(entry, Entry::detail));
    }
    if let Some(Sourced { value: protect, source }) = &step.protect {
        let mut text = visible(&protect.patterns.join(", "));
        if protect.on_change == OnProtectedChange::Allow {
            text.push_str(" (changes are reported, and allowed)");
        }
        entries.push(Entry::new("protected", text).from([source]));
    }
    if let Some(Sourced { value: on_cycle, source }) = &step.on_cycle
        && (*on_cycle != OnCycle::Report || detail == Detail::Verbose)
    {
        entries.push(Entry::new("on a cycle", on_cycle.word()).from([source]));
    }
    entries
}

fn completion(step: &Step, detail: Detail) -> Vec<Entry> {
    let mut entries = Vec::new();
    let verbose = detail == Detail::Verbose;
    if step.completion.source != Origin::Default || verbose {
        let entry = Entry::new("completed by", step.completion.value.word());
        entries.push(entry.from([&step.completion.source]));
    }
    if step.markers.source != Origin::Default || verbose {
        let markers: Vec<String> =
            step.markers.value.iter().map(|marker| visible(&marker.to_string())).collect();
        let entry = Entry::new("markers", words::one_of(&words::quoted(&markers)));
        entries.push(entry.from([&step.markers.source]));
    }
    if step.require_work || verbose {
        let required = if step.require_work { "yes" } else { "no" };
        entries.push(Entry::new("work required", required));
    }
    if let Some(file) = &step.done_file {
        entries.push(Entry::new("done file", visible(&file.value)).from([&file.source]));
    }
    entries
}

fn limits(step: &Step, detail: Detail) -> Vec<Entry> {
    let of_step = LIMITS.iter().filter_map(|row| Some((row.title, row.of_step(&step.limits)?)));
    of_step.filter_map(|(title, value)| limit(title, &value, detail)).collect()
}

/// Shows a limit that somebody chose, or any limit if everything is to be shown.
pub(crate) fn limit<T: Display>(
    name: &'static str,
    limit: &Sourced<Limit<T>>,
    detail: Detail,
) -> Option<Entry> {
    if limit.source == Origin::Default && detail != Detail::Verbose {
        return None;
    }
    let text = match &limit.value {
        Limit::Off => "no limit".to_owned(),
        Limit::At(value) => format!("at most {value}"),
    };
    let entry = Entry::new(name, text);
    Some(match &limit.source {
        Origin::Implied(reason) => entry.note(reason),
        source => entry.from([source]),
    })
}

fn distinct<'a>(sources: impl Iterator<Item = &'a Origin>) -> Vec<&'a Origin> {
    let mut distinct: Vec<&Origin> = Vec::new();
    for source in sources {
        if !distinct.contains(&source) {
            distinct.push(source);
        }
    }
    distinct
}
