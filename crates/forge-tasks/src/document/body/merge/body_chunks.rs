//! The parts of one version of a body that have no meaning of their own: sections with other
//! headings, and the text before the first one.

use std::collections::HashMap;
use std::ops::Range;

use crate::document::body::body_layout::BodyLayout;
use crate::document::body::body_lines::{BodyLineForm, Kind, form, is_blank};
use crate::document::body::criterion_list::CriterionList;
use crate::document::body::{BodySection, TaskBody};

/// One version of a body.
pub(super) struct BodySide<'a> {
    pub(super) text: &'a str,
    pub(super) layout: BodyLayout<'a>,
    pub(super) list: CriterionList,
    pub(super) body: TaskBody,
    /// From the first to the last.
    pub(super) chunks: Vec<BodyChunk>,
}

/// The lines from one heading to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BodyChunk {
    pub(super) key: ChunkKey,
    /// Its meaning, if it is the first section with that heading.
    pub(super) section: Option<BodySection>,
    /// Where it begins, with its heading.
    pub(super) start: usize,
    /// The text after the heading without the blank lines around it.
    pub(super) content: Range<usize>,
    /// Where the next one begins.
    pub(super) end: usize,
}

/// What chunks of different versions have in common.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum ChunkKey {
    /// The text before the first heading.
    Preamble,
    /// A heading, and how many chunks before it have the same one.
    Heading(String, usize),
}

impl ChunkKey {
    /// The name for people.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Preamble => "text before the first section".to_owned(),
            Self::Heading(heading, _) => format!("section {heading}"),
        }
    }
}

impl<'a> BodySide<'a> {
    pub(super) fn read(text: &'a str) -> Self {
        let layout = BodyLayout::of(text);
        let list = CriterionList::of(&layout);
        let chunks = chunks(&layout);
        Self { text, layout, list, body: TaskBody::read(text), chunks }
    }

    /// The chunk of a key.
    pub(super) fn chunk(&self, key: &ChunkKey) -> Option<&BodyChunk> {
        self.chunks.iter().find(|chunk| chunk.key == *key)
    }

    /// The content of a chunk with line feeds.
    pub(super) fn content(&self, key: &ChunkKey) -> Option<String> {
        let chunk = self.chunk(key)?;
        Some(self.text[chunk.content.clone()].replace("\r\n", "\n"))
    }

    /// The lines in sections with a meaning that are neither their text nor criteria. `None` if
    /// there are criteria outside of their section, which no other part may hold.
    pub(super) fn other_lines(&self) -> Option<Vec<String>> {
        let lines = &self.layout.lines;
        let is_item = |at: usize| self.list.items.iter().any(|item| item.lines.contains(&at));
        let mut other = Vec::new();
        for chunk in &self.chunks {
            let text = chunk.section.filter(|section| *section != BodySection::Criteria);
            let text = text.and_then(|section| self.layout.section(section));
            for at in (0..lines.len()).filter(|at| {
                (chunk.start..chunk.end).contains(&lines.start(*at))
                    && !is_blank(lines.content(*at))
            }) {
                if is_item(at) {
                    if chunk.section != Some(BodySection::Criteria) {
                        return None;
                    }
                } else if chunk.section.is_some()
                    && !matches!(lines.kind(at), Kind::Heading(_) | Kind::Begin | Kind::End)
                    && !text.is_some_and(|text| text.text.contains(&at))
                {
                    other.push(lines.content(at).to_owned());
                }
            }
        }
        Some(other)
    }
}

fn chunks(layout: &BodyLayout<'_>) -> Vec<BodyChunk> {
    let lines = &layout.lines;
    let is_heading = |at: &usize| matches!(lines.kind(*at), Kind::Heading(_));
    let headings: Vec<usize> = (0..lines.len()).filter(is_heading).collect();
    let first = headings.first().copied().unwrap_or(lines.len());
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut chunks = vec![chunk(layout, ChunkKey::Preamble, 0..first, 0)];
    for (place, heading) in headings.iter().enumerate() {
        let end = headings.get(place + 1).copied().unwrap_or(lines.len());
        let title = match form(lines.content(*heading)) {
            BodyLineForm::Heading(title) => title,
            _ => "",
        };
        let count = seen.entry(title.to_lowercase()).or_default();
        let key = ChunkKey::Heading(title.to_lowercase(), *count);
        *count += 1;
        chunks.push(chunk(layout, key, *heading..end, 1));
    }
    chunks
}

/// The chunk of some lines, the first of which are no content.
fn chunk(layout: &BodyLayout<'_>, key: ChunkKey, at: Range<usize>, headings: usize) -> BodyChunk {
    let lines = &layout.lines;
    let section = BodySection::ALL.into_iter().find(|section| {
        headings > 0 && layout.section(*section).is_some_and(|place| place.heading == at.start)
    });
    let trimmed = lines.trimmed(at.start + headings..at.end);
    let content = match (trimmed.is_empty(), headings) {
        (false, _) => lines.start(trimmed.start)..lines.line(trimmed.end - 1).end,
        (true, 0) => lines.start(at.start)..lines.start(at.start),
        (true, _) => lines.line(at.start).end..lines.line(at.start).end,
    };
    BodyChunk { key, section, start: lines.start(at.start), content, end: lines.start(at.end) }
}
