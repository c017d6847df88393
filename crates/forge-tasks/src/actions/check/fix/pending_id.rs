//! The key `renumberTo`: the id that a task is about to get.

use crate::TaskId;
use crate::document::{FrontEdit, FrontKey, FrontValue, TaskDocument};

/// Reads the id that a task is about to get. Only this program writes it, as one line.
pub(in super::super) fn read(document: &TaskDocument) -> Option<TaskId> {
    let front = document.text().lines().skip(1).take_while(|line| line.trim_end() != "---");
    let mut values = front.filter_map(|line| {
        let value =
            line.strip_prefix(FrontKey::RenumberTo.name())?.trim_start().strip_prefix(':')?;
        TaskId::parse(value.trim().trim_matches(['"', '\''])).ok()
    });
    values.next()
}

/// The edit that sets it.
pub(super) fn set(id: &TaskId) -> FrontEdit {
    FrontEdit { key: FrontKey::RenumberTo, value: Some(FrontValue::Text(id.to_string())) }
}

/// The edit that removes it.
pub(super) fn remove() -> FrontEdit {
    FrontEdit { key: FrontKey::RenumberTo, value: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(front: &str) -> TaskDocument {
        let text = format!("---\nid: TASK-1\ntitle: T\n{front}---\nrenumberTo: TASK-9\n");
        TaskDocument::from_bytes(text.into_bytes()).expect("it is a task")
    }

    #[test]
    fn a_pending_id_is_set_read_and_removed() {
        let plain = document("status: todo\ncreatedAt: \"now\"\n");
        assert_eq!(read(&plain), None);
        let id = TaskId::parse("TASK-012").expect("it is an id");
        let noted = plain.edited(&[set(&id)], &[]).expect("it can be edited");
        assert_eq!(read(&noted).as_ref().map(TaskId::as_str), Some("TASK-012"));
        assert_eq!(noted.edited(&[remove()], &[]).expect("it can be edited"), plain);
    }

    #[test]
    fn a_pending_id_is_read_in_every_notation() {
        for front in
            ["renumberTo: TASK-7\r\n", "renumberTo : \"TASK-7\"\n", "renumberTo:  'TASK-7' \n"]
        {
            let found = read(&document(front));
            assert_eq!(found.as_ref().map(TaskId::as_str), Some("TASK-7"), "{front:?}");
        }
        assert_eq!(read(&document("renumberTo: soon\nx: renumberTo\n")), None);
    }
}
