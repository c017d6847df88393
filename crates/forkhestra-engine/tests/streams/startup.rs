//! Tests of agents that refuse to start or end without output.

use forkhestra_core::config::Backend;
use forkhestra_core::event::ProcessEnd;
use forkhestra_engine::agent::{StreamResult, conclude};

use crate::corpus::cases;
use crate::listener_result::{backend, end, listen_in_a_loop, reset_context};
use crate::render;

/// The outcome of an agent without an understood stream, given its standard error.
fn startup_outcome(backend: Backend, ended: &str, stderr: &str) -> String {
    let stream_summary =
        conclude(backend, &StreamResult::default(), &end(ended), stderr, reset_context());
    stream_summary
        .map_or_else(|| "a program".to_owned(), |stream_summary| stream_summary.outcome.to_string())
}

#[test]
fn known_refusals_to_start_are_recognised() {
    let root = "--dangerously-skip-permissions cannot be used with root/sudo privileges for \
                security reasons\n";
    assert_eq!(
        startup_outcome(Backend::Claude, "exit 1", root),
        "misconfigured: Claude Code does not skip permissions for root: run as another user, set \
         IS_SANDBOX=1 in a sandbox, or give the agent `\"permissions\": \"default\"`"
    );
    for (backend, ended, stderr, expected) in [
        (
            Backend::Claude,
            "exit 1",
            "error: unknown option '--nope'\n",
            "misconfigured: error: unknown option '--nope'",
        ),
        (
            Backend::Codex,
            "exit 2",
            "error: unexpected argument '--nope' found\n\nFor more information, try '--help'.\n",
            "misconfigured: error: unexpected argument '--nope' found",
        ),
        (
            Backend::Codex,
            "exit 2",
            "WARNING: proceeding\nerror: invalid value 'x' for '--sandbox <SANDBOX_MODE>'\n",
            "misconfigured: error: invalid value 'x' for '--sandbox <SANDBOX_MODE>'",
        ),
        (
            Backend::Codex,
            "exit 1",
            "Error loading config.toml: invalid type: boolean `true`, expected a string\n\
             in `developer_instructions`\n",
            "misconfigured: Error loading config.toml: invalid type: boolean `true`, expected a \
             string",
        ),
        (
            Backend::Codex,
            "exit 1",
            "Error: Model provider `nope` not found\n",
            "misconfigured: Error: Model provider `nope` not found",
        ),
        (
            Backend::Codex,
            "exit 1",
            "Not inside a trusted directory and --skip-git-repo-check was not specified.\n",
            "misconfigured: Not inside a trusted directory and --skip-git-repo-check was not \
             specified.",
        ),
        (
            Backend::Gemini,
            "exit 41",
            "Invalid auth method selected.\n",
            "authentication: Invalid auth method selected.",
        ),
        (
            Backend::Gemini,
            "exit 1",
            "Unknown argument: nope\nUsage: gemini [options] [command]\n",
            "misconfigured: Unknown argument: nope",
        ),
        (Backend::Gemini, "exit 42", "no input\n", "misconfigured: no input"),
        (Backend::Gemini, "exit 52", "bad settings\n", "misconfigured: bad settings"),
        (Backend::Gemini, "exit 55", "not trusted\n", "misconfigured: not trusted"),
        (
            Backend::Opencode,
            "exit 1",
            "Error: Model not found: fake/x\n",
            "misconfigured: Error: Model not found: fake/x",
        ),
    ] {
        assert_eq!(startup_outcome(backend, ended, stderr), expected);
    }
}

#[test]
fn plain_text_output_means_a_program() {
    for backend in Backend::ALL {
        for ended in ["exit 0", "exit 1", "signal 15"] {
            assert_eq!(
                startup_outcome(backend, ended, "oh no\n"),
                "a program",
                "{backend:?} {ended}"
            );
        }
        let root = "cannot be used with root/sudo privileges";
        assert_eq!(startup_outcome(backend, "exit 0", root), "a program", "{backend:?}");
        let never = ProcessEnd::NotStarted { reason: "no such file".to_owned(), transient: false };
        let findings = StreamResult { understood: true, ..StreamResult::default() };
        assert_eq!(conclude(backend, &findings, &never, "", reset_context()), None);
    }
}

