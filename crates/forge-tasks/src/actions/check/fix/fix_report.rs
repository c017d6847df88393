//! The fix and its report.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;

use jiff::Timestamp;

use crate::actions::ActionError;
use crate::actions::check::fix::renumbering::Renumbering;
use crate::actions::check::{DatabaseProblem, conflicts};
use crate::actions::edit::read_task;
use crate::database::{DatabaseWriter, StoredFile, TaskDirectory, TaskScope, is_named_after};
use crate::document::{FrontMatter, TaskBody, TaskDocument};
use crate::id::names_id;
use crate::words::join_with_and;

/// The report of a fix.
#[derive(Debug, Default)]
pub struct FixReport {
    /// Each change, in a line.
    pub changes: Vec<String>,
    /// References and texts for the user to review, a line each. They are unchanged.
    pub mentions: Vec<String>,
    /// Problems that could not be fixed.
    pub problems: Vec<DatabaseProblem>,
    /// An error that ended the fix early.
    pub error: Option<ActionError>,
}

/// Fixes problems that have one solution.
///
/// A merge conflict in nothing but `updatedAt` gets the newer time. Of tasks with the same id the
/// oldest keeps it, and the others get new ones. Unambiguous references to them are updated; the
/// others are listed.
pub fn fix(writer: &mut DatabaseWriter, now: Timestamp) -> FixReport {
    let mut fixed = FixReport::default();
    fixed.error = run_fix(writer, now, &mut fixed).err();
    fixed
}

fn run_fix(
    writer: &mut DatabaseWriter,
    now: Timestamp,
    fixed: &mut FixReport,
) -> Result<(), ActionError> {
    fixed.changes.extend(writer.settle_config()?);
    conflicts::settle_all(writer, &mut fixed.changes)?;
    let mut files = writer.database().documents(TaskScope::All)?.tasks;
    remove_second_names(writer, &mut files, &mut fixed.changes)?;
    let mut renumbering = Renumbering::plan(writer, &files, now)?;
    fixed.problems.append(&mut renumbering.problems);
    renumbering.apply(writer, &mut files, &mut fixed.changes)?;
    fixed.mentions = renumbering.unclear(&files);
    fixed.mentions.extend(find_mentions(&files, &renumbering)?);
    Ok(())
}

/// Removes the older name of such a file. Copies stay.
pub(crate) fn remove_second_names(
    writer: &mut DatabaseWriter,
    files: &mut Vec<StoredFile<TaskDocument>>,
    report: &mut Vec<String>,
) -> Result<(), ActionError> {
    let mut known: HashMap<(u64, u64), usize> = HashMap::new();
    let mut removed = Vec::new();
    for at in 0..files.len() {
        let metadata = fs::symlink_metadata(writer.database().path_of(&files[at]));
        let Ok(identity) = metadata.map(|metadata| (metadata.dev(), metadata.ino())) else {
            continue;
        };
        let Some(other) = known.insert(identity, at) else { continue };
        let is_worse = rank(&files[at]) > rank(&files[other]);
        let (worse, better) = if is_worse { (at, other) } else { (other, at) };
        known.insert(identity, better);
        writer.remove(&files[worse])?;
        let (gone, kept) = (files[worse].path(), files[better].path());
        report.push(format!("{gone}: removed, as it is the same file as {kept}"));
        removed.push(worse);
    }
    let mut at = 0;
    files.retain(|_| {
        at += 1;
        !removed.contains(&(at - 1))
    });
    Ok(())
}

/// The lowest rank is most likely the new name. More tasks are archived than unarchived.
fn rank(file: &StoredFile<TaskDocument>) -> (bool, bool, bool) {
    let front = file.content.front().ok();
    let is = |it: fn(&str, &FrontMatter) -> bool| {
        front.as_ref().is_some_and(|front| it(&file.file, front))
    };
    (
        file.directory != TaskDirectory::Archive,
        !is(|name, front| is_named_after(name, &front.id)),
        !is(is_titled_after),
    )
}

/// Whether a file is named after the title of its task, apart from characters that file names lack.
fn is_titled_after(name: &str, front: &FrontMatter) -> bool {
    let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let name = name.strip_suffix(".md").unwrap_or(name);
    let title = name.split_once(" - ").map_or("", |(_, title)| title);
    let title = letters(title);
    !title.is_empty() && letters(&front.title).starts_with(&title)
}

/// A line for each task whose texts name an id that moved. The files are those after the
/// renumbering, so that the lines have their new names.
pub(crate) fn find_mentions(
    files: &[StoredFile<TaskDocument>],
    renumbering: &Renumbering,
) -> Result<Vec<String>, ActionError> {
    let mut found = Vec::new();
    for file in files {
        let task = read_task(file)?;
        for (was, old, at) in renumbering.moves() {
            let sections = sections(&task.content.body, old.as_str());
            if !sections.is_empty() {
                let (path, new, sections) =
                    (file.path(), files[at].path(), join_with_and(&sections));
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
