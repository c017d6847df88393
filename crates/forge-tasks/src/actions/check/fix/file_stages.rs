//! The texts of a file during renumbering, one for each round, and the key `renumberTo`: the id that a
//! task is about to get.

use jiff::Timestamp;

use crate::TaskId;
use crate::actions::edit::{text, updated_at};
use crate::document::{FrontEdit, FrontKey, FrontMatter, FrontValue, TaskDocument, TaskEditError};

/// A change of a file.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileChange {
    pub(crate) id: Option<TaskId>,
    pub(crate) references: Vec<MovedReference>,
}

/// A reference that follows a task to its new id.
#[derive(Debug, Clone)]
pub(crate) struct MovedReference {
    /// `Dependencies` or `Parent`.
    pub(crate) key: FrontKey,
    pub(crate) old: TaskId,
    pub(crate) new: TaskId,
}

/// The text of a file after each round that changes it.
#[derive(Debug, Clone)]
pub(crate) struct FileStages {
    /// With `renumberTo`.
    pub(crate) noted: Option<TaskDocument>,
    /// With references to the new ids.
    pub(crate) referring: Option<TaskDocument>,
    /// With its new id, also where title and main heading have the old one as a label.
    pub(crate) moved: Option<TaskDocument>,
    /// Without `renumberTo`.
    pub(crate) finished: Option<TaskDocument>,
}

impl FileStages {
    /// Makes all texts; fails if the file cannot be edited.
    pub(crate) fn new(
        old: &TaskDocument,
        front: &FrontMatter,
        change: &FileChange,
        now: Timestamp,
    ) -> Result<Self, TaskEditError> {
        let id = change.id.as_ref();
        let mut last = old.clone();
        let mut stage = |edits: &[FrontEdit], heading_id: Option<&TaskId>| {
            let mut new = last.stamped(edits, &[], updated_at(now))?;
            if let Some(id) = heading_id {
                new = new.with_heading(|heading| relabelled(heading, &front.id, id));
            }
            let has_changed = new != last;
            last = new;
            Ok::<_, TaskEditError>(has_changed.then(|| last.clone()))
        };
        Ok(Self {
            noted: stage(id.map(set_pending_id).as_slice(), None)?,
            referring: stage(&references(front, change), None)?,
            moved: stage(&id.map(|id| move_to(front, id)).unwrap_or_default(), id)?,
            finished: stage(id.map(|_| remove_pending_id()).as_slice(), None)?,
        })
    }
}

/// The edits of the front matter that give a task its new id.
fn move_to(front: &FrontMatter, id: &TaskId) -> Vec<FrontEdit> {
    let title = relabelled(&front.title, &front.id, id);
    let title = title.map(|title| text(FrontKey::Title, Some(&title)));
    [text(FrontKey::Id, Some(id.as_str()))].into_iter().chain(title).collect()
}

/// A text with its new label, if the old id is its label. In any other place the id may mean the
/// task that keeps it.
fn relabelled(text: &str, old: &TaskId, new: &TaskId) -> Option<String> {
    after_label(text, old).map(|rest| format!("{new}{rest}"))
}

/// The rest of a text that has an id as its label: `TASK-1: Text`, `TASK-1 - Text` or `TASK-1`.
pub(crate) fn after_label<'a>(text: &'a str, id: &TaskId) -> Option<&'a str> {
    let (label, rest) = text.split_at(text.find([':', ' ']).unwrap_or(text.len()));
    let ends =
        rest.is_empty() || [":", " - ", " – ", " — "].iter().any(|end| rest.starts_with(end));
    (ends && TaskId::parse(label).as_ref() == Ok(id)).then_some(rest)
}

/// Whether a task refers to an id by a key.
pub(crate) fn refers_to(front: &FrontMatter, key: FrontKey, id: &TaskId) -> bool {
    match key {
        FrontKey::Parent => front.parent.as_ref().is_some_and(|written| id.is_meant_by(written)),
        _ => front.dependencies.iter().any(|written| id.is_meant_by(written)),
    }
}

fn references(front: &FrontMatter, change: &FileChange) -> Vec<FrontEdit> {
    let mut edits = Vec::new();
    let new = |key: FrontKey, written: &str| {
        let mut changes = change.references.iter().filter(|reference| reference.key == key);
        changes.find(|it| it.old.is_meant_by(written)).map(|it| it.new.to_string())
    };
    let parent = front.parent.as_ref().and_then(|written| new(FrontKey::Parent, written));
    edits.extend(parent.map(|parent| text(FrontKey::Parent, Some(&parent))));
    if change.references.iter().any(|it| it.key == FrontKey::Dependencies) {
        let mut all: Vec<String> = Vec::new();
        for written in &front.dependencies {
            match new(FrontKey::Dependencies, written) {
                None => all.push(written.clone()),
                Some(new) if all.contains(&new) => {}
                Some(new) => all.push(new),
            }
        }
        edits.push(FrontEdit { key: FrontKey::Dependencies, value: Some(FrontValue::List(all)) });
    }
    edits
}

/// Reads the id that a task is about to get. Only this program writes it, as one line.
pub(crate) fn pending_id(document: &TaskDocument) -> Option<TaskId> {
    let front = document.text().lines().skip(1).take_while(|line| line.trim_end() != "---");
    let mut values = front.filter_map(|line| {
        let value =
            line.strip_prefix(FrontKey::RenumberTo.name())?.trim_start().strip_prefix(':')?;
        TaskId::parse(value.trim().trim_matches(['"', '\''])).ok()
    });
    values.next()
}

