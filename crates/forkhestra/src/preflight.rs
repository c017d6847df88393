//! What can be known to fail is refused before anything runs.

use std::collections::BTreeSet;
use std::path::Path;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::plan::{AgentKind, Location, Plan, Prompt, Step, WhyNotRunnable};
use forkhestra_core::words;
use forkhestra_engine::process;
use typeset::text::visible;

use crate::project::Project;
use crate::report::agent_program;
use crate::report::step::missing_program;

/// The system hands no longer argument to a program.
const LONGEST_ARGUMENT: usize = 128 * 1024 - 1;

/// Everything that stands against running a plan. The names of agents in the config are for those who
/// have mistyped one.
pub(crate) fn problems(plan: &Plan, project: &Project, configured: &[&str]) -> Vec<Diagnostic> {
    let mut problems = not_there_yet(plan);
    let mut seen = BTreeSet::new();
    let planned = plan.steps.iter().map(|step| step.agent.name.as_str());
    let known: Vec<&str> = planned.chain(configured.iter().copied()).collect();
    for step in &plan.steps {
        if seen.insert(step.agent.kind.command()) {
            problems.extend(unusable_agent(step, &known, project));
        }
        problems.extend(too_long(step));
    }
    problems
}

/// Nothing is ever half done: what this version cannot do is refused, not left out.
fn not_there_yet(plan: &Plan) -> Vec<Diagnostic> {
    let mut missing = Vec::new();
    let mut refuse = |what: String, remedy: &str| {
        missing.push(Diagnostic::error(format!("this version {what}")).hint(remedy));
    };
    for step in &plan.steps {
        let (number, name) = (step.number, visible(&step.agent.name));
        if !step.checks.is_empty() {
            let remedy = "give the step `\"checks\": []`, or leave `--check` out";
            refuse(format!("cannot run the checks of step {number}, `{name}`"), remedy);
        }
    }
    if !plan.hooks.is_empty() {
        refuse("cannot run hooks".to_owned(), "leave `hooks` and `--hook` out");
    }
    missing
}

fn unusable_agent(step: &Step, known: &[&str], project: &Project) -> Option<Diagnostic> {
    let kind = &step.agent.kind;
    match kind.location() {
        Location::Found(path) => {
            let problem = process::preflight(Path::new(path)).err()?;
            Some(Diagnostic::error(format!("step {}: {problem}", step.number)))
        }
        Location::Missing(why) => {
            let problem = missing_program(kind)?;
            let error = Diagnostic::error(format!("step {}: {problem}", step.number));
            if let Some(remedy) = agent_program::remedy(kind) {
                return Some(error.hint(remedy));
            }
            Some(match why {
                WhyNotRunnable::NotOnPath => {
                    error.maybe_hint(similar(kind.command(), known, project))
                }
                WhyNotRunnable::NotExecutable => {
                    error.hint(format!("make it executable: chmod +x {}", kind.command()))
                }
                _ => error,
            })
        }
    }
}

/// A program or an agent whose name is much like this one.
fn similar(name: &str, known: &[&str], project: &Project) -> Option<String> {
    let path = project.environment.path.clone().unwrap_or_default();
    let mut names: BTreeSet<String> = BTreeSet::new();
    for directory in std::env::split_paths(&path) {
        let Ok(entries) = std::fs::read_dir(project.working_directory.join(directory)) else {
            continue;
        };
        names.extend(entries.flatten().filter_map(|entry| entry.file_name().into_string().ok()));
    }
    names.extend(known.iter().filter(|other| **other != name).map(|other| (*other).to_owned()));
    // There are thousands of programs, so one that is merely somewhat alike says nothing.
    let is_close = |other: &&str| {
        other.chars().next() == name.chars().next() && other.len().abs_diff(name.len()) <= 2
    };
    words::did_you_mean(name, names.iter().map(String::as_str).filter(is_close))
}

/// Agent programs that we know read what is too long for an argument.
fn too_long(step: &Step) -> Option<Diagnostic> {
    let AgentKind::Program(_) = step.agent.kind else { return None };
    let Prompt::Text(text) = &step.prompt.value else { return None };
    (text.len() > LONGEST_ARGUMENT).then(|| {
        let (number, length) = (step.number, text.len());
        Diagnostic::error(format!(
            "step {number}: the prompt has {length} bytes, and a program can be given {LONGEST_ARGUMENT}"
        ))
        .hint("put it into a file, and tell the agent to read that")
    })
}
