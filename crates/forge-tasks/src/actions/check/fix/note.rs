//! The note that a task is about to get another id.

use crate::TaskId;
use crate::document::{Document, FrontEdit, Key, Value};

/// The id that a task is about to get. Nobody but us writes it, so it is read as we write it.
pub(in super::super) fn planned(document: &Document) -> Option<TaskId> {
    let front = document.text().lines().skip(1).take_while(|line| line.trim_end() != "---");
    let mut values = front.filter_map(|line| {
        let value = line.strip_prefix(Key::RenumberTo.name())?.trim_start().strip_prefix(':')?;
        TaskId::parse(value.trim().trim_matches(['"', '\''])).ok()
    });
    values.next()
}

/// Writes the note.
pub(super) fn written(id: &TaskId) -> FrontEdit {
    FrontEdit { key: Key::RenumberTo, value: Some(Value::Text(id.to_string())) }
}

/// Removes the note.
pub(super) fn removed() -> FrontEdit {
    FrontEdit { key: Key::RenumberTo, value: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(front: &str) -> Document {
        let text = format!("---\nid: TASK-1\ntitle: T\n{front}---\nrenumberTo: TASK-9\n");
        Document::from_bytes(text.into_bytes()).expect("it is a task")
    }

    #[test]
    fn a_note_is_written_read_and_removed() {
        let plain = document("status: todo\ncreatedAt: \"now\"\n");
        assert_eq!(planned(&plain), None);
        let id = TaskId::parse("TASK-012").expect("it is an id");
        let noted = plain.edited(&[written(&id)], &[]).expect("it can be edited");
        assert_eq!(planned(&noted).as_ref().map(TaskId::as_str), Some("TASK-012"));
        assert_eq!(noted.edited(&[removed()], &[]).expect("it can be edited"), plain);
    }

    #[test]
    fn a_note_is_read_however_an_editor_left_it() {
        for front in
            ["renumberTo: TASK-7\r\n", "renumberTo : \"TASK-7\"\n", "renumberTo:  'TASK-7' \n"]
        {
            let found = planned(&document(front));
            assert_eq!(found.as_ref().map(TaskId::as_str), Some("TASK-7"), "{front:?}");
        }
        assert_eq!(planned(&document("renumberTo: soon\nx: renumberTo\n")), None);
    }
}
