//! OpenAI Chat Completions.

use serde_json::{Value, json};

use crate::server_sent_event::{ModelCall, ServerSentEvent};

/// The reply as a stream.
pub(crate) fn events(call: &ModelCall<'_>) -> Vec<ServerSentEvent> {
    let mut events = vec![chunk(call, &json!({ "role": "assistant", "content": "" }), None)];
    let pieces = call.turn.pieces();
    events
        .extend(pieces.iter().map(|piece| chunk(call, &json!({ "content": piece }), None).text()));
    if let Some(error) = &call.turn.error {
        events.push(ServerSentEvent::plain(error));
        return events;
    }
    for (index, tool) in tool_calls(call).into_iter().enumerate() {
        let mut tool = tool;
        tool["index"] = json!(index);
        events.push(chunk(call, &json!({ "tool_calls": [tool] }), None));
    }
    events.push(chunk(call, &json!({}), Some(finish_reason(call))));
    let mut last = head(call, "chat.completion.chunk");
    last["choices"] = json!([]);
    last["usage"] = usage(call);
    events.push(ServerSentEvent::plain(&last));
    events.push(ServerSentEvent::word("[DONE]"));
    events
}

/// The reply in one piece.
pub(crate) fn whole_reply(call: &ModelCall<'_>) -> Value {
    let mut message = json!({ "role": "assistant", "content": call.turn.text });
    let tools = tool_calls(call);
    if !tools.is_empty() {
        message["tool_calls"] = json!(tools);
    }
    let mut answer = head(call, "chat.completion");
    answer["choices"] =
        json!([{ "index": 0, "message": message, "finish_reason": finish_reason(call) }]);
    answer["usage"] = usage(call);
    answer
}

fn head(call: &ModelCall<'_>, object: &str) -> Value {
    json!({
        "id": call.id("chatcmpl", 0),
        "object": object,
        "created": 1_700_000_000,
        "model": call.model,
    })
}

fn chunk(call: &ModelCall<'_>, delta: &Value, finish: Option<&str>) -> ServerSentEvent {
    let mut chunk = head(call, "chat.completion.chunk");
    chunk["choices"] = json!([{ "index": 0, "delta": delta, "finish_reason": finish }]);
    ServerSentEvent::plain(&chunk)
}

fn tool_calls(call: &ModelCall<'_>) -> Vec<Value> {
    let tools = call.turn.tools.iter().enumerate();
    let tools = tools.map(|(index, tool)| {
        json!({
            "id": call.id("call", index),
            "type": "function",
            "function": { "name": tool.name, "arguments": tool.arguments().to_string() },
        })
    });
    tools.collect()
}

fn finish_reason<'call>(call: &ModelCall<'call>) -> &'call str {
    call.turn.stop_or("tool_calls", "stop")
}

fn usage(call: &ModelCall<'_>) -> Value {
    let usage = call.turn.usage;
    json!({
        "prompt_tokens": usage.all_input(),
        "completion_tokens": usage.output,
        "total_tokens": usage.total(),
        "prompt_tokens_details": { "cached_tokens": usage.cache_read },
    })
}
