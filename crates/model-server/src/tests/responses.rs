use serde_json::json;

use super::client::{main_body, main_body_without_stream, post};
use crate::{ModelServer, ModelTurn, TokenUsage};

const PATH: &str = "/v1/responses";

#[test]
fn a_stream_has_items_in_order_and_ends_with_the_whole() {
    let turn = ModelTurn::text("a text of more than sixteen characters")
        .thinking("hm")
        .tool("exec_command", json!({ "cmd": "ls" }))
        .custom_tool("apply_patch", "*** Begin Patch")
        .usage(TokenUsage { input: 500, output: 50, cache_read: 400, cache_write: 100 });
    let server = ModelServer::start(vec![turn]);
    let answer = post(&server, PATH, &main_body());
    let events = answer.events();
    assert_eq!(answer.joined("/delta"), "a text of more than sixteen characters");
    let done: Vec<&serde_json::Value> =
        events.iter().filter(|event| event["type"] == "response.output_item.done").collect();
    let kinds: Vec<&str> = done.iter().filter_map(|event| event["item"]["type"].as_str()).collect();
    assert_eq!(kinds, ["reasoning", "message", "function_call", "custom_tool_call"]);
    assert_eq!(done[2]["item"]["arguments"], r#"{"cmd":"ls"}"#);
    assert_eq!(done[3]["item"]["input"], "*** Begin Patch");

    let last = events.last().expect("there are events");
    assert_eq!(last["type"], "response.completed");
    assert_eq!(last["sequence_number"], events.len() - 1);
    assert_eq!(last["response"]["output"].as_array().map(Vec::len), Some(4));
    assert_eq!(last["response"]["usage"]["input_tokens"], 1000, "what is cached counts as input");
    assert_eq!(last["response"]["usage"]["input_tokens_details"]["cached_tokens"], 400);
    assert_eq!(last["response"]["usage"]["total_tokens"], 1050);
}

#[test]
fn tools_among_the_input_make_a_main_request() {
    let server = ModelServer::start(vec![ModelTurn::text("of the script")]);
    let input = json!([{ "type": "additional_tools", "tools": [{ "name": "exec" }] }]);
    let answer = post(&server, PATH, &json!({ "stream": true, "input": input }));
    assert_eq!(answer.joined("/delta"), "of the script");
}

#[test]
fn an_error_with_status_200_is_a_failed_response() {
    let error = json!({ "code": "context_length_exceeded", "message": "too long" });
    let server = ModelServer::start(vec![ModelTurn::new().error(error)]);
    let events = post(&server, PATH, &main_body()).events();
    let last = events.last().expect("there are events");
    assert_eq!(last["type"], "response.failed");
    assert_eq!(last["response"]["error"]["code"], "context_length_exceeded");
}

#[test]
fn a_reason_for_the_end_makes_the_response_incomplete() {
    let server = ModelServer::start(vec![ModelTurn::text("so far").stop("max_output_tokens")]);
    let events = post(&server, PATH, &main_body()).events();
    let last = events.last().expect("there are events");
    assert_eq!(last["type"], "response.incomplete");
    assert_eq!(last["response"]["incomplete_details"]["reason"], "max_output_tokens");
}

#[test]
fn without_a_stream_there_is_the_whole_response() {
    let server = ModelServer::start(vec![ModelTurn::text("hello")]);
    let response = post(&server, PATH, &main_body_without_stream()).json();
    assert_eq!(response["output"][0]["content"][0]["text"], "hello");
    assert_eq!(response["status"], "completed");
}
