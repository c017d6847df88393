//! The merge of a body: merges its parts, writes them into our version, and reads the result back.

use super::body_chunks::{BodyChunk, BodySide, ChunkKey};
use super::criteria_merge::{CriteriaMerge, CriterionChange};
use super::section_merge::{EarlierSide, SectionMerge, TextVersions};
use crate::document::Newline;
use crate::document::body::{BodyEdit, BodySection, TaskBody, edit};
use crate::document::splice::{self, Splice};
use crate::merge::text::{TextMerge, merge_section, merge_text, push_conflict};

/// A merged body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BodyMerge {
    pub(crate) text: String,
    /// The parts that a person has to decide about. Markers in them have both texts.
    pub(crate) conflicts: Vec<String>,
}

impl BodyMerge {
    /// Merges a body. The base is none if both sides added the file.
    pub(crate) fn of(
        base: Option<&str>,
        ours: &str,
        theirs: &str,
        newline: Newline,
        earlier: EarlierSide,
    ) -> Self {
        if theirs == ours || base == Some(theirs) {
            return Self { text: ours.to_owned(), conflicts: Vec::new() };
        }
        let base_side = base.map(BodySide::read);
        let merger = BodyMerger {
            base: base_side.as_ref(),
            ours: BodySide::read(ours),
            theirs: BodySide::read(theirs),
            newline,
            earlier,
            conflicts: Vec::new(),
        };
        merger.merge().unwrap_or_else(|| by_lines(base.unwrap_or_default(), ours, theirs, newline))
    }
}

/// The merge for bodies that have no sections in common.
fn by_lines(base: &str, ours: &str, theirs: &str, newline: Newline) -> BodyMerge {
    let [base, ours, theirs] = [base, ours, theirs].map(|text| text.replace("\r\n", "\n"));
    let TextMerge { text, has_conflict } = merge_text(&base, &ours, &theirs);
    let conflicts = if has_conflict { vec!["text".to_owned()] } else { Vec::new() };
    BodyMerge { text: text.replace('\n', newline.as_str()), conflicts }
}

struct BodyMerger<'a> {
    base: Option<&'a BodySide<'a>>,
    ours: BodySide<'a>,
    theirs: BodySide<'a>,
    newline: Newline,
    earlier: EarlierSide,
    conflicts: Vec<String>,
}

