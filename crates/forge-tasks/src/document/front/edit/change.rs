//! Giving another value to a key that is there.

use super::entry::{Entries, Entry};
use super::splice::Splices;
use super::{block_list, flow_list, lines};
use crate::document::Newline;
use crate::document::front::reading::Reading;
use crate::document::front::render::push_value;
use crate::document::front::text::{Quotes, Quoting};
use crate::document::front::tree::{Content, Form, Layout, Scalar};
use crate::document::front::{Key, Value};

/// Replaces the value of an entry; none if that is impossible.
pub(super) fn change(
    entries: &Entries<'_>,
    at: usize,
    key: Key,
    value: &Value,
    newline: Newline,
) -> Option<Splices> {
    let entry = entries.get(at)?;
    // Whoever wrote something else there should say what becomes of it.
    if key.reads(entry.value.given()) == Reading::Odd {
        return None;
    }
    let yaml = entries.yaml;
    match &entry.value.content {
        Content::Scalar(scalar) => replace_scalar(yaml, &entry, scalar, value),
        Content::Sequence(Layout::Flow, nodes) => {
            flow_list::change(yaml, &entry.value.range, nodes, &items_of(value))
        }
        Content::Sequence(Layout::Block, nodes) => {
            block_list::change(yaml, &entry, nodes, &items_of(value), newline)
        }
        Content::Mapping(..) | Content::Alias(_) => None,
    }
}

/// A list stays one, even if it gets just a text.
fn items_of(value: &Value) -> Vec<&str> {
    let all = match value {
        Value::Text(text) | Value::Quoted(text) => vec![text.as_str()],
        Value::List(items) => items.iter().map(String::as_str).collect(),
    };
    all.into_iter().filter(|item| !item.is_empty()).collect()
}

fn replace_scalar(
    yaml: &str,
    entry: &Entry<'_>,
    old: &Scalar<'_>,
    value: &Value,
) -> Option<Splices> {
    let quotes = match old.form {
        Form::SingleQuoted => Quotes::Single,
        Form::Plain | Form::DoubleQuoted | Form::Block | Form::Alias => Quotes::Double,
    };
    let mut new = String::new();
    push_value(&mut new, value, Quoting { quotes, ..Quoting::USUAL });
    let mut splices = Splices::default();
    if old.form == Form::Block {
        let header = header(yaml, entry.behind_colon)?;
        let body = lines::end(yaml, header.end);
        splices.replace(header, new);
        splices.delete(body..entry.end.max(body));
    } else if entry.value.range.is_empty() {
        splices.insert(entry.behind_colon, format!(" {new}"));
    } else {
        splices.replace(entry.value.range.clone(), new);
    }
    Some(splices)
}

/// Where the `|` or `>` of a block scalar and its indicators are.
fn header(yaml: &str, behind_colon: usize) -> Option<std::ops::Range<usize>> {
    let rest = yaml[behind_colon..].trim_start_matches([' ', '\t']);
    let start = yaml.len() - rest.len();
    let length = rest.find([' ', '\t', '\r', '\n']).unwrap_or(rest.len());
    rest.starts_with(['|', '>']).then_some(start..start + length)
}
