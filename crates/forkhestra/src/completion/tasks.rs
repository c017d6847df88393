//! Value candidates for the arguments of `forge-tasks`, which provides them itself.

use std::ffi::OsStr;

use clap::builder::StyledStr;
use clap::{Arg, Command};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use forge_tasks::cli::CliInputs;
use forge_tasks::cli::completion::{Suggestion, suggestions};

use crate::cli::version::CURRENT;
use crate::past_runs::leases::KnownRuns;

/// Adds candidates to every argument that has some.
pub(super) fn with_values(command: Command) -> Command {
    command.mut_subcommands(|verb| {
        let name = verb.get_name().to_owned();
        verb.mut_args(|arg| with_candidates(arg, &name))
    })
}

fn with_candidates(arg: Arg, verb: &str) -> Arg {
    let names = arg.get_value_names();
    let Some(value_name) = names.and_then(|names| names.first()).map(ToString::to_string) else {
        return arg;
    };
    // The parser completes paths and closed sets of values by itself.
    if arg.get_id() == "dir" || !arg.get_possible_values().is_empty() {
        return arg;
    }
    let verb = verb.to_owned();
    arg.add(ArgValueCompleter::new(move |current: &OsStr| {
        let runs = KnownRuns::default();
        let found = suggestions(&verb, &value_name, None, &CliInputs::real(&runs, CURRENT));
        let typed = current.to_string_lossy();
        found.unwrap_or_default().into_iter().filter_map(|one| candidate(one, &typed)).collect()
    }))
}

/// A candidate for the last of several values separated by commas. Case is ignored.
fn candidate(suggestion: Suggestion, typed: &str) -> Option<CompletionCandidate> {
    let begin = typed.rfind(',').map_or(0, |comma| comma + 1);
    let (before, typed) = typed.split_at(begin);
    let Suggestion { value, about } = suggestion;
    let fits = value.get(..typed.len()).is_some_and(|start| start.eq_ignore_ascii_case(typed));
    fits.then(|| {
        CompletionCandidate::new(format!("{before}{value}")).help(about.map(StyledStr::from))
    })
}
