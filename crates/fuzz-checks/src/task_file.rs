//! Checks the parser and the editor of task files.

use forge_tasks::TaskStatus;
use forge_tasks::document::front::{self, FilePortion};
use forge_tasks::document::{
    BodyEdit, BodySection, FrontEdit, FrontKey, FrontMatter, FrontValue, TaskBody, TaskDocument,
};

/// Any bytes are a task or are rejected. An edit of a task changes only what it names.
pub fn task_file(data: &[u8]) {
    let Ok(document) = TaskDocument::from_bytes(data.to_vec()) else {
        return;
    };
    assert_eq!(document.text().as_bytes(), data);
    assert_eq!(document.edited(&[], &[]).as_ref(), Ok(&document));
    starts_tell_the_same(data, &document);
    let edits = [
        edit(FrontKey::Status, FrontValue::Text("Done".to_owned())),
        edit(FrontKey::Labels, FrontValue::List(vec!["a".to_owned(), "x: y".to_owned()])),
        FrontEdit { key: FrontKey::Assignee, value: None },
    ];
    for edit in &edits {
        front_is_edited(&document, edit);
    }
    body_is_edited(&document);
}

fn edit(key: FrontKey, value: FrontValue) -> FrontEdit {
    FrontEdit { key, value: Some(value) }
}

/// Any prefix of a file yields the same front matter, or none yet.
fn starts_tell_the_same(data: &[u8], document: &TaskDocument) {
    let whole = document.front();
    assert_eq!(FrontMatter::read_start(data, FilePortion::WholeFile), whole.clone().map(Some));
    let half = &data[..data.len() / 2];
    match FrontMatter::read_start(half, FilePortion::FirstBytes) {
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

fn has(front: &FrontMatter, edit: &FrontEdit) -> bool {
    match edit.key {
        FrontKey::Status => front.status == TaskStatus::Done,
        FrontKey::Labels => front.labels == ["a", "x: y"],
        _ => front.assignee.is_none(),
    }
}

/// The front matter without a key, and without warnings.
fn without(front: FrontMatter, key: FrontKey) -> FrontMatter {
    let mut front = FrontMatter { warnings: Vec::new(), ..front };
    match key {
        FrontKey::Status => front.status = TaskStatus::ToDo,
        FrontKey::Labels => front.labels = Vec::new(),
        _ => front.assignee = None,
    }
    front
}

fn body_is_edited(document: &TaskDocument) {
    let notes = "It is done.\n\n## Description\n";
    let Ok(edited) = document.edited(&[], &[BodyEdit::Set(BodySection::Notes, notes.to_owned())])
    else {
        return;
    };
    assert_eq!(edited.front(), document.front());
    let (before, after) = (document.body(), edited.body());
    assert_eq!(TaskBody { notes: None, ..after }, TaskBody { notes: None, ..before });
}
