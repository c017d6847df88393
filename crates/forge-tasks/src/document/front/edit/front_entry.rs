//! The entries of the outermost mapping: where they are, and their values.

use std::ops::Range;

use granit_parser::{ScalarStyle, StructureStyle};

use crate::document::Newline;
use crate::document::front::edit::list_items::{change_block_list, change_flow_list};
use crate::document::front::edit::splices::{Splices, line_end, line_start, new_line};
use crate::document::front::front_mapping::FrontMapping;
use crate::document::front::front_value::RawValue;
use crate::document::front::quoting::{QuoteStyle, push_entry, push_value};
use crate::document::front::yaml_node::{YamlContent, YamlNode, YamlProperties, YamlScalar};
use crate::document::front::{FrontKey, FrontValue};

/// The entries of front matter whose outermost mapping has a line, or some, for each of them.
pub(crate) struct FrontEntries<'a> {
    pub(crate) yaml: &'a str,
    pub(crate) mapping: &'a FrontMapping<'a>,
}

/// An entry that can be edited: a key, a colon and a value, on lines of their own.
pub(crate) struct FrontEntry<'a> {
    /// Where its first line begins.
    pub(crate) start: usize,
    /// The start of the line after its last one.
    pub(crate) end: usize,
    /// Where the colon ends.
    pub(crate) behind_colon: usize,
    pub(crate) value: &'a YamlNode<'a>,
}

impl<'a> FrontEntries<'a> {
    /// None for front matter that is written in another way than with a line for each entry.
    pub(crate) fn of(yaml: &'a str, mapping: &'a FrontMapping<'a>) -> Option<Self> {
        let is_block = mapping.layout == StructureStyle::Block;
        let is_undecorated = mapping.properties == YamlProperties::default();
        // A lone carriage return ends a line in YAML, and in hardly any other program.
        let has_other_lines = yaml.replace("\r\n", "").contains('\r');
        let is_usual = is_block && is_undecorated && !has_other_lines;
        is_usual.then_some(Self { yaml, mapping })
    }

    /// An entry, unless it cannot be edited.
    pub(crate) fn get(&self, at: usize) -> Option<FrontEntry<'a>> {
        let (key, value) = &self.mapping.entries[at];
        let start = line_start(self.yaml, key.range.start);
        let is_alone = self.yaml[start..key.range.start].bytes().all(|byte| byte == b' ');
        let behind_key = &self.yaml[key.range.end..];
        let colon = behind_key.trim_start_matches([' ', '\t']);
        let behind_colon = self.yaml.len() - colon.strip_prefix(':')?.len();
        let is_simple = key.properties == YamlProperties::default()
            && value.properties == YamlProperties::default()
            && !value.has_anchor();
        let end = self.end(at).max(line_end(self.yaml, behind_colon));
        (is_alone && is_simple).then_some(FrontEntry { start, end, behind_colon, value })
    }

    /// The start of the line after the last one of an entry.
    pub(crate) fn end(&self, at: usize) -> usize {
        let (key, value) = &self.mapping.entries[at];
        end_of(self.yaml, key).max(end_of(self.yaml, value))
    }

    /// The indentation of the keys.
    pub(crate) fn indent(&self) -> &'a str {
        let Some((key, _)) = self.mapping.entries.first() else {
            return "";
        };
        &self.yaml[line_start(self.yaml, key.range.start)..key.range.start]
    }
}

impl FrontEntry<'_> {
    /// The lines of the entry.
    pub(crate) fn lines(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// The start of the line after the last one of a node.
pub(crate) fn end_of(yaml: &str, node: &YamlNode<'_>) -> usize {
    match &node.content {
        YamlContent::Scalar(scalar) if scalar.is_block() => block_scalar_end(yaml, node),
        YamlContent::Scalar(_)
        | YamlContent::Alias(_)
        | YamlContent::Sequence(StructureStyle::Flow, _)
        | YamlContent::Mapping(StructureStyle::Flow, _) => line_end(yaml, node.range.end),
        YamlContent::Sequence(StructureStyle::Block, items) => {
            let ends = items.iter().map(|item| end_of(yaml, item));
            ends.max().unwrap_or(node.range.start)
        }
        YamlContent::Mapping(StructureStyle::Block, entries) => {
            let ends =
                entries.iter().map(|(key, value)| end_of(yaml, key).max(end_of(yaml, value)));
            ends.max().unwrap_or(node.range.start)
        }
    }
}

/// The parser ends a block scalar at the next token; but blank lines at its end only belong to it
/// if it keeps them.
fn block_scalar_end(yaml: &str, node: &YamlNode<'_>) -> usize {
    let start = line_start(yaml, node.range.start);
    let indent = node.range.start - start;
    let mut end =
        if node.range.end == yaml.len() { yaml.len() } else { line_start(yaml, node.range.end) };
    if keeps_blank_lines(yaml, start) {
        return end;
    }
    while end > 0 {
        let line_start = line_start(yaml, end - 1);
        let line = yaml[line_start..end].trim_end_matches(['\r', '\n']);
        let is_blank = line.len() <= indent && line.bytes().all(|byte| byte == b' ');
        if !is_blank {
            break;
        }
        end = line_start;
    }
    end
}

/// Whether the header above the lines of a block scalar has a plus.
fn keeps_blank_lines(yaml: &str, content: usize) -> bool {
    let above = yaml[..content].trim_end();
    let header = &above[line_start(above, above.len())..];
    // A hash starts a comment; before it, a plus can only be in the header or in the key.
    let header = header.split(" #").next().unwrap_or_default().trim_end();
    let indicators = header.trim_end_matches(|c: char| c.is_ascii_digit() || "+-".contains(c));
    indicators.ends_with(['|', '>']) && header[indicators.len()..].contains('+')
}

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
    if key.reads(entry.value.raw_value()) == RawValue::Odd {
        return None;
    }
    let yaml = entries.yaml;
    match &entry.value.content {
        YamlContent::Scalar(scalar) => replace_scalar(yaml, &entry, scalar, value, splices),
        YamlContent::Sequence(StructureStyle::Flow, nodes) => {
            change_flow_list(yaml, &entry.value.range, nodes, &items_of(value), splices)
        }
        YamlContent::Sequence(StructureStyle::Block, nodes) => {
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
    let is_single = old.style == ScalarStyle::SingleQuoted && !old.is_alias;
    let quotes = if is_single { QuoteStyle::Single } else { QuoteStyle::Double };
    let mut new = String::new();
    push_value(&mut new, value, quotes);
    if old.is_block() {
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
fn header(yaml: &str, behind_colon: usize) -> Option<Range<usize>> {
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
