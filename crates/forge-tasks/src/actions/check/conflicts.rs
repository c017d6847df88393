//! Conflicts that git left in the files of tasks.
//!
//! Every change of a task changes `updatedAt`. So two branches that change the same task always
//! conflict in that line. The newer time settles such a conflict. A person settles every other one.

use std::fs;

use crate::TaskId;
use crate::actions::ActionError;
use crate::actions::check::DatabaseProblem;
use crate::database::{BrokenFile, Database, DatabaseWriter, FileFault, StoredFile, TaskScope};
use crate::document::{BrokenTask, FrontKey, TaskDocument};
use crate::merge::text::OURS;
use crate::merge_conflict::{MergeConflict, MergedPart, parts};
use crate::words::join_with_and;
use crate::written_time::sortable;

/// A text whose conflicts in `updatedAt` are settled.
#[derive(Debug, PartialEq, Eq)]
struct ResolvedText {
    text: String,
    /// Whether there was one.
    has_resolved: bool,
    /// The lines of the conflicts that are left, in the text as it was.
    left: Vec<usize>,
}

/// Settles the conflicts in `updatedAt` in all files.
pub(crate) fn resolve_all(
    writer: &mut DatabaseWriter,
    changes: &mut Vec<String>,
) -> Result<(), ActionError> {
    for file in writer.database().documents(TaskScope::All)?.broken {
        let Some((text, settled)) = read_conflicts(writer.database(), &file) else { continue };
        if settled.has_resolved {
            writer.replace_text(&file, &text, &settled.text)?;
            let path = file.path();
            changes.push(format!("{path}: the conflict in updatedAt, with the newer time"));
        }
    }
    Ok(())
}

/// The problem of a file that is not a task.
pub(crate) fn of_broken_file(database: &Database, file: &BrokenFile) -> DatabaseProblem {
    match read_conflicts(database, file) {
        Some((_, settled)) => problem(file.path(), Vec::new(), &settled),
        None => DatabaseProblem::of_broken_file(file),
    }
}

/// The problem of a task with conflicts after its front matter, or in comments of it.
pub(crate) fn of_document(stored: &StoredFile<TaskDocument>) -> Option<DatabaseProblem> {
    let text = stored.content.text();
    let none = || ResolvedText { text: text.to_owned(), has_resolved: false, left: Vec::new() };
    let mut settled = settle(text).unwrap_or_else(none);
    let front = stored.content.front_text().lines().zip(2..);
    let marked = front.filter(|(line, _)| line.starts_with("# ") && line[2..].starts_with(OURS));
    settled.left.splice(0..0, marked.map(|(_, line)| line));
    let id = stored.content.front().ok()?.id;
    (!settled.left.is_empty()).then(|| problem(stored.path(), vec![id], &settled))
}

fn problem(path: String, ids: Vec<TaskId>, settled: &ResolvedText) -> DatabaseProblem {
    let fix = "`forge-tasks check --fix`";
    let lines: Vec<String> = settled.left.iter().map(ToString::to_string).collect();
    let lines = match lines.len() {
        0 => None,
        1 => Some(format!("in line {}; edit the file", lines[0])),
        _ => Some(format!("in lines {}; edit the file", join_with_and(&lines))),
    };
    let message = match lines {
        None => format!("{path} has a merge conflict in updatedAt; {fix} settles it"),
        Some(lines) if settled.has_resolved => {
            format!("{path} has a merge conflict {lines}, and one in updatedAt; {fix} settles that")
        }
        Some(lines) => format!("{path} has a merge conflict {lines}"),
    };
    DatabaseProblem { kind: "merge-conflict", ids, files: vec![path], message }
}

/// The text of a file with conflicts, and the same settled. None if it is broken in another way.
fn read_conflicts(database: &Database, file: &BrokenFile) -> Option<(String, ResolvedText)> {
    if file.why != FileFault::Content(BrokenTask::Conflict) {
        return None;
    }
    let text = fs::read_to_string(database.path().join(file.path())).ok()?;
    let settled = settle(&text)?;
    Some((text, settled))
}

