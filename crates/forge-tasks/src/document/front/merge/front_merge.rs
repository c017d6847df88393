//! The merge of front matter: decides key by key, writes, and reads the result back.

use super::front_side::{EntryKey, FrontSide, SideEntry};
use super::key_rules::{FrontVersions, KeyOutcome};
use crate::document::front::edit;
use crate::document::front::file_parts::is_fence;
use crate::document::front::front_value::RawValue;
use crate::document::splice::{self, Splice};
use crate::document::{FrontEdit, Newline};
use crate::merge::text::{BETWEEN, OURS, THEIRS};

/// The versions of front matter to merge.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FrontMergeInput<'a> {
    /// Empty if both sides added the file.
    pub(crate) base: &'a str,
    pub(crate) ours: &'a str,
    pub(crate) theirs: &'a str,
    /// The line break of our file.
    pub(crate) newline: Newline,
    /// Whether every criterion of the merged body is checked.
    pub(crate) is_complete: bool,
}

/// Merged front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FrontMerge {
    pub(crate) text: String,
    /// The keys that a person has to decide about. Comments around our value have the other one.
    pub(crate) conflicts: Vec<String>,
}

impl FrontMerge {
    /// Merges front matter; `None` if that is impossible without touching anything else.
    pub(crate) fn of(input: &FrontMergeInput<'_>) -> Option<Self> {
        let unchanged = |text: &str| Self { text: text.to_owned(), conflicts: Vec::new() };
        if input.theirs == input.base || input.theirs == input.ours {
            return Some(unchanged(input.ours));
        }
        let versions = FrontVersions {
            base: FrontSide::read(input.base)?,
            ours: FrontSide::read(input.ours)?,
            theirs: FrontSide::read(input.theirs)?,
            is_complete: input.is_complete,
        };
        let writer = FrontMergeWriter::new(versions, input.newline);
        let text = writer.write()?;
        let is_conflict = |(_, outcome): &&(EntryKey, KeyOutcome)| *outcome == KeyOutcome::Conflict;
        let conflicts = writer.decided.iter().filter(is_conflict);
        let conflicts = conflicts.map(|(key, _)| key.name().to_owned()).collect();
        Some(Self { text, conflicts })
    }
}

struct FrontMergeWriter<'a> {
    versions: FrontVersions<'a>,
    newline: Newline,
    decided: Vec<(EntryKey, KeyOutcome)>,
}

impl<'a> FrontMergeWriter<'a> {
    fn new(versions: FrontVersions<'a>, newline: Newline) -> Self {
        let ours = versions.ours.entries.iter();
        let only_theirs =
            versions.theirs.entries.iter().filter(|entry| versions.ours.get(&entry.key).is_none());
        let keys = ours.chain(only_theirs).map(|entry| entry.key.clone());
        let decided = keys.map(|key| (key.clone(), versions.decide(&key))).collect();
        Self { versions, newline, decided }
    }

    fn write(&self) -> Option<String> {
        let ours = &self.versions.ours;
        let mut splices: Vec<Splice> = Vec::new();
        for (key, outcome) in &self.decided {
            splices.extend(self.their_comments(self.place_in_theirs(key)));
            match outcome {
                KeyOutcome::Ours | KeyOutcome::Set(_) => {}
                KeyOutcome::Theirs => splices.extend(self.take_theirs(key)),
                KeyOutcome::Neither => {
                    let entry = ours.get(key);
                    splices.extend(entry.map(|entry| Splice::remove(entry.lines.clone())));
                }
                KeyOutcome::Conflict => splices.extend(self.mark(key)),
            }
        }
        splices.extend(self.their_comments(Some(self.versions.theirs.entries.len())));
        let text = splice::apply(ours.yaml, &splices)?;
        let edits = self.decided.iter().filter_map(|(key, outcome)| match (key, outcome) {
            (EntryKey::Known(key), KeyOutcome::Set(value)) => {
                Some(FrontEdit { key: *key, value: Some(value.clone()) })
            }
            _ => None,
        });
        let text = edit(&text, self.newline, &edits.collect::<Vec<_>>(), None).ok()?;
        self.is_right(&text).then_some(text)
    }

