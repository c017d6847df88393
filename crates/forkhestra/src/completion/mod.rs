//! What can stand in the place of a word that somebody is typing.
//!
//! The scripts in `scripts/` hand a command line over as far as the cursor, and [`answer`] says what
//! its last word can become. The command lines are those that are parsed; what can be known only at
//! that moment (chains, agents, runs, tasks) is looked up. Nobody asked for messages here: what cannot
//! be read is left out, and nothing is written.

mod candidates;
mod chain_words;
mod here;
mod ours;
mod tasks;

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;

use clap::Command;
use clap_complete::engine::{CompletionCandidate, complete};
use forge_tasks::cli::completion as forge_tasks_line;
use typeset::text::visible;

use self::here::Here;
use crate::program::Program;
use crate::version::CURRENT;

/// What the last of these words can become: each in a line, with what it is behind a tab. The first
/// word is the program, be it a path.
pub(crate) fn answer(words: &[OsString]) -> String {
    let Some((current, before)) = words.split_last().filter(|(_, before)| !before.is_empty())
    else {
        return String::new();
    };
    let (mut command, verbs) = command(before);
    let directory = env::current_dir().ok();
    let last = words.len() - 1;
    let found = complete(&mut command, words.to_vec(), last, directory.as_deref());
    let mut found = found.unwrap_or_default();
    // Without another match hidden names would be offered.
    found.retain(|candidate| !candidate.is_hide_set());
    if verbs == Verbs::No {
        found.retain(|candidate| !is_verb(candidate));
    }
    wanted(found, current).iter().filter_map(line).collect()
}

/// Whether a verb can follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verbs {
    Yes,
    No,
}

/// The command line of a program, in which arguments know their values.
fn command(before: &[OsString]) -> (Command, Verbs) {
    let program = Path::new(&before[0]).file_name().and_then(OsStr::to_str);
    let ours = match program {
        Some("forge-tasks") => {
            let command = forge_tasks_line::command(CURRENT);
            return (tasks::with_values(command, before), Verbs::Yes);
        }
        Some("ralph-runner") => Program::RalphRunner,
        _ => Program::Forkhestra,
    };
    let here = Here::look(ours, before);
    // The options of forkhestra itself are those of a run, which has no verb.
    let verbs = if before.len() == 1 || here.has_verb { Verbs::Yes } else { Verbs::No };
    // With the options of all verbs, which come later otherwise.
    let mut whole = ours.command();
    whole.build();
    (ours::with_values(whole, here), verbs)
}

fn is_verb(candidate: &CompletionCandidate) -> bool {
    candidate.get_id().is_some_and(|id| id.starts_with("command::"))
}

/// Options are offered to who begins one, and where there is nothing else.
fn wanted(mut found: Vec<CompletionCandidate>, current: &OsStr) -> Vec<CompletionCandidate> {
    let is_option = |candidate: &CompletionCandidate| begins_option(candidate.get_value());
    if !begins_option(current) && !found.iter().all(is_option) {
        found.retain(|candidate| !is_option(candidate));
    }
    found
}

fn begins_option(word: &OsStr) -> bool {
    word.as_encoded_bytes().starts_with(b"-")
}

/// A name with a control character in it could be anything to a shell.
fn line(candidate: &CompletionCandidate) -> Option<String> {
    let value = candidate.get_value().to_str()?;
    if value.chars().any(char::is_control) {
        return None;
    }
    let about = candidate.get_help().map(ToString::to_string);
    let about = about.as_deref().and_then(|about| about.lines().next()).map(visible);
    Some(match about {
        Some(about) if !about.is_empty() => format!("{value}\t{about}\n"),
        _ => format!("{value}\n"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: &str, about: Option<&'static str>) -> Option<String> {
        line(&CompletionCandidate::new(value).help(about.map(Into::into)))
    }

    #[test]
    fn a_candidate_is_a_line_whatever_it_is_called() {
        assert_eq!(shown("a b", None).as_deref(), Some("a b\n"));
        assert_eq!(shown("a", Some("first\nsecond")).as_deref(), Some("a\tfirst\n"));
        assert_eq!(shown("a", Some("")).as_deref(), Some("a\n"));
        for name in ["a\nb", "a\tb", "a\u{1b}[2J"] {
            assert_eq!(shown(name, None), None, "{name:?}");
        }
    }

    #[test]
    fn options_are_offered_to_who_begins_one_or_where_nothing_else_is() {
        let found = |values: &[&str]| -> Vec<CompletionCandidate> {
            values.iter().map(CompletionCandidate::new).collect()
        };
        let values = |found: Vec<CompletionCandidate>| -> Vec<OsString> {
            found.iter().map(|candidate| candidate.get_value().to_owned()).collect()
        };
        assert_eq!(values(wanted(found(&["x", "--y"]), OsStr::new(""))), ["x"]);
        assert_eq!(values(wanted(found(&["--y"]), OsStr::new(""))), ["--y"]);
        assert_eq!(values(wanted(found(&["--x", "--y"]), OsStr::new("--"))), ["--x", "--y"]);
    }
}
