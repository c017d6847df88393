//! The value of one entry: replaced, or inserted with its key.

use super::entry::{FrontEntries, FrontEntry};
use super::list_items::{change_block_list, change_flow_list};
use super::splices::{Splices, line_end, line_start, new_line};
use crate::document::Newline;
use crate::document::front::render::{push_entry, push_value};
use crate::document::front::text::{QuoteStyle, QuotingRule};
use crate::document::front::tree::{CollectionLayout, ScalarForm, YamlContent, YamlScalar};
use crate::document::front::typed_value::TypedValue;
use crate::document::front::{FrontKey, FrontValue};

/// Replaces the value of an entry; `None` if that is impossible.
pub(super) fn replace(
    entries: &FrontEntries<'_>,
    at: usize,
    key: FrontKey,
    value: &FrontValue,
    newline: Newline,
    splices: &mut Splices,
) -> Option<()> {
    let entry = entries.get(at)?;
    // A value of another shape is not overwritten silently.
    if key.reads(entry.value.given()) == TypedValue::Odd {
        return None;
    }
    let yaml = entries.yaml;
    match &entry.value.content {
        YamlContent::Scalar(scalar) => replace_scalar(yaml, &entry, scalar, value, splices),
        YamlContent::Sequence(CollectionLayout::Flow, nodes) => {
            change_flow_list(yaml, &entry.value.range, nodes, &items_of(value), splices)
        }
        YamlContent::Sequence(CollectionLayout::Block, nodes) => {
            change_block_list(yaml, &entry, nodes, &items_of(value), newline, splices)
        }
        YamlContent::Mapping(..) | YamlContent::Alias(_) => None,
    }
}

/// A list stays one, even if it gets just a text.
fn items_of(value: &FrontValue) -> Vec<&str> {
    let all = match value {
        FrontValue::Text(text) | FrontValue::Quoted(text) => vec![text.as_str()],
        FrontValue::List(items) => items.iter().map(String::as_str).collect(),
    };
    all.into_iter().filter(|item| !item.is_empty()).collect()
}

fn replace_scalar(
    yaml: &str,
    entry: &FrontEntry<'_>,
    old: &YamlScalar<'_>,
    value: &FrontValue,
    splices: &mut Splices,
) -> Option<()> {
    let quotes = match old.form {
        ScalarForm::SingleQuoted => QuoteStyle::Single,
        ScalarForm::Plain | ScalarForm::DoubleQuoted | ScalarForm::Block | ScalarForm::Alias => {
            QuoteStyle::Double
        }
    };
    let mut new = String::new();
    push_value(&mut new, value, QuotingRule { quotes, ..QuotingRule::USUAL });
    if old.form == ScalarForm::Block {
        let header = header(yaml, entry.behind_colon)?;
        let body = line_end(yaml, header.end);
        splices.replace(header, new);
        splices.delete(body..entry.end.max(body));
    } else if entry.value.range.is_empty() {
        splices.insert(entry.behind_colon, format!(" {new}"));
    } else {
        splices.replace(entry.value.range.clone(), new);
    }
    Some(())
}

/// Where the `|` or `>` of a block scalar and its indicators are.
fn header(yaml: &str, behind_colon: usize) -> Option<std::ops::Range<usize>> {
    let rest = yaml[behind_colon..].trim_start_matches([' ', '\t']);
    let start = yaml.len() - rest.len();
    let length = rest.find([' ', '\t', '\r', '\n']).unwrap_or(rest.len());
    rest.starts_with(['|', '>']).then_some(start..start + length)
}

/// Inserts a key that is not there.
pub(super) fn insert(
    entries: &FrontEntries<'_>,
    key: FrontKey,
    value: &FrontValue,
    newline: Newline,
    splices: &mut Splices,
) {
    let mut line = entries.indent().to_owned();
    push_entry(&mut line, key, value);
    // Behind the nearest key that comes before it in new files, else before the nearest that comes
    // after it, else at the end.
    let known = || {
        let names = entries.mapping.entries.iter().enumerate();
        names.filter_map(|(at, (name, _))| Some((FrontKey::named(name.text()?)?.0, at)))
    };
    let line = |at: usize| new_line(entries.yaml, at, &line, newline);
    if let Some((_, before)) = known().filter(|(other, _)| *other < key).max() {
        let at = entries.end(before);
        return splices.insert(at, line(at));
    }
    let after = known().filter(|(other, _)| *other > key).min();
    let at = after.map_or(entries.yaml.len(), |(_, after)| above(entries, after));
    splices.insert_above(at, line(at));
}

/// The position before an entry and the comment directly above it.
fn above(entries: &FrontEntries<'_>, at: usize) -> usize {
    let yaml = entries.yaml;
    let limit = if at == 0 { 0 } else { entries.end(at - 1) };
    let mut start = line_start(yaml, entries.mapping.entries[at].0.range.start);
    while start > limit {
        let line = line_start(yaml, start - 1);
        if !yaml[line..start].trim_start().starts_with('#') {
            break;
        }
        start = line;
    }
    start
}
