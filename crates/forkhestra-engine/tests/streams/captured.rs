//! Snapshots of the events of captured streams of real agents.

use std::fs;

use forkhestra_engine::agent::conclude;
use insta::assert_snapshot;

use crate::listener_result::{backend, end, listen_in_a_loop, reset_context};
use crate::render;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/streams/captured");

/// The captures, and how their processes ended.
const CAPTURED: &[(&str, &str)] = &[
    ("claude_2.1.197_tool_call", "exit 0"),
    ("claude_2.1.197_tool_call_result", "exit 0"),
    ("claude_2.1.325_one_of_each_event", "exit 0"),
    ("claude_background_task_two_results", "exit 0"),
    ("claude_error_401_result", "exit 1"),
    ("claude_error_429", "exit 1"),
    ("claude_error_529_default_retries", "exit 1"),
    ("claude_hook_events", "exit 0"),
    ("claude_json_schema", "exit 0"),
    ("claude_max_budget", "exit 1"),
    ("claude_max_turns", "exit 1"),
    ("claude_max_turns_result", "exit 1"),
    ("claude_mcp", "exit 0"),
    ("claude_partial_messages", "exit 0"),
    ("claude_permission_denied", "exit 0"),
    ("claude_rate_limits", "exit 0"),
    ("claude_resume", "exit 0"),
    ("claude_sigint", "exit 0"),
    ("claude_sigterm", "exit 143"),
    ("claude_tool_call", "exit 0"),
    ("claude_tool_call_result", "exit 0"),
    ("claude_usage_limit_subscription", "exit 1"),
    ("codex_error_401", "exit 1"),
    ("codex_error_429", "exit 1"),
    ("codex_tool_call", "exit 0"),
    ("gemini_error_429", "exit 173"),
    ("gemini_max_turns", "exit 53"),
    ("gemini_tool_call", "exit 0"),
    ("opencode_error_401", "exit 1"),
    ("opencode_error_429", "exit 1"),
    ("opencode_tool_call", "exit 0"),
];

#[test]
fn captures_keep_their_meaning() {
    for (name, ended) in CAPTURED {
        let stream = fs::read(format!("{FOLDER}/{name}.jsonl")).expect("the capture is there");
        let backend = backend(name);
        let result = listen_in_a_loop(backend, &stream);
        let stream_summary = conclude(backend, &result.findings, &end(ended), "", reset_context());
        let mut text = result.notices;
        text.push(format!("findings: {}", render::findings(&result.findings)));
        text.push(format!("{ended}: {}", render::summary_line(stream_summary.as_ref())));
        assert_snapshot!(*name, text.join("\n"));
    }
}

#[test]
fn no_capture_is_forgotten() {
    let mut found: Vec<String> = fs::read_dir(FOLDER)
        .expect("there are captures")
        .map(|file| file.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    found.sort();
    let known: Vec<String> = CAPTURED.iter().map(|(name, _)| format!("{name}.jsonl")).collect();
    assert_eq!(found, known);
}
