//! Texts that name a task which gets another number. What their author meant is not known for certain, so
//! they are named and not changed.

use super::ActionError;
use super::plan::Steps;
use crate::TaskId;
use crate::actions::done;
use crate::database::Stored;
use crate::document::{Body, Document};
use crate::id::names_id;
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
    let names = |text: &Option<String>| text.as_ref().is_some_and(|text| names_id(text, id));
    let sections = [
        ("description", names(description)),
        ("criteria", criteria.iter().any(|criterion| names_id(&criterion.text, id))),
        ("plan", names(plan)),
        ("notes", names(notes)),
    ];
    sections.into_iter().filter(|(_, is_there)| *is_there).map(|(section, _)| section).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_counts() {
        let text = || Some("TASK-1".to_owned());
        let body = Body { description: text(), notes: text(), ..Body::default() };
        assert_eq!(places(&body, "TASK-1"), ["description", "notes"]);
    }
}
