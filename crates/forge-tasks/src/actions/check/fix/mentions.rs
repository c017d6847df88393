//! Finds texts that name a task whose id changed. They are reported but not changed.

use super::ActionError;
use super::renumbering::Renumbering;
use crate::actions::action_outcome;
use crate::database::StoredFile;
use crate::document::{TaskBody, TaskDocument};
use crate::id::names_id;
use crate::words::all_of;

/// A line for each task whose texts name an id that moved. The files are those after the
/// renumbering, so that the lines have their new names.
pub(super) fn find(
    files: &[StoredFile<TaskDocument>],
    renumbering: &Renumbering,
) -> Result<Vec<String>, ActionError> {
    let mut found = Vec::new();
    for file in files {
        let task = action_outcome::read(file)?;
        for (was, old, at) in renumbering.moves() {
            let sections = sections(&task.content.body, old.as_str());
            if !sections.is_empty() {
                let (path, new, sections) = (file.path(), files[at].path(), all_of(&sections));
                found.push(format!(
                    "{path} names {old} in its {sections}; what was {was} is now {new}"
                ));
            }
        }
    }
    Ok(found)
}

/// The sections that name an id.
fn sections(body: &TaskBody, id: &str) -> Vec<&'static str> {
    let TaskBody { description, plan, notes, criteria } = body;
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
        let body = TaskBody { description: text(), notes: text(), ..TaskBody::default() };
        assert_eq!(sections(&body, "TASK-1"), ["description", "notes"]);
    }
}
