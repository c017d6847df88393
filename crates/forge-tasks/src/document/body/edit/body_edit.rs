//! The edits of a body.

use std::collections::{HashMap, HashSet};

use crate::document::body::body_layout::BodyLayout;
use crate::document::body::edit::{criteria_writer, section_writer};
use crate::document::body::escape::{EscapeStrength, escape};
use crate::document::body::{BodySection, TaskBody, body_lines, criterion_list};
use crate::document::{Newline, splice};
use crate::words;

/// One change of the body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BodyEdit {
    /// A section gets another text; an empty one removes it. Nothing happens to the criteria.
    Set(BodySection, String),
    /// Appends a paragraph to a section, which is created if it is missing. The criteria are not
    /// changed.
    Append(BodySection, String),
    /// A criterion is added.
    AddCriterion(String),
    /// Removes a criterion. The others keep their numbers.
    RemoveCriterion(u32),
    /// Checks a criterion, or unchecks it.
    Check(u32, bool),
}

/// A criterion was named that is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no criterion {wanted}; {}", there_are(known))]
pub struct NoSuchCriterion {
    /// The number that was given.
    pub wanted: u32,
    /// The numbers there are.
    pub known: Vec<u32>,
}

fn there_are(known: &[u32]) -> String {
    let numbers: Vec<String> = known.iter().map(ToString::to_string).collect();
    match known {
        [] => "the task has none".to_owned(),
        [only] => format!("there is only {only}"),
        _ => format!("there are {}", words::join_with_and(&numbers)),
    }
}

/// Changes a body. Every byte that no edit names is kept. An empty text becomes that of a new task.
///
/// Edits refer to criteria by their numbers before all edits. A criterion that is both checked and
/// removed is removed. A new one gets the number after the highest.
///
/// Edits of a section are applied in order. An appended text becomes a paragraph of its own. A text
/// is read back with line feeds and without blank lines around it, a criterion without blanks
/// around it either.
pub fn edit(text: &str, newline: Newline, edits: &[BodyEdit]) -> Result<String, NoSuchCriterion> {
    let mut wanted = TaskBody::read(text);
    let combined = SectionEdits::of(edits, &wanted)?;
    let mut text = text.to_owned();
    for section in BodySection::ALL {
        let (Some(text_edit), Some(current)) =
            (combined.of_section(section), wanted.text_mut(section))
        else {
            continue;
        };
        let text_after = text_edit.text_after(current.as_deref());
        if text_after != *current {
            *current = text_after;
            text = with_section(&text, newline, (section, text_edit), &wanted);
        }
    }
    if !combined.criteria.is_empty() {
        wanted.criteria = criteria_writer::criteria_after(&wanted, &combined.criteria);
        text = as_wanted(&wanted, |strength| {
            criteria_writer::write_criteria(&text, newline, &combined.criteria, strength)
        });
    }
    Ok(text)
}

fn with_section(
    text: &str,
    newline: Newline,
    text_edit: (BodySection, &SectionTextEdit),
    wanted: &TaskBody,
) -> String {
    let layout = BodyLayout::of(text);
    let (section, text_edit) = text_edit;
    let writer = section_writer::SectionWriter { layout: &layout, newline, section };
    as_wanted(wanted, |strength| {
        let text_edit = match text_edit {
            SectionTextEdit::Set(text) => SectionTextEdit::Set(escape(text, strength)),
            SectionTextEdit::Append(text) => SectionTextEdit::Append(escape(text, strength)),
        };
        splice::apply(text, &[writer.write(&text_edit)]).expect("there is only one")
    })
}

/// Writes with the fewest backslashes for which the body reads as wanted.
///
/// With all backslashes it always does: no line of the new text then opens or closes anything, so
/// the lines around it keep their meaning.
fn as_wanted(wanted: &TaskBody, write: impl Fn(EscapeStrength) -> String) -> String {
    let text = write(EscapeStrength::Needed);
    if TaskBody::read(&text) == *wanted {
        return text;
    }
    let text = write(EscapeStrength::Everything);
    debug_assert_eq!(TaskBody::read(&text), *wanted, "an edit changed something else: {text:?}");
    text
}

