//! One file with two names.
//!
//! Where a file system cannot rename without replacing, a file gets its new name before it loses
//! the old one. A process that is killed in between leaves both.

use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;

use super::ActionError;
use crate::database::{DatabaseWriter, StoredFile, TaskDirectory, is_named_after};
use crate::document::{FrontMatter, TaskDocument};

/// Removes the older name of such a file. Copies stay.
pub(super) fn remove_second_names(
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
