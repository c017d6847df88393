//! Words that begin with a hyphen where a text may stand.
//!
//! A text may begin with a hyphen (`--notes "- one thing"`), so the parser takes any word for it.
//! Two slips must not go unnoticed by that: an option that lacks its value and swallows the next
//! option, and an option that does not exist and becomes a title.

use std::ffi::OsString;

use clap::{Arg, Command};

use super::unexpected;
use crate::words;

/// Finds a word that looks like an option and would be taken for a text; says so in a line.
pub(crate) fn misread_hyphens(command: &Command, arguments: &[OsString]) -> Option<String> {
    // Words that are not text are no options of ours; the parser refuses them.
    let words: Vec<String> =
        arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let mut command = command;
    let mut rest = words.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        match read(command, word) {
            Word::EndOfOptions => return None,
            Word::Other => command = command.find_subcommand(word).unwrap_or(command),
            Word::Flag => {}
            Word::Unknown => return Some(unknown(command, word)),
            Word::NeedsValue(option) => {
                let value = rest.next()?;
                if option.is_allow_hyphen_values_set() && names_option(command, value) {
                    return Some(lacks_value(option, word, value));
                }
            }
        }
    }
    None
}

/// What a word is.
enum Word<'a> {
    /// `--`: behind it there are no options.
    EndOfOptions,
    /// An option that is complete.
    Flag,
    /// An option whose value is the next word.
    NeedsValue(&'a Arg),
    /// It looks like an option and is none.
    Unknown,
    /// A verb, or something else that is no option.
    Other,
}

fn read<'a>(command: &'a Command, word: &str) -> Word<'a> {
    if word == "--" {
        return Word::EndOfOptions;
    }
    if let Some(long) = word.strip_prefix("--") {
        let (name, has_value) = match long.split_once('=') {
            Some((name, _)) => (name, true),
            None => (long, false),
        };
        return match find(command, |option| option.get_long() == Some(name)) {
            Some(option) if !has_value && takes_value(option) => Word::NeedsValue(option),
            Some(_) => Word::Flag,
            None => unknown_or_text(word),
        };
    }
    match word.strip_prefix('-') {
        None | Some("") => Word::Other,
        Some(letters) => read_short(command, word, letters),
    }
}

/// Reads `-f`, `-s done`, `-sdone` and `-fsdone`.
fn read_short<'a>(command: &'a Command, word: &str, letters: &str) -> Word<'a> {
    for (index, letter) in letters.char_indices() {
        match find(command, |option| option.get_short() == Some(letter)) {
            Some(option) if takes_value(option) => {
                let is_last = index + letter.len_utf8() == letters.len();
                return if is_last { Word::NeedsValue(option) } else { Word::Flag };
            }
            Some(_) => {}
            None => return unknown_or_text(word),
        }
    }
    Word::Flag
}

/// A word with blanks in it is a text; options have none.
fn unknown_or_text<'a>(word: &str) -> Word<'a> {
    let name = word.split('=').next().unwrap_or(word);
    if name.contains(char::is_whitespace) { Word::Other } else { Word::Unknown }
}

fn find(command: &Command, is_it: impl Fn(&Arg) -> bool) -> Option<&Arg> {
    command.get_arguments().find(|option| is_it(option))
}

fn takes_value(option: &Arg) -> bool {
    option.get_action().takes_values()
}

/// Whether a word is exactly an option.
fn names_option(command: &Command, word: &str) -> bool {
    let is_short = |option: &Arg| option.get_short().is_some_and(|it| word == format!("-{it}"));
    let is_long = |option: &Arg| option.get_long().is_some_and(|it| word == format!("--{it}"));
    find(command, |option| is_short(option) || is_long(option)).is_some()
}

fn lacks_value(option: &Arg, typed: &str, value: &str) -> String {
    let long = option.get_long().map_or_else(|| typed.to_owned(), |long| format!("--{long}"));
    format!("`{typed}` lacks its value; if `{value}` is meant, write `{long}={value}`")
}

fn unknown(command: &Command, word: &str) -> String {
    let name = word.split('=').next().unwrap_or(word);
    let known: Vec<String> =
        command.get_arguments().filter_map(Arg::get_long).map(|long| format!("--{long}")).collect();
    let is_long = name.starts_with("--");
    let similar = words::nearest(name, known.iter().map(String::as_str)).filter(|_| is_long);
    let verb = Some(command.get_name()).filter(|name| *name != super::NAME);
    unexpected(verb, name, similar)
}
