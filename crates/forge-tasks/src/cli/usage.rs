//! Wrong use of the command line, reported in one line.

mod extra;
mod hyphens;
mod near;
mod option;
mod verb;
mod word;

use std::error::Error;
use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ErrorKind};
use typeset::clap_error;

use super::args::NAME;
use crate::words;

/// Finds a word that the parser would misread; returns the message.
pub(crate) fn misread(command: &Command, arguments: &[OsString]) -> Option<String> {
    hyphens::misread(command, &typed(arguments))
}

/// The message for wrong use, in one line, with a remedy or a reference to the help.
pub(crate) fn message(error: &clap::Error, command: &Command, arguments: &[OsString]) -> String {
    let words = typed(arguments);
    let verb = words.iter().find_map(|word| command.find_subcommand(word));
    let verb_name = verb.map(Command::get_name);
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let argument = clap_error::text(error, ContextKind::InvalidArg).unwrap_or_default();
            extra::unexpected(verb, &words, &argument)
        }
        ErrorKind::InvalidSubcommand => {
            let word = clap_error::text(error, ContextKind::InvalidSubcommand).unwrap_or_default();
            verb::unknown(command, &word)
        }
        // The errors of values describe what is expected.
        ErrorKind::ValueValidation => match error.source() {
            Some(source) => source.to_string(),
            None => clap_error::sentence(error),
        },
        _ => see_help(&what_is_wrong(error, verb_name), verb_name),
    }
}

/// The arguments after the name of the program. The parser refuses those that are not UTF-8.
fn typed(arguments: &[OsString]) -> Vec<String> {
    arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect()
}

fn what_is_wrong(error: &clap::Error, verb: Option<&str>) -> String {
    let argument =
        || clap_error::text(error, ContextKind::InvalidArg).map(|names| option_name(&names));
    match error.kind() {
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            "say what to do, such as `list` or `create`".to_owned()
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = clap_error::texts(error, ContextKind::InvalidArg);
            let missing: Vec<String> = missing.iter().map(|name| needed(name)).collect();
            format!("`{}` needs {}", program(verb), words::all_of(&missing))
        }
        ErrorKind::InvalidValue => invalid_value(error, &argument().unwrap_or_default()),
        ErrorKind::ArgumentConflict => {
            let one = argument().unwrap_or_default();
            match clap_error::text(error, ContextKind::PriorArg).map(|names| option_name(&names)) {
                Some(other) if other != one => format!("`{one}` does not go with `{other}`"),
                _ => format!("`{one}` is given twice"),
            }
        }
        ErrorKind::InvalidUtf8 => "an argument is not UTF-8 text".to_owned(),
        _ => clap_error::sentence(error),
    }
}

fn see_help(what: &str, verb: Option<&str>) -> String {
    format!("{what}; see `{} --help`", program(verb))
}

fn did_you_mean(what: &str, meant: &[impl AsRef<str>]) -> Option<String> {
    let quoted: Vec<String> = meant.iter().map(|meant| format!("`{}`", meant.as_ref())).collect();
    (!quoted.is_empty()).then(|| format!("{what}; did you mean {}?", words::one_of(&quoted)))
}

fn program(verb: Option<&str>) -> String {
    verb.map_or_else(|| NAME.to_owned(), |verb| format!("{NAME} {verb}"))
}

fn invalid_value(error: &clap::Error, option: &str) -> String {
    let value = clap_error::text(error, ContextKind::InvalidValue).unwrap_or_default();
    let known = clap_error::texts(error, ContextKind::ValidValue);
    match value.as_str() {
        "" => format!("`{option}` lacks its value"),
        value if known.is_empty() => format!("`{value}` is not a value of `{option}`"),
        value => {
            format!("`{value}` is not a value of `{option}`; there are {}", words::all_of(&known))
        }
    }
}

/// The option without its value: `--status` of `--status <STATUS>`.
fn option_name(shown: &str) -> String {
    let mut words = shown.split(' ');
    match (words.next(), words.next()) {
        (Some(option), Some(value)) if option.starts_with('-') && value.starts_with('<') => {
            option.to_owned()
        }
        _ => shown.trim_matches(['<', '>', '[', ']', '.']).to_owned(),
    }
}

/// The name of a missing argument: `TITLE` of `<TITLE>`.
fn needed(shown: &str) -> String {
    let name = shown.trim_end_matches("...").trim_matches(['<', '>', '|']);
    let article = if name.starts_with(['A', 'E', 'I', 'O']) { "an" } else { "a" };
    format!("{article} {name}")
}
