//! Writing the text of a section.

use crate::document::Newline;
use crate::document::body::BodySection;
use crate::document::body::body_layout::{BodyLayout, SectionLines};
use crate::document::body::edit::body_edit::SectionTextEdit;
use crate::document::splice::Splice;

/// A section of a body, to be changed.
pub(super) struct SectionWriter<'a> {
    pub(super) layout: &'a BodyLayout<'a>,
    pub(super) newline: Newline,
    pub(super) section: BodySection,
}

impl SectionWriter<'_> {
    /// Applies an edit. Its text is written unchanged.
    pub(super) fn write(&self, text_edit: &SectionTextEdit) -> Splice {
        let newline = self.newline.as_str();
        let (SectionTextEdit::Set(text) | SectionTextEdit::Append(text)) = text_edit;
        let text = text.replace('\n', newline);
        let Some(place) = self.layout.section(self.section) else {
            return self.insert(&text);
        };
        if text.is_empty() {
            return self.remove(place);
        }
        let lines = &self.layout.lines;
        let old = lines.trimmed(place.text.clone());
        if old.is_empty() {
            return self.fill(place, &text);
        }
        let end = lines.line(old.end - 1).end;
        match text_edit {
            SectionTextEdit::Set(_) => Splice::replace(lines.start(old.start)..end, text),
            SectionTextEdit::Append(_) => Splice::insert(end, format!("{newline}{newline}{text}")),
        }
    }

    /// Puts a new section where it belongs.
    fn insert(&self, text: &str) -> Splice {
        let lines = &self.layout.lines;
        let newline = self.newline.as_str();
        let line = self.line_to_insert_at();
        let before = match line.checked_sub(1) {
            None => newline.to_owned(),
            Some(last) => self.end_of(last) + if lines.is_blank(last) { "" } else { newline },
        };
        let heading = self.section.heading();
        let after = if line < lines.len() { newline } else { "" };
        let section = format!("{before}## {heading}{newline}{newline}{text}{newline}{after}");
        Splice::insert(lines.start(line), section)
    }

    /// After the sections that precede it, before those that follow it, or else after the text
    /// before any section.
    fn line_to_insert_at(&self) -> usize {
        let place = |section: &BodySection| self.layout.section(*section);
        let before = BodySection::ALL.iter().filter(|section| **section < self.section);
        let behind = BodySection::ALL.iter().filter(|section| **section > self.section);
        let end = before.filter_map(place).next_back().map(|place| place.end);
        end.or_else(|| behind.filter_map(place).next().map(|place| place.heading))
            .unwrap_or(self.layout.first_heading)
    }

    /// Gives a text to an empty section, in the layout of a new file.
    fn fill(&self, place: &SectionLines, text: &str) -> Splice {
        let lines = &self.layout.lines;
        let newline = self.newline.as_str();
        let start = self.end_of(place.heading);
        let after = if place.text.end < lines.len() { newline } else { "" };
        Splice::replace(
            lines.line(place.heading).next..lines.start(place.text.end),
            format!("{start}{newline}{text}{newline}{after}"),
        )
    }

    /// Removes a section, and leaves one blank line in its place.
    fn remove(&self, place: &SectionLines) -> Splice {
        let lines = &self.layout.lines;
        let newline = self.newline.as_str();
        let end = lines.start(place.text.end);
        if place.is_repeated {
            // Without its heading, the other section of that name would count.
            return Splice::replace(lines.line(place.heading).next..end, newline);
        }
        let blank = (0..place.heading).rev().take_while(|at| lines.is_blank(*at)).count();
        let first_blank = place.heading - blank;
        match (first_blank, place.text.end < lines.len()) {
            (0, false) => Splice::remove(0..end),
            (0, true) => Splice::remove(lines.start(place.heading)..end),
            (_, false) => Splice::remove(lines.start(first_blank)..end),
            (_, true) if blank == 0 => Splice::replace(lines.start(first_blank)..end, newline),
            (_, true) => Splice::remove(lines.line(first_blank).next..end),
        }
    }

    /// The line break that a line lacks.
    fn end_of(&self, line: usize) -> String {
        let is_terminated = self.layout.lines.is_terminated(line);
        if is_terminated { String::new() } else { self.newline.as_str().to_owned() }
    }
}
