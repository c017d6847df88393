//! Writing new front matter.

use super::text::{self, QuoteWhen, QuotingRule, TextPosition};
use super::{FrontKey, FrontValue};

/// Writes the front matter of a new file, one key a line.
pub fn render(values: &[(FrontKey, FrontValue)]) -> String {
    let mut out = String::new();
    for (key, value) in values {
        push_entry(&mut out, *key, value);
        out.push('\n');
    }
    out
}

/// Writes a key and its value, without the end of the line.
pub(super) fn push_entry(out: &mut String, key: FrontKey, value: &FrontValue) {
    out.push_str(key.name());
    out.push_str(": ");
    push_value(out, value, QuotingRule::USUAL);
}

/// Writes a value on one line.
pub(super) fn push_value(out: &mut String, value: &FrontValue, quoting: QuotingRule) {
    match value {
        FrontValue::Text(text) => text::push(out, text, TextPosition::Line, quoting),
        FrontValue::Quoted(text) => {
            text::push(
                out,
                text,
                TextPosition::Line,
                QuotingRule { when: QuoteWhen::Always, ..quoting },
            );
        }
        FrontValue::List(items) => push_list(out, items),
    }
}

fn push_list(out: &mut String, items: &[String]) {
    out.push('[');
    for (at, item) in items.iter().filter(|item| !item.is_empty()).enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        text::push(out, item, TextPosition::Brackets, QuotingRule::USUAL);
    }
    out.push(']');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_front_matter_has_a_line_for_each_key() {
        let text = |text: &str| FrontValue::Text(text.to_owned());
        let list =
            |items: &[&str]| FrontValue::List(items.iter().map(ToString::to_string).collect());
        let values = [
            (FrontKey::Id, text("TASK-001")),
            (FrontKey::Title, text("Fix: the login")),
            (FrontKey::Status, text("To Do")),
            (FrontKey::Assignee, text("")),
            (FrontKey::Labels, list(&["bug", "", "area:ui", "a, b"])),
            (FrontKey::Dependencies, list(&[])),
            (FrontKey::DueDate, text("2026-12-31")),
            (FrontKey::CreatedAt, FrontValue::Quoted("now".to_owned())),
        ];
        assert_eq!(
            render(&values),
            "id: TASK-001\ntitle: \"Fix: the login\"\nstatus: To Do\nassignee: \"\"\n\
             labels: [bug, \"area:ui\", \"a, b\"]\ndependencies: []\n\
             dueDate: \"2026-12-31\"\ncreatedAt: \"now\"\n"
        );
    }
}
