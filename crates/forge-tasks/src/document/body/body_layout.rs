//! Where the parts of a body are.

use std::ops::Range;

use crate::document::body::body_lines::{BodyLines, Kind};
use crate::document::body::{BodySection, escape};

/// Where the parts of a body are. All numbers are those of lines.
#[derive(Debug)]
pub(super) struct BodyLayout<'a> {
    pub(super) lines: BodyLines<'a>,
    /// The lines between the markers, one range per block.
    pub(super) blocks: Vec<Range<usize>>,
    /// The first heading of the second level, or the end.
    pub(super) first_heading: usize,
    sections: [Option<SectionLines>; BodySection::ALL.len()],
}

/// Where a section is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SectionLines {
    /// The line of its heading.
    pub(super) heading: usize,
    /// Its text with the blank lines around it: up to the next heading or block.
    pub(super) text: Range<usize>,
    /// The next heading, or the end.
    pub(super) end: usize,
    /// Whether there is another section with the same heading further down.
    pub(super) is_repeated: bool,
}

impl<'a> BodyLayout<'a> {
    /// Finds the parts of a body.
    pub(super) fn of(text: &'a str) -> Self {
        let lines = BodyLines::of(text);
        let end = lines.len();
        let sections = [const { None }; BodySection::ALL.len()];
        let mut finder = SectionFinder {
            layout: Self { lines, blocks: Vec::new(), first_heading: end, sections },
            section: None,
            in_text: false,
            block: None,
        };
        for at in 0..end {
            finder.see(at);
        }
        finder.end_section(end);
        finder.layout
    }

    /// Where the section is, if there is one.
    pub(super) fn section(&self, section: BodySection) -> Option<&SectionLines> {
        self.sections[section as usize].as_ref()
    }

    /// The text of a section; `None` if it is empty.
    pub(super) fn text(&self, section: BodySection) -> Option<String> {
        let text = self.lines.trimmed(self.section(section)?.text.clone());
        let mut current = String::new();
        for at in text.clone() {
            if at > text.start {
                current.push('\n');
            }
            current.push_str(&escape::read_line(&self.lines, at));
        }
        (!text.is_empty()).then_some(current)
    }
}

/// Goes through the lines from the first to the last.
struct SectionFinder<'a> {
    layout: BodyLayout<'a>,
    /// The section that the line is in, if it is the first with a known heading.
    section: Option<BodySection>,
    /// Whether the text of that section continues.
    in_text: bool,
    /// The first line of the block that the line is in.
    block: Option<usize>,
}

impl SectionFinder<'_> {
    fn see(&mut self, at: usize) {
        match self.layout.lines.kind(at) {
            Kind::Heading(section) => {
                self.end_section(at);
                self.layout.first_heading = self.layout.first_heading.min(at);
                if let Some(section) = section {
                    self.begin_section(section, at);
                }
            }
            Kind::Begin => {
                self.end_text(at);
                self.block = Some(at + 1);
            }
            Kind::End => self.end_text(at),
            Kind::Text | Kind::Opener | Kind::Inside => {}
        }
    }

    fn begin_section(&mut self, section: BodySection, heading: usize) {
        match &mut self.layout.sections[section as usize] {
            Some(first) => first.is_repeated = true,
            none => {
                let text = heading + 1..heading + 1;
                *none = Some(SectionLines { heading, text, end: heading + 1, is_repeated: false });
                self.section = Some(section);
                self.in_text = true;
            }
        }
    }

    /// Ends the current text or block before a line.
    fn end_text(&mut self, at: usize) {
        if let Some(start) = self.block.take() {
            self.layout.blocks.push(start..at);
        }
        if self.in_text
            && let Some(place) = self.place()
        {
            place.text.end = at;
        }
        self.in_text = false;
    }

    fn end_section(&mut self, at: usize) {
        self.end_text(at);
        if let Some(place) = self.place() {
            place.end = at;
        }
        self.section = None;
    }

    fn place(&mut self) -> Option<&mut SectionLines> {
        self.layout.sections[self.section? as usize].as_mut()
    }
}
