//! Gemini's `generateContent` and `streamGenerateContent`.

use serde_json::{Value, json};

use crate::server_sent_event::{ModelCall, ServerSentEvent};

/// The reply as a stream.
pub(crate) fn events(call: &ModelCall<'_>) -> Vec<ServerSentEvent> {
    let mut events: Vec<ServerSentEvent> =
        thoughts(call).into_iter().map(|part| chunk(call, &part)).collect();
    let pieces = call.turn.pieces();
    events.extend(pieces.iter().map(|piece| chunk(call, &json!({ "text": piece })).text()));
    if let Some(error) = &call.turn.error {
        events.push(ServerSentEvent::plain(error));
        return events;
    }
    events.extend(tool_calls(call).into_iter().map(|part| chunk(call, &part)));
    events.push(ServerSentEvent::plain(&answer(
        call,
        &json!([{ "text": "" }]),
        Some(finish_reason(call)),
    )));
    events
}

/// The reply in one piece.
pub(crate) fn whole_reply(call: &ModelCall<'_>) -> Value {
    let mut parts = thoughts(call);
    if !call.turn.text.is_empty() {
        parts.push(json!({ "text": call.turn.text }));
    }
    parts.extend(tool_calls(call));
    answer(call, &json!(parts), Some(finish_reason(call)))
}

fn chunk(call: &ModelCall<'_>, part: &Value) -> ServerSentEvent {
    ServerSentEvent::plain(&answer(call, &json!([part]), None))
}

fn answer(call: &ModelCall<'_>, parts: &Value, finish: Option<&str>) -> Value {
    let usage = call.turn.usage;
    let mut candidate = json!({ "index": 0, "content": { "role": "model", "parts": parts } });
    if let Some(finish) = finish {
        candidate["finishReason"] = json!(finish);
    }
    json!({
        "candidates": [candidate],
        "usageMetadata": {
            "promptTokenCount": usage.all_input(),
            "candidatesTokenCount": usage.output,
            "cachedContentTokenCount": usage.cache_read,
            "totalTokenCount": usage.total(),
        },
        "modelVersion": call.model,
    })
}

fn thoughts(call: &ModelCall<'_>) -> Vec<Value> {
    let thinking = &call.turn.thinking;
    let some = (!thinking.is_empty()).then(|| json!({ "text": thinking, "thought": true }));
    some.into_iter().collect()
}

fn tool_calls(call: &ModelCall<'_>) -> Vec<Value> {
    let tools = call.turn.tools.iter();
    tools
        .map(|tool| json!({ "functionCall": { "name": tool.name, "args": tool.arguments() } }))
        .collect()
}

fn finish_reason<'call>(call: &ModelCall<'call>) -> &'call str {
    call.turn.stop_or("STOP", "STOP")
}