    fn take_theirs(&self, key: &EntryKey) -> Option<Splice> {
        let ours = self.versions.ours.get(key).map(|entry| entry.lines.clone());
        match (ours, self.versions.theirs.lines(key)) {
            (Some(lines), Some(theirs)) => Some(Splice::replace(lines, self.own_newlines(&theirs))),
            (Some(lines), None) => Some(Splice::remove(lines)),
            (None, Some(theirs)) => {
                Some(Splice::insert(self.place(key), self.own_newlines(&theirs)))
            }
            (None, None) => None,
        }
    }

    /// Puts comments around our value, with theirs in them. So the file stays readable.
    fn mark(&self, key: &EntryKey) -> Vec<Splice> {
        let mut behind = format!("# {BETWEEN}\n");
        for line in self.versions.theirs.lines(key).unwrap_or_default().lines() {
            behind.push_str(format!("# {line}").trim_end());
            behind.push('\n');
        }
        behind.push_str(&format!("# {THEIRS}\n"));
        let before = format!("# {OURS}\n");
        match self.versions.ours.get(key) {
            Some(SideEntry { lines, .. }) => vec![
                Splice::insert(lines.start, self.own_newlines(&before)),
                Splice::insert(lines.end, self.own_newlines(&behind)),
            ],
            None => {
                vec![Splice::insert(self.place(key), self.own_newlines(&(before + &behind)))]
            }
        }
    }

    /// The comments above an entry of theirs that only they have.
    fn their_comments(&self, above: Option<usize>) -> Vec<Splice> {
        let FrontVersions { base, ours, theirs, .. } = &self.versions;
        let known = || base.comments().into_iter().chain(ours.comments());
        let is_new = |line: &str| !known().any(|(_, other)| other == line);
        let all = theirs.comments().into_iter();
        let new = all.filter(|(before, line)| Some(*before) == above && is_new(line));
        let place = |before: usize| ours.place_after(&theirs.entries[..before]);
        let written = |line: &str| self.own_newlines(&format!("{line}\n"));
        new.map(|(before, line)| Splice::insert(place(before), written(line))).collect()
    }

    fn place_in_theirs(&self, key: &EntryKey) -> Option<usize> {
        self.versions.theirs.entries.iter().position(|entry| entry.key == *key)
    }

    /// Where an entry belongs that we lack.
    fn place(&self, key: &EntryKey) -> usize {
        let before = self.place_in_theirs(key).unwrap_or_default();
        self.versions.ours.place_after(&self.versions.theirs.entries[..before])
    }

    fn own_newlines(&self, text: &str) -> String {
        text.replace('\n', self.newline.as_str())
    }

    /// Whether every key of the result reads as decided, and there is no other one.
    fn is_right(&self, text: &str) -> bool {
        if text.lines().any(|line| is_fence(line.as_bytes())) {
            return false;
        }
        let Some(merged) = FrontSide::read(text) else { return false };
        let FrontVersions { ours, theirs, .. } = &self.versions;
        let is_decided = |entry: &SideEntry| self.decided.iter().any(|(key, _)| *key == entry.key);
        merged.entries.iter().all(is_decided)
            && self.decided.iter().all(|(key, outcome)| match (outcome, key) {
                (KeyOutcome::Ours | KeyOutcome::Conflict, _) => merged.has_same(key, ours),
                (KeyOutcome::Theirs, _) => merged.has_same(key, theirs),
                (KeyOutcome::Set(value), EntryKey::Known(key)) => {
                    merged.value(*key) == key.reads(RawValue::of(value))
                }
                (KeyOutcome::Neither | KeyOutcome::Set(_), _) => merged.get(key).is_none(),
            })
    }
}
