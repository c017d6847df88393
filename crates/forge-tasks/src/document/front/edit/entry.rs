//! Where the entries of the outermost mapping are.

use std::ops::Range;

use super::splices::{line_end, line_start};
use crate::document::front::tree::{
    CollectionLayout, ScalarForm, YamlContent, YamlNode, YamlProperties,
};
use crate::document::front::yaml::FrontMapping;

/// The entries of front matter whose outermost mapping has a line, or some, for each of them.
pub(super) struct FrontEntries<'a> {
    pub(super) yaml: &'a str,
    pub(super) mapping: &'a FrontMapping<'a>,
}

/// An entry that can be edited: a key, a colon and a value, on lines of their own.
pub(super) struct FrontEntry<'a> {
    /// Where its first line begins.
    pub(super) start: usize,
    /// The start of the line after its last one.
    pub(super) end: usize,
    /// Where the colon ends.
    pub(super) behind_colon: usize,
    pub(super) value: &'a YamlNode<'a>,
}

impl<'a> FrontEntries<'a> {
    /// None for front matter that is written in another way than with a line for each entry.
    pub(super) fn of(yaml: &'a str, mapping: &'a FrontMapping<'a>) -> Option<Self> {
        let is_block = mapping.layout == CollectionLayout::Block;
        let is_undecorated = mapping.properties == YamlProperties::default();
        // A lone carriage return ends a line in YAML, and in hardly any other program.
        let has_other_lines = yaml.replace("\r\n", "").contains('\r');
        let is_usual = is_block && is_undecorated && !has_other_lines;
        is_usual.then_some(Self { yaml, mapping })
    }

    /// An entry, unless it cannot be edited.
    pub(super) fn get(&self, at: usize) -> Option<FrontEntry<'a>> {
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
    pub(super) fn end(&self, at: usize) -> usize {
        let (key, value) = &self.mapping.entries[at];
        end_of(self.yaml, key).max(end_of(self.yaml, value))
    }

    /// The indentation of the keys.
    pub(super) fn indent(&self) -> &'a str {
        let Some((key, _)) = self.mapping.entries.first() else {
            return "";
        };
        &self.yaml[line_start(self.yaml, key.range.start)..key.range.start]
    }
}

impl FrontEntry<'_> {
    /// The lines of the entry.
    pub(super) fn lines(&self) -> Range<usize> {
        self.start..self.end
    }
}

/// The start of the line after the last one of a node.
pub(super) fn end_of(yaml: &str, node: &YamlNode<'_>) -> usize {
    match &node.content {
        YamlContent::Scalar(scalar) if scalar.form == ScalarForm::Block => {
            block_scalar_end(yaml, node)
        }
        YamlContent::Scalar(_)
        | YamlContent::Alias(_)
        | YamlContent::Sequence(CollectionLayout::Flow, _)
        | YamlContent::Mapping(CollectionLayout::Flow, _) => line_end(yaml, node.range.end),
        YamlContent::Sequence(CollectionLayout::Block, items) => {
            let ends = items.iter().map(|item| end_of(yaml, item));
            ends.max().unwrap_or(node.range.start)
        }
        YamlContent::Mapping(CollectionLayout::Block, entries) => {
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
