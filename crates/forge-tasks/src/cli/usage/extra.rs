//! Surplus words.

use clap::{Arg, ArgAction, Command};

use super::see_help;
use super::word::{ArgumentKind, read};

/// The message for a surplus word that is not an option.
pub(super) fn unexpected(verb: Option<&Command>, words: &[String], word: &str) -> String {
    let what = format!("unexpected argument `{word}`");
    let Some(verb) = verb else { return see_help(&what, None) };
    match place(verb, words) {
        ExtraWordPosition::BehindTheEnd if word.starts_with('-') => {
            format!("{what}; options stand before `--`")
        }
        ExtraWordPosition::BehindValue { option, value } if is_repeatable(option) => {
            let long = option.get_long().unwrap_or_default();
            if takes_commas(option) {
                format!("{what}; for several, write `--{long} {value},{word}` or repeat `--{long}`")
            } else {
                format!("{what}; a text of several words needs quotes, and several `--{long}` each")
            }
        }
        _ if verb.get_arguments().any(Arg::is_allow_hyphen_values_set) => {
            format!("{what}; a text of several words needs quotes")
        }
        _ => see_help(&what, Some(verb.get_name())),
    }
}

/// The position of a surplus word.
enum ExtraWordPosition<'a> {
    /// Behind `--`.
    BehindTheEnd,
    /// Behind the value of an option.
    BehindValue { option: &'a Arg, value: String },
    /// Elsewhere.
    Elsewhere,
}

/// Finds the first surplus word.
fn place<'a>(verb: &'a Command, words: &[String]) -> ExtraWordPosition<'a> {
    let mut room = verb.get_positionals().count();
    let is_verb = |word: &String| {
        verb.get_name() == word || verb.get_all_aliases().any(|alias| alias == word)
    };
    let mut rest = words.iter().skip_while(|word| !is_verb(word)).skip(1);
    let mut place = ExtraWordPosition::Elsewhere;
    while let Some(word) = rest.next() {
        match read(verb, word) {
            ArgumentKind::EndOfOptions => return ExtraWordPosition::BehindTheEnd,
            ArgumentKind::NeedsValue(option) => {
                let value = rest.next().cloned().unwrap_or_default();
                place = ExtraWordPosition::BehindValue { option, value };
            }
            ArgumentKind::Option(option) => {
                let value = word.split_once('=').map(|(_, value)| value.to_owned());
                place = value.map_or(ExtraWordPosition::Elsewhere, |value| {
                    ExtraWordPosition::BehindValue { option, value }
                });
            }
            ArgumentKind::Other | ArgumentKind::Unknown if room == 0 => return place,
            ArgumentKind::Other | ArgumentKind::Unknown => {
                room -= 1;
                place = ExtraWordPosition::Elsewhere;
            }
        }
    }
    ExtraWordPosition::Elsewhere
}

fn is_repeatable(option: &Arg) -> bool {
    matches!(option.get_action(), ArgAction::Append)
}

/// Texts may have commas in them; everything else that can be repeated can be separated by them.
fn takes_commas(option: &Arg) -> bool {
    !option.is_allow_hyphen_values_set()
}
