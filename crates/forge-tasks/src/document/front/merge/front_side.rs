//! One of the three versions of front matter, as entries with their lines.

use std::ops::Range;

use crate::document::front::edit::edit_pass::is_same;
use crate::document::front::edit::front_entry::FrontEntries;
use crate::document::front::front_mapping::{self, FrontMapping};
use crate::document::front::front_value::RawValue;
use crate::document::front::yaml_node::YamlNode;
use crate::document::front::{FrontKey, front_matter};
use crate::{TaskStatus, written_time};

/// One version of the front matter of a task.
pub(super) struct FrontSide<'a> {
    pub(super) yaml: &'a str,
    mapping: FrontMapping<'a>,
    pub(super) entries: Vec<SideEntry>,
}

/// An entry of one version.
pub(super) struct SideEntry {
    pub(super) key: EntryKey,
    /// Its place in the mapping.
    at: usize,
    pub(super) lines: Range<usize>,
}

/// What entries of different versions have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum EntryKey {
    Known(FrontKey),
    Other(String),
}

impl EntryKey {
    /// The key as new files have it.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Known(key) => key.name(),
            Self::Other(name) => name,
        }
    }
}

impl<'a> FrontSide<'a> {
    /// Reads a version; `None` if it has an entry that is not made of lines of its own.
    pub(super) fn read(yaml: &'a str) -> Option<Self> {
        let mapping = front_mapping::mapping(yaml).ok()?;
        let entries = FrontEntries::of(yaml, &mapping)?;
        let key = |at: usize| {
            let name = mapping.entries[at].0.text()?;
            let known = FrontKey::named(name).map(|(key, _)| key);
            let known = known.filter(|key| mapping.find(*key) == Some(at));
            Some(known.map_or_else(|| EntryKey::Other(name.to_owned()), EntryKey::Known))
        };
        let all = 0..mapping.entries.len();
        let entries: Option<Vec<SideEntry>> = all
            .map(|at| Some(SideEntry { key: key(at)?, at, lines: entries.get(at)?.lines() }))
            .collect();
        let entries = entries?;
        Some(Self { yaml, entries, mapping })
    }

    /// The entry of a key.
    pub(super) fn get(&self, key: &EntryKey) -> Option<&SideEntry> {
        self.entries.iter().find(|entry| entry.key == *key)
    }

    /// The lines of a key with line feeds.
    pub(super) fn lines(&self, key: &EntryKey) -> Option<String> {
        let entry = self.get(key)?;
        Some(self.yaml[entry.lines.clone()].replace("\r\n", "\n"))
    }

    /// The value of a key that has a meaning.
    pub(super) fn value(&self, key: FrontKey) -> RawValue<'a> {
        key.reads(self.mapping.raw_value(key))
    }

    /// The value of a key that is a text.
    pub(super) fn text(&self, key: FrontKey) -> Option<String> {
        match self.value(key) {
            RawValue::Text(text) => Some(text.into_owned()),
            _ => None,
        }
    }

    /// The value of a key that is a list; `None` if it is anything else.
    pub(super) fn list(&self, key: FrontKey) -> Option<Vec<String>> {
        match self.value(key) {
            RawValue::List(items) => Some(items.into_iter().map(Into::into).collect()),
            _ => None,
        }
    }

    /// The status, if it is a known one. A missing one is To Do.
    pub(super) fn status(&self) -> Option<TaskStatus> {
        match self.value(FrontKey::Status) {
            RawValue::Nothing => Some(TaskStatus::ToDo),
            RawValue::Text(text) => front_matter::status(&text),
            RawValue::List(_) | RawValue::Odd => None,
        }
    }

    /// Whether a key has the same value in another version.
    pub(super) fn has_same(&self, key: &EntryKey, other: &FrontSide<'_>) -> bool {
        match key {
            EntryKey::Known(FrontKey::Status) if self.status().is_some() => {
                self.status() == other.status()
            }
            EntryKey::Known(known) if self.value(*known) != RawValue::Odd => {
                is_same(*known, &self.value(*known), &other.value(*known))
            }
            EntryKey::Known(_) | EntryKey::Other(_) => self.node(key) == other.node(key),
        }
    }

    /// Whether a time in this version is later than in another one.
    pub(super) fn is_later(&self, key: FrontKey, other: &FrontSide<'_>) -> bool {
        match (self.text(key), other.text(key)) {
            (Some(own), Some(other)) => written_time::compare(&own, &other).is_gt(),
            (own, _) => own.is_some(),
        }
    }

    /// Comments between entries, each with the number of the entries before it.
    pub(super) fn comments(&self) -> Vec<(usize, &'a str)> {
        let mut comments = Vec::new();
        let mut start = 0;
        for line in self.yaml.split_inclusive('\n') {
            let is_in_entry = |entry: &SideEntry| entry.lines.contains(&start);
            if line.trim_start().starts_with('#') && !self.entries.iter().any(is_in_entry) {
                let before = self.entries.iter().filter(|entry| entry.lines.end <= start).count();
                comments.push((before, line.trim_end()));
            }
            start += line.len();
        }
        comments
    }

    /// Where to insert an entry, or a comment, that another version has after some entries.
    pub(super) fn place_after(&self, before: &[SideEntry]) -> usize {
        let found = before.iter().rev().find_map(|entry| self.get(&entry.key));
        let first = || self.entries.first().map_or(self.yaml.len(), |entry| entry.lines.start);
        found.map_or_else(first, |entry| entry.lines.end)
    }

    fn node(&self, key: &EntryKey) -> Option<&YamlNode<'a>> {
        self.get(key).map(|entry| &self.mapping.entries[entry.at].1)
    }
}
