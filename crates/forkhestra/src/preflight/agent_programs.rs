//! Finds agents that cannot be started.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::diagnostic::source::{SourceText, Span};
use forkhestra_core::plan::{
    AgentKind, NotRunnableReason, Plan, PlanAgent, PlanStep, ProgramLocation, Prompt, ValueOrigin,
    is_system_program,
};
use forkhestra_core::text;
use forkhestra_engine::agent::skips_permissions;
use forkhestra_engine::process;

use crate::cli::verbs;
use crate::project::project_location::ProjectLocation;
use crate::report::plan::step::missing_program;
use crate::report::text::agent_program;

/// Longest argument that Linux passes to a program.
const MAX_ARGUMENT_BYTES: usize = 128 * 1024 - 1;

/// What was typed, and the names that a mistyped agent name may have meant.
#[derive(Default)]
pub(crate) struct AgentNames<'a> {
    /// Agents of the config, and built-in agents.
    pub(crate) configured: Vec<&'a str>,
    /// Whether programs are also searched in `bin` of the working directory.
    pub(crate) in_bin: bool,
    /// Whether a verb may be meant.
    pub(crate) verbs: bool,
    /// Where the agents of a typed chain are written, by the numbers of their steps.
    pub(crate) typed: BTreeMap<usize, (Arc<SourceText>, Span)>,
}

/// Reports every agent that cannot be started.
pub(crate) fn check_agents(
    plan: &Plan,
    project: &ProjectLocation,
    names: AgentNames<'_>,
) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let (mut seen, mut refused) = (BTreeSet::new(), BTreeSet::new());
    // A name that cannot be found itself is no suggestion for another one.
    let is_missing =
        |step: &PlanStep| matches!(step.agent.kind.location(), Some(ProgramLocation::Missing(_)));
    let planned = plan.steps.iter().filter(|step| !is_missing(step));
    let planned = planned.map(|step| step.agent.name.as_str());
    let names = AgentNames { configured: planned.chain(names.configured).collect(), ..names };
    let steps: Vec<PlanStep> = plan.steps.iter().flat_map(PlanStep::on_each_backend).collect();
    for step in &steps {
        if seen.insert(step.agent.kind.command()) {
            problems.extend(unusable_agent(step, &names, project));
        }
        // Steps with the same program may differ in permissions and variables.
        if let Some(refusal) = refused_to_root(step, project)
            && refused.insert(step.agent.kind.command())
        {
            problems.push(refusal);
        }
        problems.extend(too_long(step));
    }
    problems
}

fn unusable_agent(
    step: &PlanStep,
    names: &AgentNames<'_>,
    project: &ProjectLocation,
) -> Option<Diagnostic> {
    let kind = &step.agent.kind;
    match kind.location() {
        None => None,
        Some(ProgramLocation::Found(path)) => {
            let problem = process::preflight(Path::new(path)).err()?;
            Some(names.error(step, format!("step {}: {problem}", step.number)))
        }
        Some(ProgramLocation::Missing(why)) => {
            let problem = missing_program(kind)?;
            let place = if step.runs_fallback() { ", the fallback" } else { "" };
            let error = names.error(step, format!("step {}{place}: {problem}", step.number));
            if let Some(remedy) = agent_program::remedy(kind) {
                if step.runs_fallback() {
                    return Some(error.hint(remedy));
                }
                let other = agent_program::other_agent_hint(&step.agent, project);
                return Some(error.hint(remedy).maybe_hint(other));
            }
            Some(match why {
                NotRunnableReason::NotOnPath => {
                    let name = kind.command();
                    let hint = other_form(name).or_else(|| suggestion(name, names, project));
                    error.maybe_hint(hint).maybe_hint(not_in_bin(&step.agent, names))
                }
                NotRunnableReason::NotExecutable => {
                    error.hint(format!("make it executable: chmod +x {}", kind.command()))
                }
                _ => error,
            })
        }
    }
}

impl AgentNames<'_> {
    /// An error about the agent of a step, with its position if it was typed.
    fn error(&self, step: &PlanStep, message: String) -> Diagnostic {
        let error = Diagnostic::error(message);
        match self.typed.get(&step.number) {
            Some((source, span)) => error.at(source, *span, "cannot be started"),
            None => error,
        }
    }
}

