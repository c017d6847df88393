//! Wrong use of the command line, told in one line.

mod hyphens;

use std::error::Error;
use std::ffi::OsString;

use clap::Command;
use clap::error::{ContextKind, ErrorKind};
use typeset::complaint;

pub(crate) use self::hyphens::misread_hyphens;
use super::args::NAME;
use crate::words;

/// What is wrong with what was typed, in one line that also says where to look if it does not say
/// what to do.
pub(crate) fn message(error: &clap::Error, command: &Command, arguments: &[OsString]) -> String {
    let verb = verb(command, arguments);
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let argument = complaint::text(error, ContextKind::InvalidArg).unwrap_or_default();
            let similar = complaint::text(error, ContextKind::SuggestedArg);
            unexpected(verb, &argument, similar.as_deref())
        }
        ErrorKind::InvalidSubcommand => {
            let word = complaint::text(error, ContextKind::InvalidSubcommand).unwrap_or_default();
            let similar = words::nearest(&word, command.get_subcommands().map(Command::get_name));
            let what = format!("there is no verb `{word}`");
            did_you_mean(&what, similar).unwrap_or_else(|| see_help(&what, verb))
        }
        // The values say themselves what they should be.
        ErrorKind::ValueValidation => match error.source() {
            Some(source) => source.to_string(),
            None => complaint::sentence(error),
        },
        _ => see_help(&what_is_wrong(error, verb), verb),
    }
}

/// The verb that was typed, by its own name.
fn verb<'a>(command: &'a Command, arguments: &[OsString]) -> Option<&'a str> {
    let mut words = arguments.iter().skip(1).filter_map(|word| word.to_str());
    words.find_map(|word| command.find_subcommand(word)).map(Command::get_name)
}

fn what_is_wrong(error: &clap::Error, verb: Option<&str>) -> String {
    let argument =
        || complaint::text(error, ContextKind::InvalidArg).map(|names| option_name(&names));
    match error.kind() {
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            "say what to do, such as `list` or `create`".to_owned()
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = complaint::texts(error, ContextKind::InvalidArg);
            let missing: Vec<String> = missing.iter().map(|name| needed(name)).collect();
            format!("`{}` needs {}", program(verb), words::all_of(&missing))
        }
        ErrorKind::InvalidValue => invalid_value(error, &argument().unwrap_or_default()),
        ErrorKind::ArgumentConflict => {
            let one = argument().unwrap_or_default();
            match complaint::text(error, ContextKind::PriorArg).map(|names| option_name(&names)) {
                Some(other) if other != one => format!("`{one}` does not go with `{other}`"),
                _ => format!("`{one}` is given twice"),
            }
        }
        ErrorKind::InvalidUtf8 => "an argument is not UTF-8 text".to_owned(),
        _ => complaint::sentence(error),
    }
}

/// What to say about a word that has no place.
fn unexpected(verb: Option<&str>, argument: &str, similar: Option<&str>) -> String {
    if argument.starts_with('-') {
        let what = format!("unknown option `{argument}`");
        return did_you_mean(&what, similar).unwrap_or_else(|| see_help(&what, verb));
    }
    let what = format!("unexpected argument `{argument}`");
    match verb {
        Some("create" | "search") => format!("{what}; a text of several words needs quotes"),
        _ => see_help(&what, verb),
    }
}

fn see_help(what: &str, verb: Option<&str>) -> String {
    format!("{what}; see `{} --help`", program(verb))
}

fn did_you_mean(what: &str, similar: Option<&str>) -> Option<String> {
    similar.map(|similar| format!("{what}; did you mean `{similar}`?"))
}

fn program(verb: Option<&str>) -> String {
    verb.map_or_else(|| NAME.to_owned(), |verb| format!("{NAME} {verb}"))
}

fn invalid_value(error: &clap::Error, option: &str) -> String {
    let value = complaint::text(error, ContextKind::InvalidValue).unwrap_or_default();
    let known = complaint::texts(error, ContextKind::ValidValue);
    match value.as_str() {
        "" => format!("`{option}` lacks its value"),
        value if known.is_empty() => format!("`{value}` is no value of `{option}`"),
        value => {
            format!("`{value}` is no value of `{option}`; there are {}", words::all_of(&known))
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

/// What is missing: `TITLE` of `<TITLE>`.
fn needed(shown: &str) -> String {
    let name = shown.trim_end_matches("...").trim_matches(['<', '>', '|']);
    let article = if name.starts_with(['A', 'E', 'I', 'O']) { "an" } else { "a" };
    format!("{article} {name}")
}
