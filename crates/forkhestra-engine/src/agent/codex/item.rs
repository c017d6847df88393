//! The items of Codex.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::json::{BoundedList, Lenient, LenientString};
use crate::agent::stream::agent_event::{ToolCall, ToolResult};
use crate::agent::tool_summary::{first_line, tool_summary, with_exit_code};

/// An item of any kind.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct CodexItem<'a> {
    pub(super) id: LenientString<'a>,
    #[serde(rename = "type")]
    pub(super) kind: LenientString<'a>,
    pub(super) text: LenientString<'a>,
    pub(super) message: LenientString<'a>,
    status: LenientString<'a>,
    command: LenientString<'a>,
    aggregated_output: LenientString<'a>,
    exit_code: Lenient<i64>,
    changes: Lenient<BoundedList<CodexFileChange<'a>>>,
    server: LenientString<'a>,
    tool: LenientString<'a>,
    arguments: Option<&'a RawValue>,
    result: Lenient<CodexToolResult<'a>>,
    error: Lenient<CodexFailure<'a>>,
    query: LenientString<'a>,
    items: Lenient<BoundedList<CodexTodo<'a>>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct CodexFileChange<'a> {
    path: LenientString<'a>,
    kind: LenientString<'a>,
}

/// The result of an MCP tool.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct CodexToolResult<'a> {
    content: Lenient<BoundedList<Lenient<CodexResultPart<'a>>>>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct CodexResultPart<'a> {
    text: LenientString<'a>,
}

/// The error of an item or of a turn.
#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
pub(super) struct CodexFailure<'a> {
    pub(super) message: LenientString<'a>,
}

#[derive(Default, Deserialize)]
#[serde(default, bound(deserialize = "'de: 'a"))]
struct CodexTodo<'a> {
    text: LenientString<'a>,
    completed: Lenient<bool>,
}

/// The kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodexItemKind {
    Message,
    Reasoning,
    Tool(&'static str),
    /// An MCP tool.
    ServerTool,
    /// The plan. It stays open until the end.
    Plan,
    /// An error that does not fail the turn.
    Error,
    Unknown,
}

impl<'a> CodexItem<'a> {
    pub(super) fn kind(&self) -> CodexItemKind {
        match self.kind.get().unwrap_or_default() {
            "agent_message" => CodexItemKind::Message,
            "reasoning" => CodexItemKind::Reasoning,
            "command_execution" => CodexItemKind::Tool("shell"),
            "file_change" => CodexItemKind::Tool("apply_patch"),
            "web_search" => CodexItemKind::Tool("web_search"),
            "todo_list" => CodexItemKind::Plan,
            "mcp_tool_call" => CodexItemKind::ServerTool,
            "error" if !self.is_harmless() => CodexItemKind::Error,
            _ => CodexItemKind::Unknown,
        }
    }

    /// Whether it is an irrelevant error: Codex does not know the model and assumes defaults.
    fn is_harmless(&self) -> bool {
        let text = self.message.get().unwrap_or_default();
        text.starts_with("Model metadata for ") && text.contains(" not found")
    }

    /// Whether it was declined for lack of an approval.
    pub(super) fn is_declined(&self) -> bool {
        self.status.is("declined")
    }

    /// Whether it is marked as completed only because the turn is: a command that still runs has no
    /// exit code.
    pub(super) fn is_left_behind(&self) -> bool {
        let is_command = self.kind() == CodexItemKind::Tool("shell");
        let is_over = self.exit_code.0.is_some() || !self.status.is("completed");
        self.status.is("in_progress") || is_command && !is_over
    }

