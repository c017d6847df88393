//! The values of the arguments of `forkhestra` and `ralph-runner`.

use std::ffi::OsStr;
use std::sync::Arc;

use clap::{Arg, Command, ValueHint};
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use forkhestra_core::check;
use forkhestra_core::hook::HookPoint;

use super::candidates;
use super::here::Here;
use crate::manual;
use crate::program::Program;

/// Tells every argument what its values can be.
pub(super) fn with_values(command: Command, here: Here) -> Command {
    tell(command, &Arc::new(here))
}

fn tell(command: Command, here: &Arc<Here>) -> Command {
    let verb = command.get_name().to_owned();
    let command = command.mut_args(|arg| value(arg, &verb, here));
    command.mut_subcommands(|verb| tell(verb, here))
}

fn value(arg: Arg, verb: &str, here: &Arc<Here>) -> Arg {
    let id = arg.get_id().as_str().to_owned();
    match id.as_str() {
        "words" if verb == "tell" => looked_up(arg, here, candidates::runs_going_on),
        "words" => looked_up(arg, here, candidates::words),
        "chain" if here.program == Program::RalphRunner => {
            looked_up(arg, here, candidates::agents_of_chain)
        }
        "chain" => looked_up(arg, here, candidates::chains),
        "agent" => looked_up(arg, here, candidates::agents),
        "name" if verb == "show-agent" => looked_up(arg, here, candidates::agents),
        "run" if verb == "resume" => looked_up(arg, here, candidates::unfinished_runs),
        "run" if matches!(verb, "stop" | "pause" | "continue" | "skip" | "set") => {
            looked_up(arg, here, candidates::runs_going_on)
        }
        "resume" => looked_up(arg, here, candidates::unfinished_runs),
        "run" | "runs" => looked_up(arg, here, candidates::runs),
        "page" => words(arg, manual::names()),
        "checks" => words(arg, check_words()),
        "hooks" => words(arg, HookPoint::names().map(|name| format!("{name}:")).into()),
        "faults" => words(arg, ["limit@", "truncate@", "crash@", "hang"].map(str::to_owned).into()),
        "speed" => words(arg, vec!["max".to_owned()]),
        "timeout" | "idle_timeout" | "max_time" | "step_time" | "max_cost" | "step_cost"
        | "max_wait" | "stagnation" => words(arg, vec!["off".to_owned()]),
        "cwd" | "dir" | "state_dir" | "record" | "replay" => arg.value_hint(ValueHint::DirPath),
        "config" | "file" | "done_file" => arg.value_hint(ValueHint::FilePath),
        _ => arg,
    }
}

/// Values that have to be looked up when somebody wants them.
fn looked_up(arg: Arg, here: &Arc<Here>, find: fn(&Here, &str) -> Vec<CompletionCandidate>) -> Arg {
    let here = Arc::clone(here);
    arg.add(ArgValueCompleter::new(move |current: &OsStr| {
        current.to_str().map_or_else(Vec::new, |current| find(&here, current))
    }))
}

/// Values that are always the same. A script is a path, so where no word fits there are paths.
fn words(arg: Arg, words: Vec<String>) -> Arg {
    let may_be_path = arg.get_id() == "checks";
    arg.add(ArgValueCompleter::new(move |current: &OsStr| {
        let typed = current.to_string_lossy();
        let fitting = words.iter().filter(|word| word.starts_with(typed.as_ref()));
        let mut found: Vec<CompletionCandidate> = fitting.map(CompletionCandidate::new).collect();
        if found.is_empty() && may_be_path {
            found = PathCompleter::any().complete(current);
        }
        found
    }))
}

fn check_words() -> Vec<String> {
    let needs_value = |word: &str| matches!(word, "command" | "file" | "marker" | "task");
    let word = |word: &str| if needs_value(word) { format!("{word}:") } else { word.to_owned() };
    check::BUILT_IN.map(word).into()
}
