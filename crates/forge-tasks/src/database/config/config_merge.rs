//! Merging `config.json` three ways, key by key.

use jsonc_parser::ast::Object;
use jsonc_parser::common::Ranged;

use super::config_text::{with_object, with_value};
use super::{LAST_ID_NUMBER, read_config};
use crate::document::Newline;
use crate::merge::text::{BETWEEN, OURS, THEIRS};

/// A merged `config.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConfigMerge {
    /// Our text with their changes.
    pub(crate) text: String,
    /// The keys that a person has to decide about. Comments around our value have the other one.
    pub(crate) conflicts: Vec<String>,
}

/// Merges three texts; `None` if one of them cannot be read. The counter gets the highest number.
pub(crate) fn merge_config(base: &str, ours: &str, theirs: &str) -> Option<ConfigMerge> {
    let (base, our_values, their_values) = (values(base)?, values(ours)?, values(theirs)?);
    let mut merged = ConfigMerge { text: ours.to_owned(), conflicts: Vec::new() };
    let only_theirs = their_values.iter().filter(|(key, _)| find(&our_values, key).is_none());
    let keys: Vec<&String> = our_values.iter().chain(only_theirs).map(|(key, _)| key).collect();
    for key in keys {
        let (base, ours, theirs) =
            (find(&base, key), find(&our_values, key), find(&their_values, key));
        if key == LAST_ID_NUMBER {
            merged.text = with_value(&merged.text, key, &highest(ours, theirs)?).ok()?;
        } else if ours == theirs || theirs == base {
            continue;
        } else if ours == base {
            merged.text = match theirs {
                Some(value) => with_value(&merged.text, key, value).ok()?,
                None => without_key(&merged.text, key)?,
            };
        } else {
            merged.text = marked(&merged.text, key, theirs)?;
            merged.conflicts.push(key.clone());
        }
    }
    read_config(&merged.text).ok()?;
    Some(merged)
}

/// The keys with their values as they are written.
fn values(text: &str) -> Option<Vec<(String, String)>> {
    let read = |object: &Object<'_>| {
        let all = object.properties.iter();
        let written = |range: std::ops::Range<usize>| text[range].to_owned();
        all.map(|property| {
            let range = property.value.range();
            (property.name.as_str().to_owned(), written(range.start..range.end))
        })
        .collect()
    };
    with_object(text, read).ok()
}

fn find<'a>(values: &'a [(String, String)], key: &str) -> Option<&'a String> {
    values.iter().find(|(name, _)| name == key).map(|(_, value)| value)
}

fn highest(ours: Option<&String>, theirs: Option<&String>) -> Option<String> {
    let numbers = [ours, theirs].into_iter().flatten().map(|text| text.parse::<u64>().ok());
    let numbers: Option<Vec<u64>> = numbers.collect();
    numbers?.into_iter().max().map(|number| number.to_string())
}

/// The text without a key. Where it stands on lines of its own, these go.
fn without_key(text: &str, key: &str) -> Option<String> {
    with_object(text, |object| {
        let at = object.properties.iter().position(|property| property.name.as_str() == key)?;
        let range = object.properties[at].range;
        // The comma is before the last one, and after every other one.
        let (start, end) = match (at.checked_sub(1), object.properties.get(at + 1)) {
            (_, Some(next)) => (range.start, next.range.start),
            (Some(previous), None) => (object.properties[previous].range.end, range.end),
            (None, None) => (range.start, range.end),
        };
        Some(format!("{}{}", &text[..start], &text[end..]))
    })
    .ok()?
}

/// The text with comments around a key that have the other value. `None` if the key has no line of
/// its own.
fn marked(text: &str, key: &str, theirs: Option<&String>) -> Option<String> {
    with_object(text, |object| {
        let newline = Newline::of(text).as_str();
        let other = theirs.map(|value| format!("\"{key}\": {value},"));
        let other: Vec<&str> = other.iter().flat_map(|lines| lines.lines()).collect();
        let lines = |parts: &[&str], indent: &str| -> String {
            parts.iter().map(|part| format!("{indent}// {part}{newline}")).collect()
        };
        let behind = [&[BETWEEN], &other[..], &[THEIRS]].concat();
        if let Some(property) = object.get(key) {
            let start = text[..property.range.start].rfind('\n')? + 1;
            let indent = &text[start..property.range.start];
            let end = property.range.end + text[property.range.end..].find('\n')? + 1;
            let is_alone = indent.trim().is_empty()
                && ["", ","].contains(&text[property.range.end..end].trim());
            let (before, behind) = (lines(&[OURS], indent), lines(&behind, indent));
            let own = &text[start..end];
            return is_alone
                .then(|| format!("{}{before}{own}{behind}{}", &text[..start], &text[end..]));
        }
        let start = object.range.start + 1 + text[object.range.start + 1..].find('\n')? + 1;
        let all = [&[OURS], &behind[..]].concat();
        Some(format!("{}{}{}", &text[..start], lines(&all, "  "), &text[start..]))
    })
    .ok()?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(lines: &str) -> String {
        format!("{{\n{lines}}}\n")
    }

    #[test]
    fn each_key_is_as_the_side_has_it_that_changed_it() {
        let base =
            config("  \"prefix\": \"A\", // letters\n  \"x\": [1],\n  \"lastIdNumber\": 3\n");
        let ours =
            config("  \"prefix\": \"A\", // letters\n  \"x\": [1],\n  \"lastIdNumber\": 4\n");
        let theirs = config("  \"prefix\": \"B\",\n  \"lastIdNumber\": 9,\n  \"y\": {\"z\": 1}\n");
        let both = config(
            "  \"prefix\": \"B\", // letters\n  \"lastIdNumber\": 9,\n  \"y\": {\"z\": 1}\n",
        );
        let expected = ConfigMerge { text: both, conflicts: Vec::new() };
        assert_eq!(merge_config(&base, &ours, &theirs), Some(expected));
        let last =
            [config("  \"lastIdNumber\": 3,\n  \"x\": 1\n"), config("  \"lastIdNumber\": 3\n")];
        let expected = ConfigMerge { text: last[1].clone(), conflicts: Vec::new() };
        assert_eq!(merge_config(&last[0], &last[0], &last[1]), Some(expected));
    }

    #[test]
    fn a_key_that_both_changed_is_marked_in_comments() {
        let [base, ours, theirs] =
            ["A", "B", "C"].map(|prefix| config(&format!("  \"prefix\": \"{prefix}\"\n")));
        let both = config(
            "  // <<<<<<< ours\n  \"prefix\": \"B\"\n  // =======\n  // \"prefix\": \"C\",\n  \
             // >>>>>>> theirs\n",
        );
        let conflicts = vec!["prefix".to_owned()];
        let expected = ConfigMerge { text: both, conflicts: conflicts.clone() };
        assert_eq!(merge_config(&base, &ours, &theirs), Some(expected));
        let none = config("");
        let both = config(
            "  // <<<<<<< ours\n  // =======\n  // \"prefix\": \"C\",\n  // >>>>>>> theirs\n",
        );
        let expected = ConfigMerge { text: both, conflicts };
        assert_eq!(merge_config(&base, &none, &theirs), Some(expected));
    }

    #[test]
    fn what_cannot_be_read_or_marked_is_none() {
        assert_eq!(merge_config("{", "{}", "{}"), None);
        let [base, ours, theirs] =
            ["A", "B", "C"].map(|prefix| format!("{{\"prefix\": \"{prefix}\"}}"));
        assert_eq!(merge_config(&base, &ours, &theirs), None);
    }
}
