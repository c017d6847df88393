//! The fix and its report.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;

use jiff::Timestamp;

use crate::actions::ActionError;
use crate::actions::check::fix::file_stages::after_label;
use crate::actions::check::fix::index_merge::merge_from_index;
use crate::actions::check::fix::renumbering::Renumbering;
use crate::actions::check::{DatabaseProblem, conflicts};
use crate::actions::edit::read_task;
use crate::database::{DatabaseWriter, StoredFile, TaskDirectory, TaskScope, is_named_after};
use crate::document::{FrontMatter, Task, TaskBody, TaskDocument};
use crate::id::TaskId;
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
    merge_from_index(writer, fixed)?;
    fixed.changes.extend(writer.resolve_config_conflict()?);
    conflicts::resolve_all(writer, &mut fixed.changes)?;
    let mut files = writer.database().documents(TaskScope::All)?.tasks;
    remove_second_names(writer, &mut files, &mut fixed.changes)?;
    let mut renumbering = Renumbering::plan(writer, &files, now)?;
    fixed.problems.append(&mut renumbering.problems);
    renumbering.apply(writer, &mut files, &mut fixed.changes)?;
    fixed.mentions.extend(renumbering.unclear(&files));
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
            let parts = parts_that_name(&task.content, &file.content, old);
            if !parts.is_empty() {
                let (path, new, parts) = (file.path(), files[at].path(), join_with_and(&parts));
                found.push(format!("{path} still names {old} in its {parts}; {was} is now {new}"));
            }
        }
    }
    Ok(found)
}

/// The parts of a task that name an id. The last one is the text outside the known sections. The
/// task's own label is not counted.
fn parts_that_name(task: &Task, document: &TaskDocument, id: &TaskId) -> Vec<&'static str> {
    let TaskBody { description, plan, notes, criteria } = &task.body;
    let lines = |text: &str| text.lines().filter(|line| id.is_named_in(line)).count();
    let lines_of = |text: &Option<String>| text.as_deref().map_or(0, lines);
    let sections = [
        ("description", lines_of(description)),
        ("criteria", criteria.iter().map(|criterion| lines(&criterion.text)).sum()),
        ("plan", lines_of(plan)),
        ("notes", lines_of(notes)),
    ];
    let unlabelled = |text: &str| after_label(text, &task.front.id).map(str::to_owned);
    let document = document.with_heading(unlabelled);
    let title = unlabelled(&task.front.title);
    let title = title.as_deref().unwrap_or(&task.front.title);
    let in_sections = sections.iter().map(|(_, lines)| lines).sum();
    let others = lines(document.body_text()).saturating_sub(in_sections);
    let parts = [("title", lines(title))].into_iter().chain(sections);
    let parts = parts.chain([("other text", others)]);
    parts.filter(|(_, lines)| *lines > 0).map(|(part, _)| part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_that_names_an_id_is_found() {
        let text = "---\nid: TASK-1\ntitle: Not TASK-2\ndependencies: [TASK-3]\n---\n\n\
                    # About TASK-2\n\n## Description\n\nTASK-2, TASK-3\n\n\
                    ## Implementation Notes\n\nTASK-2\n\n## Links\n\nTASK-4\n";
        let document = TaskDocument::from_bytes(text.into()).expect("it is a task");
        let task = Task::read(&document).expect("it is a task");
        let parts = |id: &str| {
            let id = TaskId::parse(id).expect("it is an id");
            parts_that_name(&task, &document, &id)
        };
        assert_eq!(parts("TASK-2"), ["title", "description", "notes", "other text"]);
        assert_eq!(parts("TASK-3"), ["description"]);
        assert_eq!(parts("TASK-4"), ["other text"]);
        assert_eq!(parts("TASK-1"), [""; 0]);
    }
}
