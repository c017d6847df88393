//! Candidates for chains, agents, runs, checks and hooks.

use std::ffi::OsStr;

use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter};
use forkhestra_core::check;
use forkhestra_core::history::ExecutionStatus;
use forkhestra_core::hook::HookPoint;
use forkhestra_core::plan::{self, ConfigInventory};
use forkhestra_store::{RunDir, RunOverview};
use typeset::text::visible;

use crate::cli::args::forkhestra_cli::ProjectArgs;
use crate::past_runs::run_finder::RunFinder;
use crate::project::config_files;
use crate::project::local_host::LocalHost;
use crate::project::project_location::ProjectLocation;
use crate::report::plan::step::kind;

/// Upper bound for the runs that are read: each of them costs a file.
const MAX_RUNS: usize = 100;

/// Candidates for the last agent of a chain, each with the chain before it.
pub(crate) fn agents_of_chain(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else { return Vec::new() };
    let (before, agent) = last_agent(typed);
    let found = agents(OsStr::new(agent)).into_iter();
    found.map(|candidate| candidate.add_prefix(before)).collect()
}

/// Configured and built-in agents, or files if a path is typed.
pub(crate) fn agents(typed: &OsStr) -> Vec<CompletionCandidate> {
    if is_path(typed) {
        return PathCompleter::any().complete(typed);
    }
    let agents = inventory().map(|inventory| inventory.agents).unwrap_or_default();
    let known = agents.iter().map(|found| (found.agent.name.as_str(), kind(&found.agent)));
    fitting(known, typed)
}

/// Configured and built-in chains.
pub(crate) fn chains(typed: &OsStr) -> Vec<CompletionCandidate> {
    let chains = inventory().map(|inventory| inventory.chains).unwrap_or_default();
    let known = chains.iter().map(|chain| {
        (chain.name.as_str(), chain.description.as_ref().unwrap_or(&chain.definition).clone())
    });
    fitting(known, typed)
}

/// The runs of this work tree, or of all work trees if none of these matches the typed id.
pub(crate) fn runs(typed: &OsStr) -> Vec<CompletionCandidate> {
    runs_with(typed, |_| true)
}

/// The runs that can be resumed.
pub(crate) fn unfinished_runs(typed: &OsStr) -> Vec<CompletionCandidate> {
    runs_with(typed, |status| status != ExecutionStatus::Complete)
}

/// The runs that can be steered.
pub(crate) fn active_runs(typed: &OsStr) -> Vec<CompletionCandidate> {
    runs_with(typed, |status| status == ExecutionStatus::Running)
}

/// Built-in checks, or files if none matches: a script is a path.
pub(crate) fn checks(typed: &OsStr) -> Vec<CompletionCandidate> {
    let needs_value = |word: &str| matches!(word, "command" | "file" | "marker" | "task");
    let word = |word: &str| if needs_value(word) { format!("{word}:") } else { word.to_owned() };
    let words = check::BUILT_IN.map(word);
    let found = fitting(words.iter().map(|word| (word.as_str(), String::new())), typed);
    if found.is_empty() { PathCompleter::any().complete(typed) } else { found }
}

/// The points of a run at which a hook can be called.
pub(crate) fn hooks(typed: &OsStr) -> Vec<CompletionCandidate> {
    let words = HookPoint::names().map(|name| format!("{name}:"));
    fitting(words.iter().map(|word| (word.as_str(), String::new())), typed)
}

fn runs_with(
    typed: &OsStr,
    is_wanted: impl Fn(ExecutionStatus) -> bool,
) -> Vec<CompletionCandidate> {
    if is_path(typed) {
        return PathCompleter::any().complete(typed);
    }
    let Ok(project) = ProjectLocation::find(&ProjectArgs::default()) else { return Vec::new() };
    let finder = RunFinder { project: &project, state_dir: None };
    let found = |runs: Vec<RunDir>| {
        let begins = |run: &RunDir| run.run().as_str().starts_with(&*typed.to_string_lossy());
        let read = runs.into_iter().filter(begins).take(MAX_RUNS);
        let read = read.filter_map(|run| RunOverview::read(&run).ok());
        let wanted: Vec<RunOverview> = read.filter(|run| is_wanted(run.status)).collect();
        fitting(wanted.iter().map(|run| (run.id.as_str(), described(run))), typed)
    };
    let here = finder.work_tree_runs().map(found).unwrap_or_default();
    if here.is_empty() && !typed.is_empty() {
        return finder.all_runs().map(found).unwrap_or_default();
    }
    here
}

fn described(run: &RunOverview) -> String {
    let chain = run.chain.as_ref().unwrap_or(&run.definition);
    format!("{}, {chain}, started {}", run.status, run.started_at)
}

/// The names that start with the typed text. Names with control characters are omitted, since a
/// shell may interpret them.
fn fitting<'a>(
    known: impl Iterator<Item = (&'a str, String)>,
    typed: &OsStr,
) -> Vec<CompletionCandidate> {
    let typed = typed.to_string_lossy();
    let fits = |name: &str| name.starts_with(&*typed) && !name.contains(char::is_control);
    let found = known.filter(|(name, _)| fits(name));
    found
        .map(|(name, about)| {
            let about = about.lines().next().map(|line| visible(line).into());
            CompletionCandidate::new(name).help(about)
        })
        .collect()
}

fn is_path(typed: &OsStr) -> bool {
    typed.as_encoded_bytes().contains(&b'/')
}

/// Splits a chain into the text before its last agent, and that agent.
fn last_agent(typed: &str) -> (&str, &str) {
    let behind_arrow = typed.rfind("->").map_or(0, |arrow| arrow + "->".len());
    let rest = &typed[behind_arrow..];
    let blanks = rest.len() - rest.trim_start().len();
    typed.split_at(behind_arrow + blanks)
}

/// The content of the config files; `None` if they cannot be used.
fn inventory() -> Option<ConfigInventory> {
    let project = ProjectLocation::find_with_config(&ProjectArgs::default()).ok()?;
    let loaded = config_files::load(&project).ok()?;
    plan::inventory(&loaded.layers, &LocalHost { project: &project }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_stands_behind_the_last_arrow_and_its_blanks() {
        for (typed, expected) in [
            ("", ("", "")),
            ("pla", ("", "pla")),
            ("planner:3 -> bu", ("planner:3 -> ", "bu")),
            ("planner:3 -> ", ("planner:3 -> ", "")),
            ("a->b->", ("a->b->", "")),
            ("a -", ("", "a -")),
            ("fk:pl", ("", "fk:pl")),
            ("ä ->  ö", ("ä ->  ", "ö")),
        ] {
            assert_eq!(last_agent(typed), expected, "{typed}");
        }
    }

    #[test]
    fn names_with_control_characters_are_left_out() {
        let names = ["a", "a\nb", "a\tb", "a\u{1b}[2J"];
        let found = fitting(names.iter().map(|name| (*name, String::new())), OsStr::new("a"));
        let values: Vec<&OsStr> = found.iter().map(CompletionCandidate::get_value).collect();
        assert_eq!(values, ["a"]);
    }
}
