//! The texts that a file goes through.

use jiff::Timestamp;

use super::lineage::{Because, means};
use super::note;
use crate::TaskId;
use crate::actions::edit::{text, updated_at};
use crate::document::{Document, EditError, Front, FrontEdit, Key, Value};

/// What is to be done to a file.
#[derive(Debug, Clone, Default)]
pub(super) struct Wishes {
    /// The id that it gets.
    pub(super) id: Option<TaskId>,
    /// The references that change.
    pub(super) references: Vec<Reference>,
}

/// A reference that follows a task to its new id.
#[derive(Debug, Clone)]
pub(super) struct Reference {
    /// As what the task is referred to.
    pub(super) key: Key,
    pub(super) old: TaskId,
    pub(super) new: TaskId,
    pub(super) because: Because,
}

/// The texts that a file goes through, one for each round in which it changes.
#[derive(Debug, Clone)]
pub(super) struct Stages {
    /// With a note of the id that it is to get.
    pub(super) noted: Option<Document>,
    /// With references to ids that are to come.
    pub(super) referring: Option<Document>,
    /// With its new id.
    pub(super) moved: Option<Document>,
    /// Without the note.
    pub(super) finished: Option<Document>,
}

impl Stages {
    /// Makes all texts, or says why one is impossible.
    pub(super) fn new(
        old: &Document,
        front: &Front,
        wishes: &Wishes,
        now: Timestamp,
    ) -> Result<Self, EditError> {
        let id = wishes.id.as_ref();
        let mut last = old.clone();
        let mut stage = |edits: &[FrontEdit]| -> Result<Option<Document>, EditError> {
            let new = last.edited(edits, &[])?;
            if new.text() == last.text() {
                return Ok(None);
            }
            last = new.edited(&[updated_at(now)], &[])?;
            Ok(Some(last.clone()))
        };
        Ok(Self {
            noted: stage(id.map(note::written).as_slice())?,
            referring: stage(&references(front, wishes))?,
            moved: stage(id.map(|id| text(Key::Id, Some(id.as_str()))).as_slice())?,
            finished: stage(id.map(|_| note::removed()).as_slice())?,
        })
    }
}

fn references(front: &Front, wishes: &Wishes) -> Vec<FrontEdit> {
    let mut edits = Vec::new();
    let new = |key: Key, written: &str| {
        let mut changes = wishes.references.iter().filter(|change| change.key == key);
        changes.find(|change| means(written, &change.old)).map(|change| change.new.to_string())
    };
    let parent = front.parent.as_ref().and_then(|written| new(Key::Parent, written));
    edits.extend(parent.map(|parent| text(Key::Parent, Some(&parent))));
    if wishes.references.iter().any(|change| change.key == Key::Dependencies) {
        let written = front.dependencies.iter();
        let all = written.map(|one| new(Key::Dependencies, one).unwrap_or_else(|| one.clone()));
        edits.push(FrontEdit { key: Key::Dependencies, value: Some(Value::List(all.collect())) });
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::testing::now;

    fn id(text: &str) -> TaskId {
        TaskId::parse(text).expect("it is an id")
    }

    fn stages(front: &str, wishes: &Wishes) -> Result<Vec<Option<String>>, EditError> {
        let text = format!("---\nid: TASK-1\ntitle: T\n{front}updatedAt: x\n---\n");
        let old = Document::from_bytes(text.into_bytes()).expect("it is a task");
        let front = old.front().expect("it is a task");
        let Stages { noted, referring, moved, finished } =
            Stages::new(&old, &front, wishes, now())?;
        let lines = |document: Document| {
            let lines = document.text().lines().filter(|line| !line.starts_with("---"));
            let lines = lines.filter(|line| !line.starts_with("title"));
            lines.collect::<Vec<_>>().join("|")
        };
        Ok([noted, referring, moved, finished].map(|stage| stage.map(lines)).into())
    }

    const UPDATED: &str = "updatedAt: \"2026-11-15T12:00:00.000Z\"";

    #[test]
    fn a_file_changes_once_a_round() {
        let changes = [
            (Key::Parent, "TASK-5", "TASK-8"),
            (Key::Dependencies, "TASK-5", "TASK-8"),
            (Key::Dependencies, "TASK-6", "TASK-9"),
        ];
        let because = Because::Time;
        let references =
            changes.map(|(key, old, new)| Reference { key, old: id(old), new: id(new), because });
        let wishes = Wishes { id: Some(id("TASK-7")), references: references.into() };
        let found = stages("dependencies: [task-5, TASK-4, 6]\nparent: 5\n", &wishes);
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
    fn what_was_done_before_is_not_done_again() {
        let wishes = Wishes { id: Some(id("TASK-1")), references: Vec::new() };
        let found = stages("renumberTo: TASK-1\n", &wishes).expect("it can be edited");
        assert_eq!(found, [None, None, None, Some(format!("id: TASK-1|{UPDATED}"))]);
    }

    #[test]
    fn what_cannot_be_edited_is_found_out_at_once() {
        let wishes = Wishes { id: Some(id("TASK-7")), references: Vec::new() };
        assert!(stages("renumberTo: {a: b}\n", &wishes).is_err());
    }
}
