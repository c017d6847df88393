//! The values of the arguments of `forge-tasks`, which it knows itself.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::builder::StyledStr;
use clap::{Arg, Command, ValueHint};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate};
use forge_tasks::cli::World;
use forge_tasks::cli::completion::{Suggestion, suggestions};

use super::here::Typed;
use crate::leases::KnownRuns;
use crate::version::CURRENT;

/// Tells every argument what its values can be.
pub(super) fn with_values(command: Command, before: &[OsString]) -> Command {
    let dir = Typed::read(command.clone(), before).last("dir").map(PathBuf::from);
    let command = command.mut_args(path);
    command.mut_subcommands(|verb| {
        let name = verb.get_name().to_owned();
        verb.mut_args(|arg| value(path(arg), &name, dir.as_ref()))
    })
}

fn path(arg: Arg) -> Arg {
    if arg.get_id() == "dir" { arg.value_hint(ValueHint::DirPath) } else { arg }
}

fn value(arg: Arg, verb: &str, dir: Option<&PathBuf>) -> Arg {
    let Some(value_name) = arg.get_value_names().and_then(|names| Some(names.first()?.to_string()))
    else {
        return arg;
    };
    // What the parser knows all values of needs nobody else, and a path is known by its hint.
    if arg.get_id() == "dir" || !arg.get_possible_values().is_empty() {
        return arg;
    }
    let (verb, dir) = (verb.to_owned(), dir.cloned());
    arg.add(ArgValueCompleter::new(move |current: &OsStr| {
        let runs = KnownRuns::default();
        let world = World::real(&runs, CURRENT);
        let found = suggestions(&verb, &value_name, dir.as_deref(), &world);
        let typed = current.to_string_lossy();
        found.unwrap_or_default().into_iter().filter_map(|one| candidate(one, &typed)).collect()
    }))
}

/// The last of several values that have commas between them. Ids are known in any case.
fn candidate(suggestion: Suggestion, typed: &str) -> Option<CompletionCandidate> {
    let begin = typed.rfind(',').map_or(0, |comma| comma + 1);
    let (before, typed) = typed.split_at(begin);
    let Suggestion { value, about } = suggestion;
    let fits = value.get(..typed.len()).is_some_and(|start| start.eq_ignore_ascii_case(typed));
    fits.then(|| {
        CompletionCandidate::new(format!("{before}{value}")).help(about.map(StyledStr::from))
    })
}
