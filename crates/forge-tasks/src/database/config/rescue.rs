//! The readable settings of a damaged `config.json`.

use super::read::with_object;
use super::values::take;
use super::{HIGHEST_NUMBER, TasksConfig, key};
use crate::merge_conflict;

/// The settings that can be recovered one by one.
const SETTINGS: [&str; 5] =
    [key::PREFIX, key::ZERO_PADDING, key::PROJECT_NAME, key::DEFAULT_PRIORITY, key::DEFAULT_LABELS];

/// Puts the settings that can still be made out into a config, and gives their names.
pub(in crate::database) fn rescue(damaged: &str, config: &mut TasksConfig) -> Vec<&'static str> {
    let mut can_be_read = |name: &&'static str| {
        let Some(value) = value_of(damaged, name) else { return false };
        let alone = format!("{{\"{name}\": {value}}}");
        let taken = with_object(&alone, |object| {
            let value =
                &object.get(name).filter(|found| found.value.as_null_keyword().is_none())?;
            take(config, name, &value.value).ok()
        });
        matches!(taken, Ok(Some(())))
    };
    SETTINGS.into_iter().filter(|name| can_be_read(name)).collect()
}

/// The highest number that a damaged config still speaks of, so that a new one does not go back.
pub(in crate::database) fn last_number_in(damaged: &str) -> Option<u64> {
    // In a merge conflict a number may be on a line of its own.
    let sides = merge_conflict::sides(damaged);
    let sides = sides.iter().flat_map(|(ours, theirs)| [ours.as_str(), theirs]);
    sides.chain([damaged]).filter_map(highest_number_in).max()
}

fn highest_number_in(text: &str) -> Option<u64> {
    let values = text.split(key::LAST_ID_NUMBER).skip(1);
    let numbers = values.filter_map(|behind| {
        let value = without_filling(behind.trim_start_matches(['"', '\'']));
        let digits = value.trim_start_matches(['"', '\'']);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits[..end].parse::<u64>().ok()
    });
    numbers.filter(|number| *number <= HIGHEST_NUMBER).max()
}

/// The value of a key, if its end can be found.
fn value_of<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (_, behind) = text.split_once(&format!("\"{key}\""))?;
    let value = without_filling(behind);
    let end = match value.chars().next()? {
        '"' => end_of_text(value)?,
        '[' => value.find(']')? + 1,
        _ => value.find([',', '}', '\n']).unwrap_or(value.len()),
    };
    Some(value[..end].trim_end())
}

/// Behind the second quote, of those that have no backslash.
fn end_of_text(value: &str) -> Option<usize> {
    let mut characters = value.char_indices().skip(1);
    loop {
        match characters.next()? {
            (_, '\\') => drop(characters.next()),
            (at, '"') => return Some(at + 1),
            _ => {}
        }
    }
}

/// A text without the characters between a key and its value.
fn without_filling(mut text: &str) -> &str {
    loop {
        text = text.trim_start_matches(|c: char| c.is_whitespace() || c == ':');
        let end = if text.starts_with("//") {
            text.find('\n')
        } else if text.starts_with("/*") {
            text.find("*/").map(|start| start + 2)
        } else {
            return text;
        };
        text = &text[end.unwrap_or(text.len())..];
    }
}