/// Settles the conflicts that have one solution. Returns `None` if the text has no conflict, or one
/// that does not end.
fn settle(text: &str) -> Option<ResolvedText> {
    let parts = parts(text)?;
    let mut settled = ResolvedText { text: String::new(), has_resolved: false, left: Vec::new() };
    let (mut rules, mut fence) = (0, None);
    for part in &parts {
        match part {
            MergedPart::Common(text) => {
                rules += text.lines().filter(|line| line.trim_end() == "---").count();
                fence = text.lines().fold(fence, after);
                settled.text.push_str(text);
            }
            MergedPart::Conflict(conflict) => {
                let is_in_front = rules < 2;
                let newer = newer(conflict).filter(|_| is_in_front);
                settled.text.push_str(newer.unwrap_or(conflict.whole));
                settled.has_resolved |= newer.is_some();
                if newer.is_none() && fence.is_none() {
                    settled.left.push(conflict.line);
                }
            }
        }
    }
    (settled.has_resolved || !settled.left.is_empty()).then_some(settled)
}

/// The side with the newer `updatedAt`, if the sides differ in nothing else.
fn newer<'a>(conflict: &MergeConflict<'a>) -> Option<&'a str> {
    let (our_time, our_rest) = split(conflict.ours)?;
    let (their_time, their_rest) = split(conflict.theirs)?;
    let is_ours = sortable(our_time) >= sortable(their_time);
    (our_rest == their_rest).then_some(if is_ours { conflict.ours } else { conflict.theirs })
}

/// The time in the line `updatedAt`, and the other lines.
fn split(side: &str) -> Option<(&str, Vec<&str>)> {
    let found = side.lines().find_map(updated_at)?;
    let rest = side.lines().filter(|line| updated_at(line).is_none()).collect();
    Some((found.trim().trim_matches(['"', '\'']), rest))
}

fn updated_at(line: &str) -> Option<&str> {
    line.strip_prefix(FrontKey::UpdatedAt.name())?.strip_prefix(':')
}

/// The fence of the code block that is open after a line. A conflict in a block is an example.
fn after(open: Option<&'static str>, line: &str) -> Option<&'static str> {
    let fence = ["```", "~~~"].into_iter().find(|fence| line.trim_start().starts_with(fence));
    match (open, fence) {
        (None, fence) => fence,
        (Some(open), Some(fence)) if open == fence => None,
        (open, _) => open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn front(conflict: &str) -> String {
        format!("---\nid: TASK-1\ntitle: T\n{conflict}---\n\nText\n")
    }

    fn conflict(ours: &str, theirs: &str) -> String {
        format!("<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> theirs\n")
    }

    #[test]
    fn a_conflict_in_updated_at_is_settled_with_the_newer_time() {
        let (old, new) = (
            "updatedAt: \"2026-11-15T10:00:00.000Z\"\n",
            "updatedAt: \"2026-11-15T12:00+01:00\"\n",
        );
        let label = "labels: [a]\n";
        for (ours, theirs) in [(old, new), (new, old)] {
            for (before, after) in [("", ""), (label, ""), ("", label)] {
                let side = |time: &str| format!("{before}{time}{after}");
                let text = front(&conflict(&side(ours), &side(theirs)));
                let expected =
                    ResolvedText { text: front(&side(new)), has_resolved: true, left: vec![] };
                assert_eq!(settle(&text), Some(expected), "{text}");
            }
        }
    }

    #[test]
    fn other_conflicts_are_left() {
        let time = "updatedAt: 2026-11-15\n";
        for (ours, theirs) in [
            ("status: Done\n", "status: To Do\n"),
            ("status: Done\nupdatedAt: 2026-11-15\n", time),
            (time, ""),
        ] {
            let text = front(&conflict(ours, theirs));
            let expected = ResolvedText { text: text.clone(), has_resolved: false, left: vec![4] };
            assert_eq!(settle(&text), Some(expected), "{text}");
        }
        let body = front("") + &conflict(time, "updatedAt: 2026-11-16\n");
        let expected = ResolvedText { text: body.clone(), has_resolved: false, left: vec![7] };
        assert_eq!(settle(&body), Some(expected), "it is not front matter");
    }

    #[test]
    fn a_text_without_a_conflict_has_none() {
        let example = format!("{}```\n{}```\n", front(""), conflict("a\n", "b\n"));
        for text in [front(""), example, front("<<<<<<< HEAD\nx: 1\n")] {
            assert_eq!(settle(&text), None, "{text}");
        }
    }
}