/// The edit that sets it.
pub(crate) fn set_pending_id(id: &TaskId) -> FrontEdit {
    FrontEdit { key: FrontKey::RenumberTo, value: Some(FrontValue::Text(id.to_string())) }
}

/// The edit that removes it.
pub(crate) fn remove_pending_id() -> FrontEdit {
    FrontEdit { key: FrontKey::RenumberTo, value: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::testing::now;

    fn id(text: &str) -> TaskId {
        TaskId::parse(text).expect("it is an id")
    }

    fn stages(front: &str, change: &FileChange) -> Result<Vec<Option<String>>, TaskEditError> {
        let text = format!("---\nid: TASK-1\ntitle: T\n{front}updatedAt: x\n---\n");
        let old = TaskDocument::from_bytes(text.into_bytes()).expect("it is a task");
        let front = old.front().expect("it is a task");
        let FileStages { noted, referring, moved, finished } =
            FileStages::new(&old, &front, change, now())?;
        let lines = |document: TaskDocument| {
            let lines = document.text().lines().filter(|line| !line.starts_with("---"));
            let lines = lines.filter(|line| !line.starts_with("title"));
            lines.collect::<Vec<_>>().join("|")
        };
        Ok([noted, referring, moved, finished].map(|stage| stage.map(lines)).into())
    }

    const UPDATED: &str = "updatedAt: \"2026-11-15T12:00:00.000Z\"";

    #[test]
    fn each_stage_has_one_kind_of_change() {
        let changes = [
            (FrontKey::Parent, "TASK-5", "TASK-8"),
            (FrontKey::Dependencies, "TASK-5", "TASK-8"),
            (FrontKey::Dependencies, "TASK-6", "TASK-9"),
        ];
        let references =
            changes.map(|(key, old, new)| MovedReference { key, old: id(old), new: id(new) });
        let change = FileChange { id: Some(id("TASK-7")), references: references.into() };
        let found = stages("dependencies: [task-5, TASK-4, 6]\nparent: 5\n", &change);
        let old = "dependencies: [task-5, TASK-4, 6]|parent: 5";
        let new = "dependencies: [TASK-8, TASK-4, TASK-9]|parent: TASK-8";
        let note = "renumberTo: TASK-7";
        let expected = [
            format!("id: TASK-1|{old}|{note}|{UPDATED}"),
            format!("id: TASK-1|{new}|{note}|{UPDATED}"),
            format!("id: TASK-7|{new}|{note}|{UPDATED}"),
            format!("id: TASK-7|{new}|{UPDATED}"),
        ];
        assert_eq!(found.expect("it can be edited"), expected.map(Some));
    }

    #[test]
    fn a_duplicate_reference_to_a_moved_task_is_written_once() {
        let (old, new) = (id("TASK-5"), id("TASK-8"));
        let references = vec![MovedReference { key: FrontKey::Dependencies, old, new }];
        let change = FileChange { id: None, references };
        let found = stages("dependencies: [TASK-5, 4, task-5, 5, 4]\n", &change);
        let expected = format!("id: TASK-1|dependencies: [TASK-8, 4, 4]|{UPDATED}");
        assert_eq!(found.expect("it can be edited"), [None, Some(expected), None, None]);
    }

    #[test]
    fn an_interrupted_renumbering_gets_only_its_last_stage() {
        let change = FileChange { id: Some(id("TASK-1")), references: Vec::new() };
        let found = stages("renumberTo: TASK-1\n", &change).expect("it can be edited");
        assert_eq!(found, [None, None, None, Some(format!("id: TASK-1|{UPDATED}"))]);
    }

    #[test]
    fn an_uneditable_file_has_no_stages() {
        let change = FileChange { id: Some(id("TASK-7")), references: Vec::new() };
        assert!(stages("renumberTo: {a: b}\n", &change).is_err());
    }
}

#[cfg(test)]
mod pending_id_tests {
    use super::*;

    fn document(front: &str) -> TaskDocument {
        let text = format!("---\nid: TASK-1\ntitle: T\n{front}---\nrenumberTo: TASK-9\n");
        TaskDocument::from_bytes(text.into_bytes()).expect("it is a task")
    }

    #[test]
    fn a_pending_id_is_set_read_and_removed() {
        let plain = document("status: todo\ncreatedAt: \"now\"\n");
        assert_eq!(pending_id(&plain), None);
        let id = TaskId::parse("TASK-012").expect("it is an id");
        let noted = plain.edited(&[set_pending_id(&id)], &[]).expect("it can be edited");
        assert_eq!(pending_id(&noted).as_ref().map(TaskId::as_str), Some("TASK-012"));
        assert_eq!(noted.edited(&[remove_pending_id()], &[]).expect("it can be edited"), plain);
    }

    #[test]
    fn a_pending_id_is_read_in_every_notation() {
        for front in
            ["renumberTo: TASK-7\r\n", "renumberTo : \"TASK-7\"\n", "renumberTo:  'TASK-7' \n"]
        {
            let found = pending_id(&document(front));
            assert_eq!(found.as_ref().map(TaskId::as_str), Some("TASK-7"), "{front:?}");
        }
        assert_eq!(pending_id(&document("renumberTo: soon\nx: renumberTo\n")), None);
    }
}
