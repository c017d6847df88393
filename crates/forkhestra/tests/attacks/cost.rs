//! A stream that hides what it costs.

use serde_json::json;
use testkit::TestEnv;

use crate::support::{config, events_of, forkhestra, reason};

const SESSION: &str = "3c311f1b-df38-4332-9a17-3b948a529581";

/// The first line and a message of Claude Code, with this usage.
fn message(usage: &serde_json::Value) -> String {
    let init = json!({
        "type": "system", "subtype": "init", "session_id": SESSION, "model": "claude-sonnet-5-5",
        "apiKeySource": "ANTHROPIC_API_KEY",
    });
    let said = json!({
        "type": "assistant", "session_id": SESSION, "parent_tool_use_id": null, "message": {
            "id": "msg_1", "role": "assistant", "model": "claude-sonnet-5-5", "usage": usage,
            "content": [{ "type": "text", "text": "Not yet." }],
        },
    });
    format!("{init}\n{said}\n")
}

/// The last line of Claude Code, with these figures.
fn result(figures: &str) -> String {
    format!(
        "{{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":false,\"num_turns\":1,\
         \"session_id\":\"{SESSION}\",\"result\":\"Not yet.\"{figures}}}\n"
    )
}

/// An agent whose every iteration prints a stream.
fn agent(stream: &str) -> TestEnv {
    let env = TestEnv::new();
    config(&env, r#"{ "agents": { "worker": { "systemPromptText": "Work." } }, "chains": {} }"#);
    env.write("stream", stream);
    env.agent("claude", "cat stream");
    env
}

#[test]
fn a_stream_without_usage_or_with_negative_usage_never_passes_a_cost_limit() {
    let negative = json!({ "input_tokens": -1000, "output_tokens": -50 });
    let zero = json!({ "input_tokens": 0, "output_tokens": 0 });
    for (what, stream) in [
        ("no usage", message(&json!(null)) + &result("")),
        ("no result", message(&json!(null))),
        ("zero tokens", message(&zero) + &result("")),
        ("negative tokens", message(&negative) + &result("")),
        (
            "negative figures",
            message(&negative)
                + &result(
                    ",\"total_cost_usd\":-1,\"usage\":{\"input_tokens\":-5,\"output_tokens\":-5}",
                ),
        ),
        ("negative cost", message(&json!(null)) + &result(",\"total_cost_usd\":-0.5")),
        ("text and no stream", "Working on it.\n".to_owned()),
    ] {
        let env = agent(&stream);
        let output = forkhestra(&env, &["worker:6", "--max-cost", "0.01"]);
        assert_eq!(output.code, Some(1), "{what}: {output}");
        assert_eq!(events_of(&env, "iteration_finished").len(), 1, "{what}: {output}");
        assert_eq!(reason(&env), "cost_unknown", "{what}: {output}");
    }
}
