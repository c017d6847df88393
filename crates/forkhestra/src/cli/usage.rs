//! Turns errors of the argument parser into diagnostics.

use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ErrorKind};
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::dsl::{Dsl, DslPart, DslPartKind};
use forkhestra_core::limit::{LIMITS, LimitScope};
use forkhestra_core::text::variables::looks_like_assignment;
use typeset::clap_error;

use crate::cli::started_program::StartedProgram;
use crate::report::text::shell_word::shell_word;

/// Converts a parser error into diagnostics.
pub(crate) fn diagnostics(
    error: &clap::Error,
    arguments: &[OsString],
    program: StartedProgram,
) -> Vec<Diagnostic> {
    let words: Vec<&str> = words(arguments).collect();
    let (command, verbs) = command_of(program, &words);
    let diagnostic = match error.kind() {
        ErrorKind::UnknownArgument | ErrorKind::InvalidValue => {
            let argument = clap_error::text(error, ContextKind::InvalidArg).unwrap_or_default();
            match value_with_dash(&command, &words) {
                Some((flag, value)) => lacks_value(flag, value),
                None if argument.starts_with("->") => return misread_arrow(program, &words),
                None if program == StartedProgram::RalphRunner && !is_option(&argument) => {
                    stray_word(&argument, &words)
                }
                None if error.kind() == ErrorKind::UnknownArgument => {
                    unknown_argument(error, verbs.is_empty())
                }
                None => Diagnostic::error(clap_error::sentence(error)),
            }
        }
        ErrorKind::InvalidSubcommand => unknown_verb(error, &verbs),
        _ => Diagnostic::error(clap_error::sentence(error)),
    };
    let help = [program.name()].into_iter().chain(verbs).collect::<Vec<_>>().join(" ");
    vec![diagnostic.hint(format!("for the options and their values see `{help} --help`"))]
}

/// The command that was typed, with the verbs that lead to it. Without a verb the command is `run`.
fn command_of<'a>(program: StartedProgram, words: &[&'a str]) -> (Command, Vec<&'a str>) {
    let mut command = program.command();
    // The options of verbs are deferred until the command is built.
    command.build();
    let mut verbs = Vec::new();
    for word in words {
        match command.find_subcommand(word) {
            Some(known) if *word != "run" => command = known.clone(),
            _ => break,
        }
        verbs.push(*word);
    }
    (command, verbs)
}

/// The words between the program name and `--`.
fn words(arguments: &[OsString]) -> impl Iterator<Item = &str> {
    let typed = arguments.iter().skip(1).filter_map(|word| word.to_str());
    typed.take_while(|word| *word != "--")
}

/// The parser takes a chain that starts with an arrow for an option. It is a syntax error in the
/// chain.
fn misread_arrow(program: StartedProgram, words: &[&str]) -> Vec<Diagnostic> {
    let chain = words.iter().find(|word| word.starts_with("->")).copied().unwrap_or("->");
    let has_other_words = words.iter().any(|word| !word.starts_with('-'));
    match Dsl::parse(chain) {
        Err(mistakes) if chain != "->" || !has_other_words => mistakes,
        _ => vec![Diagnostic::error("unexpected argument `->`").hint(format!(
            "a chain is one argument; quote it: {}",
            program.with_chain("a:3 -> b")
        ))],
    }
}

/// Finds an option that needs a value and is followed by a word that looks like an option. Such a
/// word is never used as the value: `--prompt --dry-run` would start an agent.
fn value_with_dash<'a>(command: &Command, words: &[&'a str]) -> Option<(&'a str, &'a str)> {
    let needs_value = |word: &str| {
        command.get_arguments().any(|argument| {
            let is_named = argument.get_long().is_some_and(|long| word == format!("--{long}"))
                || argument.get_short().is_some_and(|short| word == format!("-{short}"));
            let fewest = argument.get_num_args().map_or(1, |count| count.min_values());
            is_named && argument.get_action().takes_values() && fewest > 0
        })
    };
    let pair = words.windows(2).find(|pair| needs_value(pair[0]) && pair[1].starts_with('-'))?;
    Some((pair[0], pair[1]))
}

