//! What there is at this moment: chains, agents, variables, runs.

use clap::builder::StyledStr;
use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter};
use forge_tasks::cli::World;
use forge_tasks::cli::completion as forge_tasks_line;
use forkhestra_core::plan::{self, Inventory};
use forkhestra_core::variables::looks_like_assignment;
use forkhestra_store::{Overview, RunDir, StatusWord};

use super::chain_words::last_agent;
use super::here::Here;
use crate::config_files;
use crate::find_run::Places;
use crate::leases::KnownRuns;
use crate::report::step::kind;
use crate::surroundings::RealSurroundings;
use crate::version::CURRENT;

/// More runs than anybody chooses from. Each of them has to be looked into.
const MOST_RUNS: usize = 100;

/// A word of a run: its chain, or a variable.
pub(super) fn words(here: &Here, typed: &str) -> Vec<CompletionCandidate> {
    if let Some((name, value)) = typed.split_once('=') {
        return values(name, value);
    }
    let is_chain = |word: &String| !looks_like_assignment(word);
    match &here.chain {
        Some(chain) => variables(here, chain, typed),
        None if here.words.iter().any(is_chain) => Vec::new(),
        None => agents_of_chain(here, typed),
    }
}

/// The agents that the last one of a chain can be, each with the chain before it.
pub(super) fn agents_of_chain(here: &Here, typed: &str) -> Vec<CompletionCandidate> {
    let (before, agent) = last_agent(typed);
    agents(here, agent).into_iter().map(|found| found.add_prefix(before)).collect()
}

/// The agents that are configured, or come with us; and programs by their paths.
pub(super) fn agents(here: &Here, typed: &str) -> Vec<CompletionCandidate> {
    if typed.contains('/') {
        return PathCompleter::any().complete(typed.as_ref());
    }
    let agents = inventory(here).map(|inventory| inventory.agents).unwrap_or_default();
    let known = agents.iter().map(|found| (&found.agent.name, kind(&found.agent)));
    let fitting = known.filter(|(name, _)| name.starts_with(typed));
    fitting.map(|(name, about)| candidate(name, about)).collect()
}

/// The chains that have names.
pub(super) fn chains(here: &Here, typed: &str) -> Vec<CompletionCandidate> {
    let chains = inventory(here).map(|inventory| inventory.chains).unwrap_or_default();
    let fitting = chains.into_iter().filter(|chain| chain.name.starts_with(typed));
    fitting
        .map(|chain| candidate(&chain.name, chain.description.unwrap_or(chain.definition)))
        .collect()
}

/// The runs of this work tree, or of all for who begins with an id of another.
pub(super) fn runs(here: &Here, typed: &str) -> Vec<CompletionCandidate> {
    found_runs(here, typed, |_| true)
}

/// The runs that can go on.
pub(super) fn unfinished_runs(here: &Here, typed: &str) -> Vec<CompletionCandidate> {
    found_runs(here, typed, |status| status != StatusWord::Complete)
}

/// The runs that can be steered.
pub(super) fn runs_going_on(here: &Here, typed: &str) -> Vec<CompletionCandidate> {
    found_runs(here, typed, |status| status == StatusWord::Running)
}

/// The variables that a chain needs and that are not given yet.
fn variables(here: &Here, chain: &str, typed: &str) -> Vec<CompletionCandidate> {
    let inventory = inventory(here);
    let found = inventory
        .as_ref()
        .and_then(|inventory| inventory.chains.iter().find(|summary| summary.name == chain));
    let is_given = |name: &str| here.words.iter().any(|word| word.split('=').next() == Some(name));
    let needed = found.into_iter().flat_map(|summary| &summary.variables);
    let fitting = needed.filter(|name| name.starts_with(typed) && !is_given(name));
    fitting.map(|name| CompletionCandidate::new(format!("{name}="))).collect()
}

/// Tasks, for a variable that names one.
fn values(name: &str, typed: &str) -> Vec<CompletionCandidate> {
    if !name.ends_with("TASK_ID") && name != "TASK" {
        return Vec::new();
    }
    let runs = KnownRuns::default();
    let world = World::real(&runs, CURRENT);
    let tasks = forge_tasks_line::suggestions("view", "ID", None, &world).unwrap_or_default();
    let fitting = tasks.into_iter().filter(|task| task.value.starts_with(typed));
    fitting
        .map(|task| candidate(&format!("{name}={}", task.value), task.about.unwrap_or_default()))
        .collect()
}

fn found_runs(
    here: &Here,
    typed: &str,
    is_wanted: impl Fn(StatusWord) -> bool,
) -> Vec<CompletionCandidate> {
    let Some(project) = &here.project else { return Vec::new() };
    if typed.contains('/') {
        return PathCompleter::any().complete(typed.as_ref());
    }
    let places = Places { project, state_dir: here.state_dir.as_deref() };
    let fitting = |runs: Vec<RunDir>| -> Vec<CompletionCandidate> {
        let meant = runs.into_iter().filter(|run| run.run().as_str().starts_with(typed));
        let known = meant.take(MOST_RUNS).filter_map(|run| Overview::read(&run).ok());
        known.filter(|run| is_wanted(run.status)).map(|run| run_candidate(&run)).collect()
    };
    let here = places.here().map(fitting).unwrap_or_default();
    // Whoever begins an id may know it from elsewhere.
    if here.is_empty() && !typed.is_empty() {
        return places.everywhere().map(fitting).unwrap_or_default();
    }
    here
}

fn run_candidate(run: &Overview) -> CompletionCandidate {
    let chain = run.chain.as_ref().unwrap_or(&run.definition);
    candidate(&run.id, format!("{}, {chain}, started {}", run.status, run.started_at))
}

fn candidate(value: &str, about: String) -> CompletionCandidate {
    CompletionCandidate::new(value).help(Some(StyledStr::from(about)))
}

/// What the config files have; none if they cannot be used.
fn inventory(here: &Here) -> Option<Inventory> {
    let project = here.project.as_ref()?;
    let loaded = config_files::load(project).ok()?;
    plan::inventory(&loaded.layers, &RealSurroundings { project }).ok()
}
