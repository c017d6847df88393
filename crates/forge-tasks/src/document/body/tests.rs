//! Tests of reading and editing bodies.

mod criteria;
mod hostile;
mod laws;
mod lossless;
mod reading;
mod sections;
mod size;

use super::{BodyEdit, BodySection, NoSuchCriterion, TaskBody, edit};
use crate::document::Newline;

/// Edits a body whose lines end in line feeds.
fn edited(text: &str, edits: &[BodyEdit]) -> String {
    edit(text, Newline::of(text), edits).expect("every criterion is there")
}

fn set(section: BodySection, text: &str) -> BodyEdit {
    BodyEdit::Set(section, text.to_owned())
}

fn append(section: BodySection, text: &str) -> BodyEdit {
    BodyEdit::Append(section, text.to_owned())
}

fn add(text: &str) -> BodyEdit {
    BodyEdit::AddCriterion(text.to_owned())
}

/// The criteria as a short text: `1[x] text`.
fn criteria(text: &str) -> Vec<String> {
    let say = |criterion: &super::Criterion| {
        let sign = if criterion.checked { 'x' } else { ' ' };
        format!("{}[{sign}] {}", criterion.index, criterion.text)
    };
    TaskBody::read(text).criteria.iter().map(say).collect()
}
