//! The combined edits of one call.

use std::collections::{HashMap, HashSet};

use super::super::continuation;
use super::super::{BodyEdit, BodySection, NoSuchCriterion, TaskBody, line_form};

/// The combined edits of one call. Sections are independent, so only the order of the edits of one
/// section matters.
#[derive(Debug, Default)]
pub(super) struct SectionEdits {
    sections: HashMap<BodySection, SectionTextEdit>,
    pub(super) criteria: CriteriaEdits,
}

/// The edit of a section's text. Its lines end in line feeds, without blank lines around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SectionTextEdit {
    Set(String),
    Append(String),
}

/// The edits of the criteria.
#[derive(Debug, Default)]
pub(super) struct CriteriaEdits {
    pub(super) added: Vec<String>,
    pub(super) removed: HashSet<u32>,
    pub(super) checked: HashMap<u32, bool>,
}

impl SectionEdits {
    /// Puts edits together. The numbers in them are those that the criteria of the body have now.
    pub(super) fn of(edits: &[BodyEdit], body: &TaskBody) -> Result<Self, NoSuchCriterion> {
        let known: HashSet<u32> = body.criteria.iter().map(|criterion| criterion.index).collect();
        let mut wishes = Self::default();
        for edit in edits {
            if let BodyEdit::RemoveCriterion(number) | BodyEdit::Check(number, _) = edit
                && !known.contains(number)
            {
                let known = body.criteria.iter().map(|criterion| criterion.index).collect();
                return Err(NoSuchCriterion { wanted: *number, known });
            }
            wishes.add(edit);
        }
        Ok(wishes)
    }

    /// The edit of a section's text.
    pub(super) fn of_section(&self, section: BodySection) -> Option<&SectionTextEdit> {
        self.sections.get(&section)
    }

    fn add(&mut self, edit: &BodyEdit) {
        match edit {
            BodyEdit::Set(section, text) => {
                self.sections.insert(*section, SectionTextEdit::Set(section_text(text)));
            }
            BodyEdit::Append(section, text) => self.append(*section, &section_text(text)),
            BodyEdit::AddCriterion(text) => {
                self.criteria.added.push(continuation::trimmed(&with_line_feeds(text)).to_owned());
            }
            BodyEdit::RemoveCriterion(number) => {
                self.criteria.removed.insert(*number);
            }
            BodyEdit::Check(number, checked) => {
                self.criteria.checked.insert(*number, *checked);
            }
        }
    }

    fn append(&mut self, section: BodySection, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.sections.get_mut(&section) {
            None => {
                self.sections.insert(section, SectionTextEdit::Append(text.to_owned()));
            }
            Some(SectionTextEdit::Set(said) | SectionTextEdit::Append(said)) => {
                append_paragraph(said, text);
            }
        }
    }
}

impl SectionTextEdit {
    /// The text of a section after the edit.
    pub(super) fn granted(&self, said: Option<&str>) -> Option<String> {
        match (self, said) {
            (Self::Set(text), _) if text.is_empty() => None,
            (Self::Set(text), _) | (Self::Append(text), None) => Some(text.clone()),
            (Self::Append(text), Some(said)) => {
                let mut said = said.to_owned();
                append_paragraph(&mut said, text);
                Some(said)
            }
        }
    }
}

impl CriteriaEdits {
    /// Whether nothing is wanted of the criteria.
    pub(super) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.checked.is_empty()
    }
}

/// Adds a paragraph, even after a list: each addition stays visible, and the meaning of a text
/// never depends on the text before it.
fn append_paragraph(said: &mut String, text: &str) {
    if !said.is_empty() {
        said.push_str("\n\n");
    }
    said.push_str(text);
}

/// A text in the form in which it is read back: with line feeds, and without blank lines around it.
fn section_text(text: &str) -> String {
    let text = with_line_feeds(text);
    let lines: Vec<&str> = text.split('\n').collect();
    let Some(first) = lines.iter().position(|line| !line_form::is_blank(line)) else {
        return String::new();
    };
    let last = lines.iter().rposition(|line| !line_form::is_blank(line)).unwrap_or(first);
    lines[first..=last].join("\n")
}

fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}