    /// The tool call of the item.
    pub(super) fn call(&self, raw: &'a RawValue) -> ToolCall<'a> {
        let name = match self.kind() {
            CodexItemKind::Tool(name) => Cow::Borrowed(name),
            CodexItemKind::Plan => Cow::Borrowed("update_plan"),
            _ => {
                let (server, tool) = (self.server.get(), self.tool.get());
                Cow::Owned(format!("{}.{}", server.unwrap_or_default(), tool.unwrap_or_default()))
            }
        };
        let input = self.arguments.unwrap_or(raw).get();
        let (id, brief) = (self.id.clone().or_empty(), Cow::Owned(self.brief()));
        ToolCall { id, name, brief, input: input.into() }
    }

    fn brief(&self) -> String {
        if let Some(command) = self.command.get() {
            return first_line(inner_command(command)).unwrap_or_default();
        }
        if let Some(BoundedList(changes)) = &self.changes.0 {
            let change = |change: &CodexFileChange<'_>| {
                let (kind, path) = (change.kind.get(), change.path.get());
                format!("{} {}", kind.unwrap_or("change"), path.unwrap_or_default())
            };
            let all: Vec<String> = changes.iter().map(change).collect();
            return first_line(&all.join(", ")).unwrap_or_default();
        }
        if let Some(BoundedList(todos)) = &self.items.0 {
            let next = todos.iter().find(|todo| !todo.completed.0.unwrap_or(false));
            let next = next.or(todos.last()).and_then(|todo| todo.text.get());
            return next.and_then(first_line).unwrap_or_default();
        }
        if let Some(query) = self.query.get() {
            return first_line(query).unwrap_or_default();
        }
        self.arguments.map(|input| tool_summary(input.get())).unwrap_or_default()
    }

    /// The tool result of the item.
    pub(super) fn result(self) -> ToolResult<'a> {
        let is_error = self.status.is("failed");
        let error_message = self.error.0.and_then(|error| error.message.0);
        let BoundedList(parts) =
            self.result.0.and_then(|answer| answer.content.0).unwrap_or_default();
        let texts: Vec<Cow<'a, str>> =
            parts.into_iter().filter_map(|part| part.0?.text.0).collect();
        let text = match self.aggregated_output.0.or(error_message) {
            Some(text) => text,
            None => Cow::Owned(texts.join("\n")),
        };
        let code = self.exit_code.0.filter(|_| is_error);
        ToolResult { id: self.id.or_empty(), text: with_exit_code(code, text), is_error }
    }
}

/// The command inside a shell call: Codex reports the whole call.
fn inner_command(command: &str) -> &str {
    // With a login shell, and without.
    let called = command.split_once(" -lc ").or_else(|| command.split_once(" -c "));
    let Some((shell, rest)) = called else { return command };
    if shell.contains(char::is_whitespace) || !shell.ends_with("sh") {
        return command;
    }
    let unquoted = |quote| rest.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
    unquoted('\'').or_else(|| unquoted('"')).unwrap_or(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_shows_the_command_without_the_shell() {
        for (command, shown) in [
            ("/bin/bash -lc 'echo hi > a'", "echo hi > a"),
            ("bash -lc \"cargo test\"", "cargo test"),
            ("zsh -lc ls", "ls"),
            ("/bin/bash -c 'git -c a=b log'", "git -c a=b log"),
            ("git -c a=b log", "git -c a=b log"),
            ("ls -lc 'x'", "ls -lc 'x'"),
            ("echo a -lc b", "echo a -lc b"),
        ] {
            assert_eq!(inner_command(command), shown);
        }
    }

    #[test]
    fn a_harmless_error_is_ignored() {
        for (message, kind) in [
            ("Model metadata for `gpt-5` not found. Defaulting.", CodexItemKind::Unknown),
            ("Model metadata is old", CodexItemKind::Error),
            ("file not found", CodexItemKind::Error),
            ("", CodexItemKind::Error),
        ] {
            let text = format!(r#"{{"type":"error","message":"{message}"}}"#);
            let item: CodexItem<'_> = serde_json::from_str(&text).expect("an item");
            assert_eq!(item.kind(), kind, "{message}");
        }
    }

    #[test]
    fn every_tool_says_what_it_is_to_do() {
        for (item, name, brief) in [
            (
                r#"{"type":"file_change","changes":[{"path":"/a","kind":"add"},{"path":"/b","kind":"update"}]}"#,
                "apply_patch",
                "add /a, update /b",
            ),
            (
                r#"{"type":"mcp_tool_call","server":"echo","tool":"ping","arguments":{"query":"x"}}"#,
                "echo.ping",
                "x",
            ),
            (r#"{"type":"web_search","query":"rust"}"#, "web_search", "rust"),
            (
                r#"{"type":"todo_list","items":[{"text":"a","completed":true},{"text":"b","completed":false}]}"#,
                "update_plan",
                "b",
            ),
        ] {
            let raw: &RawValue = serde_json::from_str(item).expect("JSON");
            let item: CodexItem<'_> = serde_json::from_str(raw.get()).expect("an item");
            let call = item.call(raw);
            assert_eq!((&*call.name, &*call.brief), (name, brief));
        }
    }
}
