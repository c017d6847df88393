//! All edits of a body.

use super::section_edits::{SectionEdits, SectionTextEdit};
use super::{criteria, section, splice};
use crate::document::Newline;
use crate::document::body::escape::{EscapeStrength, escape};
use crate::document::body::layout::BodyLayout;
use crate::document::body::{BodyEdit, BodySection, NoSuchCriterion, TaskBody};

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
    let wishes = SectionEdits::of(edits, &wanted)?;
    let mut text = text.to_owned();
    for section in BodySection::ALL {
        let (Some(wish), Some(said)) = (wishes.of_section(section), wanted.text_mut(section))
        else {
            continue;
        };
        let granted = wish.granted(said.as_deref());
        if granted != *said {
            *said = granted;
            text = with_section(&text, newline, (section, wish), &wanted);
        }
    }
    if !wishes.criteria.is_empty() {
        wanted.criteria = criteria::granted(&wanted, &wishes.criteria);
        text = as_wanted(&wanted, |strength| {
            criteria::write(&text, newline, &wishes.criteria, strength)
        });
    }
    Ok(text)
}

fn with_section(
    text: &str,
    newline: Newline,
    wish: (BodySection, &SectionTextEdit),
    wanted: &TaskBody,
) -> String {
    let layout = BodyLayout::of(text);
    let (section, wish) = wish;
    let writer = section::SectionWriter { layout: &layout, newline, section };
    as_wanted(wanted, |strength| {
        let wish = match wish {
            SectionTextEdit::Set(text) => SectionTextEdit::Set(escape(text, strength)),
            SectionTextEdit::Append(text) => SectionTextEdit::Append(escape(text, strength)),
        };
        splice::apply(text, &[writer.write(&wish)])
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