impl BodyMerger<'_> {
    /// `None` if the parts cannot be merged one by one.
    fn merge(mut self) -> Option<BodyMerge> {
        let no_lines = Vec::new();
        let base_lines = self.base.map_or(Some(no_lines), BodySide::other_lines)?;
        let (our_lines, their_lines) = (self.ours.other_lines()?, self.theirs.other_lines()?);
        if their_lines != our_lines && their_lines != base_lines {
            return None;
        }
        let chunks = self.merge_chunks()?;
        let sections = self.merge_sections();
        let base = self.base;
        let criteria = CriteriaMerge::of(base, &self.ours, &self.theirs);
        if criteria.has_conflict() {
            self.conflicts.push("criteria".to_owned());
        }
        let edits = sections.iter().filter_map(|(_, merge)| merge.edit.clone());
        let edits: Vec<BodyEdit> = edits.chain(criteria.edits.iter().cloned()).collect();
        let text = edit(&chunks.text, self.newline, &edits).ok()?;
        let text = edit(&text, self.newline, &criteria.checks).ok()?;
        let text = self.with_changed_criteria(text, &criteria)?;
        let is_right = chunks.are_in(&text)
            && sections_are_in(&text, &sections)
            && (criteria.has_conflict() || criteria_are_in(&text, &criteria));
        is_right.then_some(BodyMerge { text, conflicts: self.conflicts })
    }

    /// Merges the texts of the sections with a meaning.
    fn merge_sections(&mut self) -> Vec<(BodySection, SectionMerge)> {
        let mut merged = Vec::new();
        for section in [BodySection::Description, BodySection::Plan, BodySection::Notes] {
            let text = |side: &BodySide<'_>| {
                let mut body = side.body.clone();
                body.text_mut(section).and_then(Option::take).unwrap_or_default()
            };
            let (base, ours, theirs) =
                (self.base.map(text).unwrap_or_default(), text(&self.ours), text(&self.theirs));
            let versions = TextVersions { base: &base, ours: &ours, theirs: &theirs };
            let merge = SectionMerge::of(section, versions, self.earlier);
            if merge.has_conflict {
                self.conflicts.push(section.heading().to_lowercase());
            }
            merged.push((section, merge));
        }
        merged
    }

    /// Merges what has no meaning: other sections, and the text before the first one.
    fn merge_chunks(&mut self) -> Option<MergedChunks> {
        let mut merged = MergedChunks { text: String::new(), expected: Vec::new() };
        let mut splices: Vec<Splice> = Vec::new();
        let is_other = |chunk: &&BodyChunk| chunk.section.is_none();
        for chunk in self.ours.chunks.iter().filter(is_other) {
            let (text, has_conflict) = self.merged_content(&chunk.key);
            if has_conflict {
                self.conflicts.push(chunk.key.name());
            }
            if text.as_ref() != self.ours.content(&chunk.key).as_ref() {
                splices.push(self.rewrite(chunk, text.as_deref()));
            }
            merged.expected.push((chunk.key.clone(), text));
        }
        for chunk in self.theirs.chunks.iter().filter(is_other) {
            if self.ours.chunk(&chunk.key).is_some() {
                continue;
            }
            let (text, has_conflict) = self.merged_content(&chunk.key);
            if has_conflict {
                self.conflicts.push(chunk.key.name());
            }
            if let Some(text) = &text {
                splices.push(self.insert(chunk, text));
            }
            merged.expected.push((chunk.key.clone(), text));
        }
        merged.text = splice::apply(self.ours.text, &splices)?;
        Some(merged)
    }

    /// The content of a chunk after the merge, none if it is gone, and whether it has a conflict.
    fn merged_content(&self, key: &ChunkKey) -> (Option<String>, bool) {
        let base = self.base.and_then(|base| base.content(key));
        let (ours, theirs) = (self.ours.content(key), self.theirs.content(key));
        if ours == theirs || theirs == base {
            return (ours, false);
        }
        if ours == base {
            return (theirs, false);
        }
        match (ours, theirs) {
            (Some(ours), Some(theirs)) => {
                let merged = merge_section(&base.unwrap_or_default(), &ours, &theirs);
                (Some(merged.text), merged.has_conflict)
            }
            // One side removed what the other one changed.
            (ours, theirs) => {
                let side = |text: Option<String>| text.map(|text| text + "\n").unwrap_or_default();
                let mut text = String::new();
                push_conflict(&mut text, &side(ours), &side(theirs));
                (Some(text.trim_end().to_owned()), true)
            }
        }
    }

    /// Gives a chunk of ours another content, or removes it.
    fn rewrite(&self, chunk: &BodyChunk, text: Option<&str>) -> Splice {
        let newline = self.newline.as_str();
        let Some(text) = text else { return Splice::remove(chunk.start..chunk.end) };
        let text = text.replace('\n', newline);
        if !chunk.content.is_empty() || text.is_empty() {
            return Splice::replace(chunk.content.clone(), text);
        }
        match chunk.key {
            ChunkKey::Preamble => {
                let has_more = chunk.end < self.ours.text.len();
                let end = if has_more { newline } else { "" };
                Splice::replace(chunk.start..chunk.end, format!("{newline}{text}{newline}{end}"))
            }
            ChunkKey::Heading(..) => {
                Splice::replace(chunk.content.clone(), format!("{newline}{newline}{text}"))
            }
        }
    }

    /// Inserts a chunk of theirs after the one that it follows there.
    fn insert(&self, chunk: &BodyChunk, text: &str) -> Splice {
        let before = self.theirs.chunks.iter().take_while(|other| other.key != chunk.key);
        let before: Vec<&BodyChunk> = before.collect();
        let found = before.iter().rev().find_map(|other| self.ours.chunk(&other.key));
        let heading = self.theirs.text[chunk.start..].lines().next().unwrap_or_default();
        let mut section = heading.trim_end_matches('\r').to_owned();
        if !text.is_empty() {
            section.push_str("\n\n");
            section.push_str(text);
        }
        let newline = self.newline.as_str();
        let section = section.replace('\n', newline);
        let at = found.map_or(0, |found| found.content.end);
        let is_at_start = self.ours.text[..at].trim().is_empty();
        if !is_at_start {
            return Splice::insert(at, format!("{newline}{newline}{section}"));
        }
        let end = if self.ours.text.trim().is_empty() { "" } else { newline };
        let start = found.map_or(0, |found| found.start);
        Splice::insert(start, format!("{newline}{section}{newline}{end}"))
    }

    /// Replaces the lines of criteria whose text they changed.
    fn with_changed_criteria(&self, text: String, criteria: &CriteriaMerge) -> Option<String> {
        if criteria.replaced.is_empty() {
            return Some(text);
        }
        let side = BodySide::read(&text);
        let lines = &side.layout.lines;
        let mut splices = Vec::new();
        for (number, change) in &criteria.replaced {
            let place = side.list.numbers.iter().position(|other| other == number)?;
            let at = &side.list.items[place].lines;
            let range = lines.start(at.start)..lines.start(at.end);
            let new = match change {
                CriterionChange::Theirs(theirs) => theirs.clone(),
                CriterionChange::Conflict(theirs) => {
                    let ours = text[range.clone()].replace("\r\n", "\n");
                    let mut both = String::new();
                    push_conflict(&mut both, &ours, theirs);
                    both
                }
            };
            splices.push(Splice::replace(range, new.replace('\n', self.newline.as_str())));
        }
        splice::apply(&text, &splices)
    }
}

/// Our version with the merged chunks that have no meaning.
struct MergedChunks {
    text: String,
    /// The contents of all of them; none for those that are gone.
    expected: Vec<(ChunkKey, Option<String>)>,
}

impl MergedChunks {
    /// Whether a text has all of them, and no other.
    fn are_in(&self, text: &str) -> bool {
        let side = BodySide::read(text);
        let is_expected = |chunk: &BodyChunk| {
            chunk.section.is_some() || self.expected.iter().any(|(key, _)| *key == chunk.key)
        };
        side.chunks.iter().all(is_expected)
            && self.expected.iter().all(|(key, content)| side.content(key) == *content)
    }
}

fn sections_are_in(text: &str, sections: &[(BodySection, SectionMerge)]) -> bool {
    let mut body = TaskBody::read(text);
    sections.iter().all(|(section, merge)| {
        let text = body.text_mut(*section).and_then(Option::take).unwrap_or_default();
        text == merge.text
    })
}

fn criteria_are_in(text: &str, criteria: &CriteriaMerge) -> bool {
    let found = TaskBody::read(text).criteria.into_iter();
    found.map(|criterion| (criterion.text, criterion.checked)).eq(criteria.expected.iter().cloned())
}