fn lacks_value(flag: &str, next: &str) -> Diagnostic {
    Diagnostic::error(format!("`{flag}` needs a value, and `{next}` looks like an option"))
        .hint(format!("if it is the value, write {}", shell_word(&format!("{flag}={next}"))))
}

/// Error for a positional word. `ralph-runner` takes none, so the hint shows the equivalent option.
fn stray_word(word: &str, words: &[&str]) -> Diagnostic {
    let error = Diagnostic::error(format!("unexpected argument `{word}`"));
    let chain = words.windows(2).find(|pair| pair[0] == "--chain").map(|pair| pair[1]);
    if let (Some(chain), "-") = (chain, word) {
        return error.hint(format!(
            "the shell took `>` for a redirection; quote the chain: --chain \"{chain} -> …\""
        ));
    }
    if looks_like_assignment(word) {
        let what = "variables are for chains of the config";
        return error.hint(format!("{what}: forkhestra --chain NAME {}", shell_word(word)));
    }
    let chain = Dsl::parse(word).ok().map(|dsl| dsl.chain);
    let error = match chain.as_ref().map(|chain| chain.only_part()) {
        Some(Some(DslPart { kind: DslPartKind::Agent(agent), count, .. })) => {
            if words.contains(&"--agent") || words.contains(&"--chain") {
                error
            } else {
                let name = shell_word(&agent.value);
                let max_iterations =
                    count.map_or_else(|| "20".to_owned(), |count| count.to_string());
                error.hint(format!("write --agent {name} --max-iterations {max_iterations}"))
            }
        }
        Some(_) => error.hint(format!("write --chain {}", shell_word(word))),
        None => error,
    };
    error.hint("arguments for the agents go after `--`")
}

fn is_option(argument: &str) -> bool {
    argument.len() > 1 && argument.starts_with('-')
}

fn unknown_argument(error: &clap::Error, takes_agents: bool) -> Diagnostic {
    let argument = clap_error::text(error, ContextKind::InvalidArg).unwrap_or_default();
    let what = if argument.starts_with('-') { "unknown option" } else { "unexpected argument" };
    let suggestion = clap_error::text(error, ContextKind::SuggestedArg)
        .map(|similar| format!("did you mean `{similar}`?"));
    let known = removed_option(&argument).or_else(|| limit_of_resume(&argument));
    Diagnostic::error(format!("{what} `{argument}`"))
        .maybe_hint(known.filter(|_| takes_agents).or(suggestion))
        .maybe_hint(takes_agents.then(|| "arguments for the agents go after `--`".to_owned()))
}

/// Hint for an option that earlier versions had.
fn removed_option(argument: &str) -> Option<String> {
    let option = argument.split_once('=').map_or(argument, |(option, _)| option);
    let hint = "fault injection was removed; to test a failure, use an agent script that fails";
    (option == "--fault").then(|| hint.to_owned())
}

/// Hint for a limit that can be an option only when a run is resumed. For a new run the config sets
/// it.
fn limit_of_resume(argument: &str) -> Option<String> {
    let option = argument.split('=').next().and_then(|option| option.strip_prefix("--"));
    let limit = LIMITS.iter().find(|limit| limit.help.is_none() && Some(limit.option) == option);
    let (scope, key) = (limit?.scope, limit?.config);
    let place = if scope == LimitScope::Group { "group" } else { "step" };
    Some(format!(
        "it is for `resume`; for a new run, give the {place} `limits.{key}` in the config"
    ))
}

/// Error for an unknown verb below a verb, such as `runs`. At the top level such a word is an
/// agent.
fn unknown_verb(error: &clap::Error, verbs: &[&str]) -> Diagnostic {
    let word = clap_error::text(error, ContextKind::InvalidSubcommand).unwrap_or_default();
    let similar = clap_error::text(error, ContextKind::SuggestedSubcommand);
    let diagnostic = Diagnostic::error(format!("unexpected argument `{word}`"));
    match similar {
        Some(similar) => diagnostic.hint(format!("did you mean `{similar}`?")),
        None if *verbs == ["runs"] => {
            diagnostic.hint(format!("to see one run: forkhestra show {}", shell_word(&word)))
        }
        None => diagnostic,
    }
}
