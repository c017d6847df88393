//! Summarises tool calls by their input.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::json::{BoundedList, BoundedMap, LenientString, object, read};
use super::one_line::{MAX_SUMMARY_CHARS, one_line, shortened};

/// The most informative line of an input: a command, a path or a pattern, or else the input itself.
pub(super) fn tool_summary(input: &str) -> String {
    let arguments: BoundedMap<&RawValue> = object(input).unwrap_or_default();
    let main_argument = MAIN_ARGUMENTS.iter().filter_map(|name| arguments.0.get(*name));
    let mut main_argument = main_argument.filter_map(|raw| first_line(&argument_text(raw)?));
    main_argument.next().unwrap_or_else(|| match input.trim() {
        "{}" | "null" => String::new(),
        other => shortened(one_line(other), MAX_SUMMARY_CHARS),
    })
}

/// The first line that is not blank.
pub(super) fn first_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(shortened(one_line(line), MAX_SUMMARY_CHARS))
}

/// The arguments that describe a tool call, the most informative first. The names differ between
/// agents.
const MAIN_ARGUMENTS: [&str; 15] = [
    "command",
    "cmd",
    "file_path",
    "filePath",
    "absolute_path",
    "notebook_path",
    "pattern",
    "query",
    "url",
    "path",
    "dir_path",
    "skill",
    "todos",
    "description",
    "prompt",
];

/// The text of an argument: a text, a list of words, or a list of todos.
fn argument_text(raw: &RawValue) -> Option<Cow<'_, str>> {
    if let Some(LenientString(Some(text))) = read(raw) {
        return Some(text);
    }
    if let Some(BoundedList(words)) = read::<BoundedList<Cow<'_, str>>>(raw) {
        return Some(Cow::Owned(words.join(" ")));
    }
    read(raw).and_then(current_todo)
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct ToolTodo<'a> {
    content: LenientString<'a>,
    description: LenientString<'a>,
    status: LenientString<'a>,
}

/// The todo in progress, or else the first one.
fn current_todo(BoundedList(todos): BoundedList<ToolTodo<'_>>) -> Option<Cow<'_, str>> {
    let at = todos.iter().position(|todo| todo.status.is("in_progress")).unwrap_or(0);
    let todo = todos.into_iter().nth(at)?;
    todo.content.0.or(todo.description.0)
}

/// The output of a failed command, preceded by its exit code in the format of Claude Code.
pub(super) fn with_exit_code(code: Option<i64>, text: Cow<'_, str>) -> Cow<'_, str> {
    match code {
        None => text,
        Some(code) if text.is_empty() => Cow::Owned(format!("Exit code {code}")),
        Some(code) => Cow::Owned(format!("Exit code {code}\n{text}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_summary_shows_its_main_argument() {
        for (input, expected) in [
            (r#"{"command":"cargo test","description":"run tests"}"#, "cargo test"),
            (r#"{"command":"\n  set -e\ncargo test\n"}"#, "set -e"),
            (r#"{"command":["bash","-lc","ls"]}"#, "bash -lc ls"),
            (r#"{"cmd":"ls"}"#, "ls"),
            (r#"{"file_path":"src/a.rs","content":"x"}"#, "src/a.rs"),
            (r#"{"content":"x","filePath":"src/a.rs"}"#, "src/a.rs"),
            (r#"{"pattern":"fn main","path":"src"}"#, "fn main"),
            (r#"{"path":"src"}"#, "src"),
            (r#"{"url":"https://example.org","prompt":"sum up"}"#, "https://example.org"),
            (r#"{"query":"rust"}"#, "rust"),
            (r#"{"description":"Look around","prompt":"Please…"}"#, "Look around"),
            (
                r#"{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"in_progress"}]}"#,
                "b",
            ),
            (r#"{"todos":[{"description":"a","status":"pending"}]}"#, "a"),
            (r#"{"command":7,"query":"rust"}"#, "rust"),
            (r#"{"done":true,"note":"ok"}"#, r#"{"done":true,"note":"ok"}"#),
            ("{}", ""),
            ("null", ""),
            ("[1, 2]", "[1, 2]"),
        ] {
            assert_eq!(tool_summary(input), expected, "{input}");
        }
    }

    #[test]
    fn a_summary_is_short() {
        let long = format!(r#"{{"command":"{}"}}"#, "é".repeat(1000));
        assert_eq!(tool_summary(&long).chars().count(), 200);
    }
}
