use serde_json::json;

use super::client::{main_body, post};
use crate::{ModelServer, ModelTurn, TokenUsage};

const STREAM: &str = "/v1beta/models/gemini-x:streamGenerateContent?alt=sse";
const WHOLE: &str = "/v1beta/models/gemini-x:generateContent";

fn everything() -> ModelTurn {
    ModelTurn::text("a text of more than sixteen characters")
        .thinking("hm")
        .tool("run_shell_command", json!({ "command": "ls" }))
        .usage(TokenUsage { input: 600, output: 50, cache_read: 400, cache_write: 0 })
}

#[test]
fn a_stream_has_the_thought_the_text_the_tool_and_the_end() {
    let server = ModelServer::start(vec![everything()]);
    let answer = post(&server, STREAM, &main_body());
    let text = answer.joined("/candidates/0/content/parts/0/text");
    assert_eq!(text, "hma text of more than sixteen characters");
    let events = answer.events();
    assert_eq!(events[0]["candidates"][0]["content"]["parts"][0]["thought"], true);
    let name = "/candidates/0/content/parts/0/functionCall/name";
    assert_eq!(answer.joined(name), "run_shell_command");
    let last = events.last().expect("there are events");
    assert_eq!(last["candidates"][0]["finishReason"], "STOP");
    assert_eq!(last["usageMetadata"]["promptTokenCount"], 1000);
    assert_eq!(last["usageMetadata"]["cachedContentTokenCount"], 400);
    assert_eq!(last["modelVersion"], "gemini-x", "the model is in the path");
}

#[test]
fn without_a_stream_there_is_one_candidate_with_all_parts() {
    let server = ModelServer::start(vec![everything()]);
    let candidate = &post(&server, WHOLE, &main_body()).json()["candidates"][0];
    let parts = &candidate["content"]["parts"];
    assert_eq!(parts[1]["text"], "a text of more than sixteen characters");
    assert_eq!(parts[2]["functionCall"]["args"], json!({ "command": "ls" }));
    assert_eq!(candidate["finishReason"], "STOP");
}

#[test]
fn an_answer_may_end_for_safety() {
    let server = ModelServer::start(vec![ModelTurn::text("no").stop("SAFETY")]);
    let answer = post(&server, STREAM, &main_body());
    assert_eq!(answer.joined("/candidates/0/finishReason"), "SAFETY");
}

#[test]
fn tokens_are_counted() {
    let server = ModelServer::start(vec![ModelTurn::text("x")]);
    let counted = post(&server, "/v1beta/models/gemini-x:countTokens", &json!({}));
    assert_eq!(counted.json()["totalTokens"], 100);
}
