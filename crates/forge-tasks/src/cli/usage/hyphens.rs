//! Handles words that start with a hyphen where a text is expected.
//!
//! A text may start with a hyphen (`--notes "- one thing"`), so the parser accepts any word. Two
//! mistakes must be detected: an option without its value that takes the next option as value, and
//! an unknown option that becomes a title.

use clap::{Arg, Command};

use super::option;
use super::word::{ArgumentKind, find_long, find_short, read};

/// Finds an option that the parser would take for a text; returns the message.
pub(super) fn misread(command: &Command, words: &[String]) -> Option<String> {
    let root = command;
    let mut verb: Option<&Command> = None;
    let mut rest = words.iter().map(String::as_str);
    while let Some(word) = rest.next() {
        let command = verb.unwrap_or(root);
        match read(command, word) {
            ArgumentKind::EndOfOptions => return None,
            // The parser reports an unknown verb.
            ArgumentKind::Other if verb.is_none() => verb = Some(root.find_subcommand(word)?),
            ArgumentKind::Other | ArgumentKind::Option(_) => {}
            ArgumentKind::Unknown => return Some(option::unknown(root, verb, word)),
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
