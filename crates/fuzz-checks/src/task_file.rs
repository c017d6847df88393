//! The file of a task.

use forge_tasks::Status;
use forge_tasks::document::front::{self, Portion};
use forge_tasks::document::{Body, BodyEdit, Front, FrontEdit, Key, Section, TaskDocument, Value};

/// Any bytes are a task or are refused; and an edit of a task changes what it names, and nothing
/// else.
pub fn task_file(data: &[u8]) {
    let Ok(document) = TaskDocument::from_bytes(data.to_vec()) else {
        return;
    };
    assert_eq!(document.text().as_bytes(), data);
    assert_eq!(document.edited(&[], &[]).as_ref(), Ok(&document));
    starts_tell_the_same(data, &document);
    let edits = [
        edit(Key::Status, Value::Text("Done".to_owned())),
        edit(Key::Labels, Value::List(vec!["a".to_owned(), "x: y".to_owned()])),
        FrontEdit { key: Key::Assignee, value: None },
    ];
    for edit in &edits {
        front_is_edited(&document, edit);
    }
    body_is_edited(&document);
}

fn edit(key: Key, value: Value) -> FrontEdit {
    FrontEdit { key, value: Some(value) }
}

/// However much of a file is read, its front matter says the same, or is not there yet.
fn starts_tell_the_same(data: &[u8], document: &TaskDocument) {
    let whole = document.front();
    assert_eq!(Front::read_start(data, Portion::WholeFile), whole.clone().map(Some));
    let half = &data[..data.len() / 2];
    match Front::read_start(half, Portion::FirstBytes) {
        Ok(None) => {}
        front => assert_eq!(front, whole.map(Some)),
    }
}

fn front_is_edited(document: &TaskDocument, edit: &FrontEdit) {
    let edits = std::slice::from_ref(edit);
    let Ok(edited) = document.edited(edits, &[]) else {
        return;
    };
    assert_eq!(body_text(&edited), body_text(document));
    assert_eq!(edited.edited(edits, &[]).as_ref(), Ok(&edited));
    assert_eq!(TaskDocument::from_bytes(edited.text().into()).as_ref(), Ok(&edited));
    match (document.front(), edited.front()) {
        (Ok(before), Ok(after)) => {
            assert!(has(&after, edit), "{edit:?} came to {after:?}");
            assert_eq!(without(after, edit.key), without(before, edit.key));
        }
        (before, after) => assert_eq!(before, after),
    }
}

fn body_text(document: &TaskDocument) -> &str {
    let parts = front::split(document.text()).expect("a document has front matter");
    &document.text()[parts.body..]
}

fn has(front: &Front, edit: &FrontEdit) -> bool {
    match edit.key {
        Key::Status => front.status == Status::Done,
        Key::Labels => front.labels == ["a", "x: y"],
        _ => front.assignee.is_none(),
    }
}

/// What must not change.
fn without(front: Front, key: Key) -> Front {
    let mut front = Front { oddities: Vec::new(), ..front };
    match key {
        Key::Status => front.status = Status::ToDo,
        Key::Labels => front.labels = Vec::new(),
        _ => front.assignee = None,
    }
    front
}

fn body_is_edited(document: &TaskDocument) {
    let notes = "It is done.\n\n## Description\n";
    let Ok(edited) = document.edited(&[], &[BodyEdit::Set(Section::Notes, notes.to_owned())])
    else {
        return;
    };
    assert_eq!(edited.front(), document.front());
    let (before, after) = (document.body(), edited.body());
    assert_eq!(Body { notes: None, ..after }, Body { notes: None, ..before });
}
