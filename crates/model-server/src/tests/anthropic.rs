use serde_json::json;

use super::client::{main_body, main_body_without_stream, post};
use crate::{ModelServer, ModelTurn, TokenUsage};

const PATH: &str = "/v1/messages?beta=true";

fn everything() -> ModelTurn {
    ModelTurn::text("a text of more than sixteen characters, with ünïcode")
        .thinking("hm")
        .tool("Bash", json!({ "command": "ls" }))
        .usage(TokenUsage { input: 1000, output: 50, cache_read: 4000, cache_write: 700 })
}

#[test]
fn a_stream_has_blocks_in_order_and_the_usage_in_two_places() {
    let server = ModelServer::start(vec![everything()]);
    let answer = post(&server, PATH, &main_body());
    assert_eq!(answer.status, 200);
    let events = answer.events();
    let kinds: Vec<&str> =
        events.iter().filter_map(|event| event.pointer("/content_block/type")?.as_str()).collect();
    assert_eq!(kinds, ["thinking", "text", "tool_use"]);
    assert_eq!(answer.joined("/delta/thinking"), "hm");
    assert_eq!(
        answer.joined("/delta/text"),
        "a text of more than sixteen characters, with ünïcode"
    );
    assert_eq!(answer.joined("/delta/partial_json"), r#"{"command":"ls"}"#);
    assert_eq!(answer.joined("/delta/stop_reason"), "tool_use");

    let start = &events[0]["message"];
    assert_eq!(start["model"], "a-model");
    assert_eq!(start["usage"]["input_tokens"], 1000);
    assert_eq!(start["usage"]["cache_read_input_tokens"], 4000);
    assert_eq!(start["usage"]["cache_creation_input_tokens"], 700);
    assert_eq!(start["usage"]["output_tokens"], 1, "it is not known yet");
    assert_eq!(events[events.len() - 2]["usage"]["output_tokens"], 50);
    assert_eq!(events[events.len() - 1]["type"], "message_stop");
    assert!(answer.body.starts_with("event: message_start\ndata: "), "events have names");
}

#[test]
fn a_text_comes_in_pieces_of_sixteen_characters() {
    let server = ModelServer::start(vec![ModelTurn::text("0123456789abcdef0123")]);
    let answer = post(&server, PATH, &main_body());
    let events = answer.events();
    let pieces: Vec<&str> =
        events.iter().filter_map(|event| event.pointer("/delta/text")?.as_str()).collect();
    assert_eq!(pieces, ["0123456789abcdef", "0123"]);
}

#[test]
fn without_a_stream_the_message_is_the_same_in_one_piece() {
    let server = ModelServer::start(vec![everything()]);
    let message = post(&server, PATH, &main_body_without_stream()).json();
    assert_eq!(message["content"][0]["thinking"], "hm");
    assert_eq!(message["content"][2]["input"], json!({ "command": "ls" }));
    assert_eq!(message["stop_reason"], "tool_use");
    assert_eq!(message["usage"]["output_tokens"], 50);
}

#[test]
fn a_refusal_is_the_reason_for_the_end() {
    let server = ModelServer::start(vec![ModelTurn::text("I can").stop("refusal")]);
    assert_eq!(post(&server, PATH, &main_body()).joined("/delta/stop_reason"), "refusal");
}

#[test]
fn an_error_with_status_200_comes_in_the_stream() {
    let error = json!({ "error": { "type": "overloaded_error", "message": "Overloaded" } });
    let server = ModelServer::start(vec![ModelTurn::text("so far").error(error)]);
    let answer = post(&server, PATH, &main_body());
    let events = answer.events();
    let last = events.last().expect("there are events");
    assert_eq!(
        (&last["type"], &last["error"]["type"]),
        (&json!("error"), &json!("overloaded_error"))
    );
    assert_eq!(answer.joined("/delta/text"), "so far");
}

#[test]
fn tokens_are_counted_without_taking_a_turn() {
    let server = ModelServer::start(vec![ModelTurn::text("x")]);
    let counted = post(&server, "/v1/messages/count_tokens", &json!({ "messages": [] }));
    assert_eq!(counted.json()["input_tokens"], 100);
    assert_eq!(server.main_requests().len(), 0);
}
