//! Tasks to show in tests.

use jiff::Timestamp;

use crate::TaskId;
use crate::database::{StoredFile, TaskDirectory};
use crate::document::{Criterion, FrontMatter, Task, TaskBody};

/// The moment at which everything is shown.
pub(crate) fn now() -> Timestamp {
    moment("2026-11-15T12:00:00Z")
}

/// A moment.
pub(crate) fn moment(text: &str) -> Timestamp {
    text.parse().expect("it is a moment")
}

/// An id.
pub(crate) fn id(text: &str) -> TaskId {
    TaskId::parse(text).expect("it is an id")
}

/// The front matter of a task that has only just been created.
pub(crate) fn front(name: &str, title: &str) -> FrontMatter {
    FrontMatter {
        id: id(name),
        title: title.to_owned(),
        status: crate::TaskStatus::ToDo,
        priority: None,
        assignee: None,
        labels: Vec::new(),
        dependencies: Vec::new(),
        parent: None,
        due_date: None,
        created_at: Some("2026-11-15T10:00:00.000Z".to_owned()),
        updated_at: Some("2026-11-15T11:30:00.000Z".to_owned()),
        landing: None,
        lease: None,
        warnings: Vec::new(),
    }
}

/// A task with nothing but front matter.
pub(crate) fn task(front: FrontMatter) -> Task {
    let raw = format!("---\nid: {}\n---\n", front.id);
    Task { front, body: TaskBody::default(), raw }
}

/// The same as it was read.
pub(crate) fn stored<T>(file: &str, content: T) -> StoredFile<T> {
    StoredFile { directory: TaskDirectory::Tasks, file: file.to_owned(), content }
}

/// Words as a list.
pub(crate) fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// A task in which everything is filled.
pub(crate) fn full() -> Task {
    let mut front = front("TASK-003", "Write the parser");
    front.status = crate::TaskStatus::InProgress;
    front.priority = Some(crate::Priority::High);
    front.assignee = Some("builder".to_owned());
    front.labels = words(&["core", "parser"]);
    front.dependencies = words(&["TASK-001", "TASK-002"]);
    front.parent = Some("TASK-000".to_owned());
    front.due_date = Some("2026-12-31".to_owned());
    let criterion =
        |index, text: &str, checked| Criterion { index, text: text.to_owned(), checked };
    let body = TaskBody {
        description: Some("Reads front matter.\nNever panics.".to_owned()),
        plan: Some("1. Split\n2. Read".to_owned()),
        notes: Some("Uses `C:\\new` paths.".to_owned()),
        criteria: vec![
            criterion(1, "Reads CRLF", true),
            criterion(2, "Keeps every byte\nof unknown keys", false),
        ],
    };
    Task { body, ..task(front) }
}