/// Programs in place of agents have their own exit codes and messages.
#[test]
fn other_messages_are_no_refusal() {
    for (backend, ended, stderr) in [
        (Backend::Codex, "exit 2", ""),
        (Backend::Codex, "exit 2", "grep: x: no such file\n"),
        (Backend::Codex, "exit 2", "error: could not compile `x`\n"),
        (Backend::Codex, "exit 1", "serde: invalid type: boolean `true`, expected a string\n"),
        (Backend::Codex, "exit 1", "the model provider is slow\n"),
        (Backend::Gemini, "exit 42", ""),
        (Backend::Gemini, "exit 52", " \n"),
        (Backend::Gemini, "exit 53", "no\n"),
    ] {
        assert_eq!(startup_outcome(backend, ended, stderr), "a program", "{backend:?} {stderr}");
    }
}

#[test]
fn a_started_agent_is_not_a_refused_start() {
    let findings = StreamResult { understood: true, ..StreamResult::default() };
    for (backend, ended, stderr) in [
        (Backend::Claude, "exit 1", "error: unknown option '--nope'\n"),
        (Backend::Claude, "exit 1", "hook: cannot be used with root/sudo privileges\n"),
        (Backend::Codex, "exit 1", "Error loading config: invalid type: map\n"),
        (Backend::Codex, "exit 2", "error: unexpected argument '--nope' found\n"),
        (Backend::Gemini, "exit 52", "tool: bad settings\n"),
        (Backend::Gemini, "exit 1", "tool: Unknown argument: nope\n"),
        (Backend::Opencode, "exit 1", "warning: agent not found\n"),
    ] {
        let stream_summary = conclude(backend, &findings, &end(ended), stderr, reset_context());
        let outcome = stream_summary
            .map(|stream_summary| stream_summary.outcome.to_string())
            .expect("it is an agent");
        assert_eq!(outcome, format!("crashed: {}", stderr.trim_end()), "{backend:?}");
    }
    // Exit codes of Gemini about its work are always valid.
    let stream_summary = conclude(Backend::Gemini, &findings, &end("exit 53"), "", reset_context());
    assert_eq!(
        stream_summary.map(|stream_summary| stream_summary.outcome.to_string()).as_deref(),
        Some("turn_limit")
    );
}

#[test]
fn a_stream_without_a_result_is_judged_by_how_its_process_ended() {
    let findings = StreamResult { understood: true, ..StreamResult::default() };
    let class = |backend, ended: &str| {
        let stream_summary =
            conclude(backend, &findings, &end(ended), "first\nlast words\n", reset_context());
        stream_summary
            .map(|stream_summary| stream_summary.outcome.to_string())
            .expect("it is an agent")
    };
    for backend in Backend::ALL {
        for ended in ["signal 2", "signal 15", "signal 1", "exit 130", "exit 143", "exit 129"] {
            assert_eq!(class(backend, ended), "interrupted", "{backend:?} {ended}");
        }
        for ended in ["signal 9", "signal 11", "exit 1"] {
            assert_eq!(class(backend, ended), "crashed: last words", "{backend:?} {ended}");
        }
    }
    assert_eq!(class(Backend::Claude, "exit 0"), "interrupted");
    assert_eq!(class(Backend::Gemini, "exit 0"), "interrupted");
    assert_eq!(class(Backend::Codex, "exit 0"), "crashed: it ended without a result");
    assert_eq!(class(Backend::Opencode, "exit 0"), "crashed: it ended without a result");
}

#[test]
fn resets_are_read_from_the_stream_or_the_text() {
    for (name, expected) in [
        ("claude_weekly_limit", "2026-11-19T04:23:00.000Z"),
        ("codex_usage_limit", "2026-11-15T17:05:00.000Z"),
    ] {
        let case = cases().into_iter().find(|case| case.name == name).expect("it is there");
        let findings = listen_in_a_loop(backend(name), &case.stream()).findings;
        let stream_summary =
            conclude(backend(name), &findings, &end("exit 1"), "", reset_context());
        let stream_summary = stream_summary.expect("it is an agent");
        assert!(
            render::summary_line(Some(&stream_summary)).contains(expected),
            "{name}: {stream_summary:?}"
        );
    }
}