/// The combined edits of one call. Sections are independent, so only the order of the edits of one
/// section matters.
#[derive(Debug, Default)]
pub(crate) struct SectionEdits {
    sections: HashMap<BodySection, SectionTextEdit>,
    pub(crate) criteria: CriteriaEdits,
}

/// The edit of a section's text. Its lines end in line feeds, without blank lines around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SectionTextEdit {
    Set(String),
    Append(String),
}

/// The edits of the criteria.
#[derive(Debug, Default)]
pub(crate) struct CriteriaEdits {
    pub(crate) added: Vec<String>,
    pub(crate) removed: HashSet<u32>,
    pub(crate) checked: HashMap<u32, bool>,
}

impl SectionEdits {
    /// Puts edits together. The numbers in them are those that the criteria of the body have now.
    pub(crate) fn of(edits: &[BodyEdit], body: &TaskBody) -> Result<Self, NoSuchCriterion> {
        let known: HashSet<u32> = body.criteria.iter().map(|criterion| criterion.index).collect();
        let mut combined = Self::default();
        for edit in edits {
            if let BodyEdit::RemoveCriterion(number) | BodyEdit::Check(number, _) = edit
                && !known.contains(number)
            {
                let known = body.criteria.iter().map(|criterion| criterion.index).collect();
                return Err(NoSuchCriterion { wanted: *number, known });
            }
            combined.add(edit);
        }
        Ok(combined)
    }

    /// The edit of a section's text.
    pub(crate) fn of_section(&self, section: BodySection) -> Option<&SectionTextEdit> {
        self.sections.get(&section)
    }

    fn add(&mut self, edit: &BodyEdit) {
        match edit {
            BodyEdit::Set(section, text) => {
                self.sections.insert(*section, SectionTextEdit::Set(section_text(text)));
            }
            BodyEdit::Append(section, text) => self.append(*section, &section_text(text)),
            BodyEdit::AddCriterion(text) => {
                self.criteria
                    .added
                    .push(criterion_list::trimmed(&with_line_feeds(text)).to_owned());
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
            Some(SectionTextEdit::Set(current) | SectionTextEdit::Append(current)) => {
                append_paragraph(current, text);
            }
        }
    }
}

impl SectionTextEdit {
    /// The text of a section after the edit.
    pub(crate) fn text_after(&self, current: Option<&str>) -> Option<String> {
        match (self, current) {
            (Self::Set(text), _) if text.is_empty() => None,
            (Self::Set(text), _) | (Self::Append(text), None) => Some(text.clone()),
            (Self::Append(text), Some(current)) => {
                let mut current = current.to_owned();
                append_paragraph(&mut current, text);
                Some(current)
            }
        }
    }
}

impl CriteriaEdits {
    /// Whether nothing is wanted of the criteria.
    pub(crate) fn is_empty(&self) -> bool {
        self.added.is_empty() && self.removed.is_empty() && self.checked.is_empty()
    }
}

/// Adds a paragraph, even after a list: each addition stays visible, and the meaning of a text
/// never depends on the text before it.
fn append_paragraph(current: &mut String, text: &str) {
    if !current.is_empty() {
        current.push_str("\n\n");
    }
    current.push_str(text);
}

/// A text in the form in which it is read back: with line feeds, and without blank lines around it.
fn section_text(text: &str) -> String {
    let text = with_line_feeds(text);
    let lines: Vec<&str> = text.split('\n').collect();
    let Some(first) = lines.iter().position(|line| !body_lines::is_blank(line)) else {
        return String::new();
    };
    let last = lines.iter().rposition(|line| !body_lines::is_blank(line)).unwrap_or(first);
    lines[first..=last].join("\n")
}

fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_error_for_an_unknown_criterion_lists_the_known_ones() {
        let message =
            |known: &[u32]| NoSuchCriterion { wanted: 4, known: known.into() }.to_string();
        assert_eq!(message(&[1, 2, 3]), "there is no criterion 4; there are 1, 2 and 3");
        assert_eq!(message(&[7]), "there is no criterion 4; there is only 7");
        assert_eq!(message(&[]), "there is no criterion 4; the task has none");
    }
}
