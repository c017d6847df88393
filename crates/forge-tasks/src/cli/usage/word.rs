//! Classifies the words of a command line as the parser does.

use clap::{Arg, Command};

/// The kind of a word.
pub(super) enum ArgumentKind<'a> {
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
pub(super) fn read<'a>(command: &'a Command, word: &str) -> ArgumentKind<'a> {
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
pub(super) fn option_of(word: &str) -> &str {
    word.split('=').next().unwrap_or(word)
}

/// Finds an option by its long name or an alias.
pub(super) fn find_long<'a>(command: &'a Command, name: &str) -> Option<&'a Arg> {
    let is_alias = |option: &Arg| option.get_all_aliases().is_some_and(|all| all.contains(&name));
    command.get_arguments().find(|option| option.get_long() == Some(name) || is_alias(option))
}

/// Finds an option by its letter.
pub(super) fn find_short(command: &Command, letter: char) -> Option<&Arg> {
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
