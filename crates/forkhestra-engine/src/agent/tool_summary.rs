//! Summarises tool calls by their input.

use std::borrow::Cow;

use serde::Deserialize;

use super::json::bounded_json::BoundedList;
use super::json::lenient_json::{Lenient, LenientString, object};
use super::one_line::{BRIEF, one_line, shortened};

/// The most informative line of an input: a command, a path or a pattern, or else the input itself.
pub(super) fn tool_summary(input: &str) -> String {
    let telling = object::<ToolArguments<'_>>(input).and_then(ToolArguments::telling);
    telling.unwrap_or_else(|| match input.trim() {
        "{}" | "null" => String::new(),
        other => shortened(one_line(other), BRIEF),
    })
}

/// The first line that is not blank.
pub(super) fn first_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(shortened(one_line(line), BRIEF))
}

/// The fields that describe a tool call, the most informative first. The names differ between
/// agents.
#[derive(Deserialize)]
struct ToolArguments<'a> {
    #[serde(borrow, default)]
    command: ToolCommand<'a>,
    #[serde(borrow, default)]
    cmd: ToolCommand<'a>,
    #[serde(borrow, default)]
    file_path: LenientString<'a>,
    #[serde(borrow, default, rename = "filePath")]
    file_path_in_camel_case: LenientString<'a>,
    #[serde(borrow, default)]
    absolute_path: LenientString<'a>,
    #[serde(borrow, default)]
    notebook_path: LenientString<'a>,
    #[serde(borrow, default)]
    pattern: LenientString<'a>,
    #[serde(borrow, default)]
    query: LenientString<'a>,
    #[serde(borrow, default)]
    url: LenientString<'a>,
    #[serde(borrow, default)]
    path: LenientString<'a>,
    #[serde(borrow, default)]
    dir_path: LenientString<'a>,
    #[serde(borrow, default)]
    skill: LenientString<'a>,
    #[serde(borrow, default)]
    todos: Lenient<BoundedList<ToolTodo<'a>>>,
    #[serde(borrow, default)]
    description: LenientString<'a>,
    #[serde(borrow, default)]
    prompt: LenientString<'a>,
}

impl ToolArguments<'_> {
    fn telling(self) -> Option<String> {
        let todo = self.todos.0.and_then(at_hand);
        [
            self.command.0,
            self.cmd.0,
            self.file_path.0,
            self.file_path_in_camel_case.0,
            self.absolute_path.0,
            self.notebook_path.0,
            self.pattern.0,
            self.query.0,
            self.url.0,
            self.path.0,
            self.dir_path.0,
            self.skill.0,
            todo,
            self.description.0,
            self.prompt.0,
        ]
        .into_iter()
        .flatten()
        .find_map(|text| first_line(&text))
    }
}

/// A command as a text or a list of words.
#[derive(Default)]
struct ToolCommand<'a>(Option<Cow<'a, str>>);

impl<'de: 'a, 'a> Deserialize<'de> for ToolCommand<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&'de serde_json::value::RawValue>::deserialize(deserializer)?;
        if let Some(LenientString(Some(text))) = super::json::lenient_json::read(raw) {
            return Ok(Self(Some(text)));
        }
        let words: Option<BoundedList<Cow<'_, str>>> = super::json::lenient_json::read(raw);
        Ok(Self(words.map(|BoundedList(words)| Cow::Owned(words.join(" ")))))
    }
}

#[derive(Deserialize)]
struct ToolTodo<'a> {
    #[serde(borrow, default)]
    content: LenientString<'a>,
    #[serde(borrow, default)]
    description: LenientString<'a>,
    #[serde(borrow, default)]
    status: LenientString<'a>,
}

/// The todo in progress, or else the first one.
fn at_hand(BoundedList(todos): BoundedList<ToolTodo<'_>>) -> Option<Cow<'_, str>> {
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
    fn people_see_what_a_tool_is_to_do() {
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
    fn a_brief_is_short() {
        let long = format!(r#"{{"command":"{}"}}"#, "é".repeat(1000));
        assert_eq!(tool_summary(&long).chars().count(), 200);
    }
}
