//! Writing new front matter.

use super::text::{self, Place, Quoting, When};
use super::{Key, Value};

/// Writes the front matter of a new file, one key a line.
pub fn render(values: &[(Key, Value)]) -> String {
    let mut out = String::new();
    for (key, value) in values {
        push_entry(&mut out, *key, value);
        out.push('\n');
    }
    out
}

/// Writes a key and its value, without the end of the line.
pub(super) fn push_entry(out: &mut String, key: Key, value: &Value) {
    out.push_str(key.name());
    out.push_str(": ");
    push_value(out, value, Quoting::USUAL);
}

/// Writes a value on one line.
pub(super) fn push_value(out: &mut String, value: &Value, quoting: Quoting) {
    match value {
        Value::Text(text) => text::push(out, text, Place::Line, quoting),
        Value::Quoted(text) => {
            text::push(out, text, Place::Line, Quoting { when: When::Always, ..quoting });
        }
        Value::List(items) => push_list(out, items),
    }
}

fn push_list(out: &mut String, items: &[String]) {
    out.push('[');
    for (at, item) in items.iter().filter(|item| !item.is_empty()).enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        text::push(out, item, Place::Brackets, Quoting::USUAL);
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_front_matter_has_a_line_for_each_key() {
        let text = |text: &str| Value::Text(text.to_owned());
        let list = |items: &[&str]| Value::List(items.iter().map(ToString::to_string).collect());
        let values = [
            (Key::Id, text("TASK-001")),
            (Key::Title, text("Fix: the login")),
            (Key::Status, text("To Do")),
            (Key::Assignee, text("")),
            (Key::Labels, list(&["bug", "", "area:ui", "a, b"])),
            (Key::Dependencies, list(&[])),
            (Key::DueDate, text("2026-12-31")),
            (Key::CreatedAt, Value::Quoted("now".to_owned())),
        ];
        assert_eq!(
            render(&values),
            "id: TASK-001\ntitle: \"Fix: the login\"\nstatus: To Do\nassignee: \"\"\n\
             labels: [bug, \"area:ui\", \"a, b\"]\ndependencies: []\n\
             dueDate: \"2026-12-31\"\ncreatedAt: \"now\"\n"
        );
    }
}