/// The form of the chain language that a name may have meant.
fn other_form(name: &str) -> Option<String> {
    if name.starts_with(['[', '{']) {
        return Some("groups are in parentheses: `(a -> b):3`".to_owned());
    }
    let agent = name.strip_suffix('?').filter(|agent| !agent.is_empty())?;
    Some(format!("to ask a person write `{agent} -> ?`"))
}

/// Some programs do not skip permissions for root outside a sandbox.
fn refused_to_root(step: &PlanStep, project: &ProjectLocation) -> Option<Diagnostic> {
    let AgentKind::Direct(direct) = &step.agent.kind else { return None };
    let refusal = direct.backend.facts().root_refusal.filter(|_| step.agent.replay.is_none())?;
    let sandbox = direct.env.0.get(refusal.sandbox_variable).map(OsString::from);
    let sandbox =
        sandbox.or_else(|| project.environment.variable(refusal.sandbox_variable).cloned());
    // No other value is accepted.
    let is_sandbox = sandbox.is_some_and(|value| value == "1");
    let is_refused =
        skips_permissions(direct) && !is_sandbox && rustix::process::geteuid().is_root();
    is_refused.then(|| {
        Diagnostic::error(format!("step {}: {}", step.number, refusal.message)).hint(refusal.remedy)
    })
}

/// A note that `bin` has no such program either, if it was searched.
fn not_in_bin(agent: &PlanAgent, names: &AgentNames<'_>) -> Option<String> {
    let was_looked_for = names.in_bin && agent.source == ValueOrigin::Path;
    was_looked_for.then(|| "`bin` of the working directory has none of this name either".to_owned())
}

/// A suggestion for an unknown name: a verb, an agent, or else a program that the user installed.
fn suggestion(name: &str, known: &AgentNames<'_>, project: &ProjectLocation) -> Option<String> {
    let verb = verbs::verb_of_other_program(name).filter(|_| known.verbs);
    let verbs = verbs::typed_verbs().map(|verb: &str| verb).filter(|_| known.verbs);
    let agents = known.configured.iter().copied().filter(|other| *other != name);
    // If two are equally near, the last one is suggested.
    let meant = verb.or_else(|| text::nearest(name, agents.chain(verbs)));
    if let Some(meant) = meant {
        return Some(format!("did you mean `{meant}`?"));
    }
    let programs = programs(known.in_bin, project);
    // There are many programs, so only close matches are suggested.
    let is_close = |other: &&str| {
        other.chars().next() == name.chars().next() && other.len().abs_diff(name.len()) <= 2
    };
    text::did_you_mean(name, programs.iter().map(String::as_str).filter(is_close))
}

/// The names of all programs that do not belong to the system.
fn programs(in_bin: bool, project: &ProjectLocation) -> BTreeSet<String> {
    let path = project.environment.path.clone().unwrap_or_default();
    let mut names: BTreeSet<String> = BTreeSet::new();
    let bin = in_bin.then(|| PathBuf::from("bin"));
    for directory in std::env::split_paths(&path).chain(bin) {
        let directory = project.working_directory.join(directory);
        if is_system_program(&directory.join("program").to_string_lossy()) {
            continue;
        }
        let Ok(entries) = std::fs::read_dir(directory) else { continue };
        names.extend(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()));
    }
    names
}

/// Error for a prompt that is too long for an argument. Supported agent programs read a long prompt
/// from standard input, so this concerns other programs only.
fn too_long(step: &PlanStep) -> Option<Diagnostic> {
    let AgentKind::Program(_) = step.agent.kind else { return None };
    // A replay gets no prompt.
    if step.agent.replay.is_some() {
        return None;
    }
    let Prompt::Text(text) = &step.prompt.value else { return None };
    (text.len() > MAX_ARGUMENT_BYTES).then(|| {
        let (number, length) = (step.number, text.len());
        Diagnostic::error(format!(
            "step {number}: the prompt has {length} bytes, and a program can be given {MAX_ARGUMENT_BYTES}"
        ))
        .hint("put it into a file, and tell the agent to read that")
    })
}
