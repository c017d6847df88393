use serde_json::json;

use super::client::{main_body, main_body_without_stream, post};
use crate::{ModelServer, ModelTurn, TokenUsage};

const PATH: &str = "/v1/chat/completions";

fn everything() -> ModelTurn {
    ModelTurn::text("a text of more than sixteen characters")
        .tool("bash", json!({ "command": "ls" }))
        .tool("read", json!({ "filePath": "a" }))
        .usage(TokenUsage { input: 600, output: 50, cache_read: 400, cache_write: 0 })
}

#[test]
fn a_stream_has_the_text_the_tools_the_reason_and_the_usage() {
    let server = ModelServer::start(vec![everything()]);
    let answer = post(&server, PATH, &main_body());
    let text = answer.joined("/choices/0/delta/content");
    assert_eq!(text, "a text of more than sixteen characters");
    let tool = "/choices/0/delta/tool_calls/0";
    assert_eq!(answer.joined(&format!("{tool}/function/name")), "bashread");
    let events = answer.events();
    let indices: Vec<u64> = events
        .iter()
        .filter_map(|event| event.pointer(&format!("{tool}/index"))?.as_u64())
        .collect();
    assert_eq!(indices, [0, 1]);
    assert_eq!(answer.joined("/choices/0/finish_reason"), "tool_calls");
    let usage = &events.last().expect("there are events")["usage"];
    assert_eq!((&usage["prompt_tokens"], &usage["total_tokens"]), (&json!(1000), &json!(1050)));
    assert_eq!(usage["prompt_tokens_details"]["cached_tokens"], 400);
    assert!(answer.body.ends_with("data: [DONE]\n\n"));
}

#[test]
fn without_a_stream_there_is_one_message() {
    let server = ModelServer::start(vec![everything()]);
    let choice = &post(&server, PATH, &main_body_without_stream()).json()["choices"][0];
    assert_eq!(choice["message"]["content"], "a text of more than sixteen characters");
    let second = &choice["message"]["tool_calls"][1]["function"];
    assert_eq!(
        (&second["name"], &second["arguments"]),
        (&json!("read"), &json!(r#"{"filePath":"a"}"#))
    );
    assert_eq!(choice["finish_reason"], "tool_calls");
}

#[test]
fn an_error_with_status_200_comes_in_the_stream() {
    let error = json!({ "error": { "message": "overloaded" } });
    let server = ModelServer::start(vec![ModelTurn::text("so far").error(error)]);
    let answer = post(&server, PATH, &main_body());
    assert_eq!(answer.joined("/error/message"), "overloaded");
    assert!(!answer.body.contains("[DONE]"));
}
