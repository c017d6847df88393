//! Texts that name a task which gets another number. What their author meant is not known for certain, so
//! they are named and not changed.

use super::ActionError;
use super::plan::Steps;
use crate::TaskId;
use crate::actions::done;
use crate::database::Stored;
use crate::document::{Body, Document};
use crate::words::all_of;

/// A line for each task whose texts name a number that was given anew. The files are those after the
/// steps, so that they are found under the names that the lines have.
pub(super) fn find(files: &[Stored<Document>], steps: &Steps) -> Result<Vec<String>, ActionError> {
    let moved = steps.files.iter().filter(|(_, step)| step.wishes.id.is_some());
    let moves: Vec<(&str, &TaskId, String)> =
        moved.map(|(place, step)| (step.path.as_str(), &step.old, files[*place].path())).collect();
    let mut found = Vec::new();
    for file in files {
        let task = done::read(file)?;
        let path = file.path();
        for (was, old, new) in &moves {
            let places = places(&task.content.body, old.as_str());
            if !places.is_empty() {
                let places = all_of(&places);
                found.push(format!(
                    "{path} names {old} in its {places}; what was {was} is now {new}"
                ));
            }
        }
    }
    Ok(found)
}

/// The sections that name an id.
fn places(body: &Body, id: &str) -> Vec<&'static str> {
    let Body { description, plan, notes, criteria } = body;
    let names = |text: &Option<String>| text.as_ref().is_some_and(|text| is_named(text, id));
    let sections = [
        ("description", names(description)),
        ("criteria", criteria.iter().any(|criterion| is_named(&criterion.text, id))),
        ("plan", names(plan)),
        ("notes", names(notes)),
    ];
    sections.into_iter().filter(|(_, is_there)| *is_there).map(|(section, _)| section).collect()
}

/// Whether a text has an id as a word of its own, in any case.
fn is_named(text: &str, id: &str) -> bool {
    let (text, id) = (text.to_lowercase(), id.to_lowercase());
    let is_part = |c: char| c.is_alphanumeric();
    text.match_indices(&id).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + id.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_word_of_its_own() {
        for (text, expected) in [
            ("see TASK-003", true),
            ("see task-003, then", true),
            ("TASK-0031", false),
            ("XTASK-003", false),
            ("TASK-003-b", true),
            ("", false),
        ] {
            assert_eq!(is_named(text, "TASK-003"), expected, "{text:?}");
        }
    }

    #[test]
    fn every_section_counts() {
        let text = || Some("TASK-1".to_owned());
        let body = Body { description: text(), notes: text(), ..Body::default() };
        assert_eq!(places(&body, "TASK-1"), ["description", "notes"]);
    }
}
