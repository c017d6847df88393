//! One file with two names.
//!
//! Where a file system cannot rename without replacing, a file gets its new name before it loses
//! the old one. A process that is killed in between leaves both.

use std::fs;
use std::os::unix::fs::MetadataExt;

use super::ActionError;
use crate::TaskId;
use crate::database::{DatabaseWriter, StoredFile, TaskDirectory, is_named_after};
use crate::document::{FrontMatter, TaskDocument};

/// Removes the older name of such a file. Copies stay.
pub(super) fn remove_second_names(
    writer: &mut DatabaseWriter,
    files: &mut Vec<StoredFile<TaskDocument>>,
    report: &mut Vec<String>,
) -> Result<(), ActionError> {
    let mut place = 0;
    while place + 1 < files.len() {
        let Some(other) = same_file(writer, files, place) else {
            place += 1;
            continue;
        };
        let is_worse = rank(&files[place]) > rank(&files[other]);
        let (worse, better) = if is_worse { (place, other) } else { (other, place) };
        writer.remove(&files[worse])?;
        let (gone, kept) = (files[worse].path(), files[better].path());
        report.push(format!("{gone}: removed, as it is the same file as {kept}"));
        files.remove(worse);
    }
    Ok(())
}

/// A later name of the same file. They have the same id, so they are side by side.
fn same_file(
    writer: &DatabaseWriter,
    files: &[StoredFile<TaskDocument>],
    place: usize,
) -> Option<usize> {
    let id = id_of(&files[place])?;
    let identity = |file: &StoredFile<TaskDocument>| {
        let metadata = fs::symlink_metadata(writer.database().path_of(file)).ok()?;
        Some((metadata.dev(), metadata.ino()))
    };
    let mut later =
        (place + 1..files.len()).take_while(|at| id_of(&files[*at]).as_ref() == Some(&id));
    later.find(|at| {
        let (one, other) = (&files[place], &files[*at]);
        one.content == other.content
            && identity(one).is_some_and(|one| identity(other) == Some(one))
    })
}

fn id_of(file: &StoredFile<TaskDocument>) -> Option<TaskId> {
    file.content.front().ok().map(|front| front.id)
}

/// The lowest rank is most likely the new name. More tasks are archived than unarchived.
fn rank(file: &StoredFile<TaskDocument>) -> (bool, bool, bool) {
    let front = file.content.front().ok();
    let is = |it: fn(&str, &FrontMatter) -> bool| {
        front.as_ref().is_some_and(|front| it(&file.file, front))
    };
    (
        file.shelf != TaskDirectory::Archive,
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
