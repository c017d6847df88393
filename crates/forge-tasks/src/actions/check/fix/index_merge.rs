//! Merging field by field what git merged line by line, from the versions in its index.

use std::fs;

use super::FixReport;
use crate::actions::ActionError;
use crate::database::{CONFIG, DatabaseWriter};
use crate::git::UnmergedFile;
use crate::merge::{FileVersions, merge_file};
use crate::merge_conflict::{self, is_marker};
use crate::words::join_with_and;

/// Merges the files of a merge that is not committed yet. A file that the user has begun to edit
/// stays as it is.
pub(super) fn merge_from_index(
    writer: &mut DatabaseWriter,
    fixed: &mut FixReport,
) -> Result<(), ActionError> {
    for file in UnmergedFile::all_of(writer.database().path()) {
        let path = &file.path;
        let (Some(ours), Some(theirs)) = (&file.ours, &file.theirs) else {
            let (one, other) = if file.ours.is_none() { ("us", "them") } else { ("them", "us") };
            fixed.mentions.push(format!(
                "{path} was deleted by {one} and changed by {other}; `git add` keeps it, `git rm` \
                 deletes it"
            ));
            continue;
        };
        let place = writer.database().path().join(path);
        let is_file = fs::symlink_metadata(&place).is_ok_and(|metadata| metadata.is_file());
        let Some(now) = fs::read(&place).ok().filter(|_| is_file) else { continue };
        let base = file.base.as_deref().unwrap_or_default();
        let versions = FileVersions { base, ours, theirs };
        if !is_left_by_git(&now, &versions) {
            continue;
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let merged = merge_file(name, &versions);
        if merged.content == now || merged.conflicts.iter().any(|conflict| conflict == "text") {
            continue;
        }
        let text = String::from_utf8_lossy(&merged.content);
        if path == CONFIG {
            writer.replace_config(&text)?;
        } else {
            writer.replace_content(path, &now, &merged.content)?;
        }
        let left = match merged.conflicts.as_slice() {
            [] => String::new(),
            fields => format!(", but both sides changed {}", join_with_and(fields)),
        };
        fixed.changes.push(format!("{path}: merged field by field{left}"));
    }
    Ok(())
}

/// Whether a file is as a merge of lines left it: it has conflicts, no line of the user's own, and
/// no line is missing that only one side has.
fn is_left_by_git(now: &[u8], versions: &FileVersions<'_>) -> bool {
    let FileVersions { base, ours, theirs } = versions;
    let text = |bytes| str::from_utf8(bytes).ok();
    let (Some(now), Some(base), Some(ours), Some(theirs)) =
        (text(now), text(base), text(ours), text(theirs))
    else {
        return false;
    };
    let has = |text: &str, line: &str| text.lines().any(|other| other == line);
    let is_known =
        |line: &str| is_marker(line) || [base, ours, theirs].iter().any(|side| has(side, line));
    let new = ours.lines().chain(theirs.lines()).filter(|line| !has(base, line));
    merge_conflict::sides(now).is_some()
        && now.lines().all(is_known)
        && new.into_iter().all(|line| has(now, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_that_nobody_has_edited_since_is_as_git_left_it() {
        let versions = FileVersions { base: b"a\nb\n", ours: b"A\nb\n", theirs: b"x\nb\n" };
        let left = |text: &str| is_left_by_git(text.as_bytes(), &versions);
        assert!(left("<<<<<<< HEAD\nA\n=======\nx\n>>>>>>> side\nb\n"));
        assert!(left("<<<<<<< HEAD\nA\n||||||| 12ab\na\n=======\nx\n>>>>>>> side\nb\n"));
        for edited in [
            "A\nb\n",
            "A\nx\nb\n",
            "<<<<<<< HEAD\nA\n=======\nx\n>>>>>>> side\nb\nmine\n",
            "<<<<<<< HEAD\nA\n=======\n>>>>>>> side\nb\n",
        ] {
            assert!(!left(edited), "{edited}");
        }
    }
}
