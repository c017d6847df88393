//! Classifies the words of a command line as the parser does, and finds words that it would misread.
//!
//! A text may start with a hyphen (`--notes "- one thing"`), so the parser accepts any word. Two
//! mistakes must be detected: an option without its value that takes the next option as value, and
//! an unknown option that becomes a title.

use clap::{Arg, Command};

use crate::cli::usage;

/// The kind of a word.
pub(crate) enum ArgumentKind<'a> {
    /// `--`: no options follow it.
    EndOfOptions,
    /// An option that is complete: it takes no value, or has it in the same word.
    Option(&'a Arg),
    /// An option whose value is the next word.
    NeedsValue(&'a Arg),
    /// An unknown option.
    Unknown,
    /// A verb, or another word that is not an option.
    Other,
}

/// Classifies a word for a verb.
pub(crate) fn read_argument<'a>(command: &'a Command, word: &str) -> ArgumentKind<'a> {
    if word == "--" {
        return ArgumentKind::EndOfOptions;
    }
    if let Some(long) = word.strip_prefix("--") {
        let (name, has_value) = match long.split_once('=') {
            Some((name, _)) => (name, true),
            None => (long, false),
        };
        return match find_long(command, name) {
            Some(option) if !has_value && takes_value(option) => ArgumentKind::NeedsValue(option),
            Some(option) => ArgumentKind::Option(option),
            None => unknown_or_text(word),
        };
    }
    match word.strip_prefix('-') {
        None | Some("") => ArgumentKind::Other,
        // It is a value that makes no sense, where it would not be a text.
        Some(number) if is_number(number) && !takes_hyphens(command) => ArgumentKind::Other,
        Some(letters) => read_short(command, word, letters),
    }
}

/// Reads `-f`, `-s done`, `-sdone` and `-fsdone`.
fn read_short<'a>(command: &'a Command, word: &str, letters: &str) -> ArgumentKind<'a> {
    let mut known = None;
    for (index, letter) in letters.char_indices() {
        match find_short(command, letter) {
            Some(option) if takes_value(option) => {
                let is_last = index + letter.len_utf8() == letters.len();
                return if is_last {
                    ArgumentKind::NeedsValue(option)
                } else {
                    ArgumentKind::Option(option)
                };
            }
            Some(option) => known = Some(option),
            None => return unknown_or_text(word),
        }
    }
    known.map_or(ArgumentKind::Other, ArgumentKind::Option)
}

/// A word with blanks in it is a text; options have none.
fn unknown_or_text<'a>(word: &str) -> ArgumentKind<'a> {
    if option_of(word).contains(char::is_whitespace) {
        ArgumentKind::Other
    } else {
        ArgumentKind::Unknown
    }
}

/// The option of a word, without a value: `--status` of `--status=done`.
pub(crate) fn option_of(word: &str) -> &str {
    word.split('=').next().unwrap_or(word)
}

/// Finds an option by its long name or an alias.
pub(crate) fn find_long<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    let is_alias = |option: &Arg| option.get_all_aliases().is_some_and(|all| all.contains(&name));
    command.get_arguments().find(|option| option.get_long() == Some(name) || is_alias(option))
}

/// Finds an option by its letter.
pub(crate) fn find_short(command: &Command, letter: char) -> Option<&Arg> {
    let is_alias =
        |option: &Arg| option.get_all_short_aliases().is_some_and(|all| all.contains(&letter));
    command.get_arguments().find(|option| option.get_short() == Some(letter) || is_alias(option))
}

fn takes_value(option: &Arg) -> bool {
    option.get_action().takes_values()
}

fn is_number(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Whether there is a text without an option, which may begin with a hyphen.
fn takes_hyphens(command: &Command) -> bool {
    command.get_positionals().any(Arg::is_allow_hyphen_values_set)
}

/// Finds an option that the parser would take for a text; returns the message.
pub(crate) fn misread(command: &Command, words: &[String]) -> Option<String> {
    let root = command;
    let mut verb: Option<&Command> = None;
    let mut rest = words.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        let command = verb.unwrap_or(root);
        match read_argument(command, word) {
            ArgumentKind::EndOfOptions => return None,
            // The parser reports an unknown verb.
            ArgumentKind::Other if verb.is_none() => verb = Some(root.find_subcommand(word)?),
            ArgumentKind::Other | ArgumentKind::Option(_) => {}
            ArgumentKind::Unknown => return Some(usage::unknown_option(root, verb, word)),
            ArgumentKind::NeedsValue(option) => {
                let value = rest.next()?;
                if option.is_allow_hyphen_values_set() && names_option(command, value) {
                    return Some(lacks_value(option, word, value));
                }
            }
        }
    }
    None
}

/// Whether a word is exactly an option.
fn names_option(command: &Command, word: &str) -> bool {
    match (word.strip_prefix("--"), word.strip_prefix('-')) {
        (Some(long), _) => find_long(command, long).is_some(),
        (None, Some(short)) => {
            let mut letters = short.chars();
            let letter = letters.next().filter(|_| letters.as_str().is_empty());
            letter.is_some_and(|letter| find_short(command, letter).is_some())
        }
        (None, None) => false,
    }
}

fn lacks_value(option: &Arg, typed: &str, value: &str) -> String {
    let long = option.get_long().map_or_else(|| typed.to_owned(), |long| format!("--{long}"));
    format!("`{typed}` lacks its value; if `{value}` is meant, write `{long}={value}`")
}
