//! Anthropic Messages.

use serde_json::{Value, json};

use crate::server_sent_event::{ModelCall, ServerSentEvent};

/// The reply as a stream.
pub(crate) fn events(call: &ModelCall<'_>) -> Vec<ServerSentEvent> {
    let mut events =
        vec![ServerSentEvent::named(&json!({ "type": "message_start", "message": begun(call) }))];
    for (index, block) in blocks(call).iter().enumerate() {
        events.extend(block_events(index, block));
    }
    if let Some(error) = &call.turn.error {
        events.push(ServerSentEvent::named(&error_event(error)));
        return events;
    }
    events.push(ServerSentEvent::named(&json!({
        "type": "message_delta",
        "delta": { "stop_reason": stop_reason(call), "stop_sequence": null },
        "usage": { "output_tokens": call.turn.usage.output },
    })));
    events.push(ServerSentEvent::named(&json!({ "type": "message_stop" })));
    events
}

/// The reply in one piece.
pub(crate) fn whole_reply(call: &ModelCall<'_>) -> Value {
    let mut message = begun(call);
    message["content"] = blocks(call).into_iter().map(|block| block.content).collect();
    message["stop_reason"] = json!(stop_reason(call));
    message["usage"]["output_tokens"] = json!(call.turn.usage.output);
    message
}

/// A block of the message: its start, its deltas and its final content.
struct AnthropicBlock {
    start: Value,
    deltas: Vec<Value>,
    content: Value,
    is_text: bool,
}

/// The empty message.
fn begun(call: &ModelCall<'_>) -> Value {
    let usage = call.turn.usage;
    json!({
        "id": call.id("msg", 0),
        "type": "message",
        "role": "assistant",
        "model": call.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": {
            "input_tokens": usage.input,
            "cache_creation_input_tokens": usage.cache_write,
            "cache_read_input_tokens": usage.cache_read,
            "output_tokens": 1,
            "service_tier": "standard",
        },
    })
}

fn blocks(call: &ModelCall<'_>) -> Vec<AnthropicBlock> {
    let turn = call.turn;
    let mut blocks = Vec::new();
    if !turn.thinking.is_empty() {
        blocks.push(thinking(&turn.thinking));
    }
    if !turn.text.is_empty() {
        let delta = |piece: String| json!({ "type": "text_delta", "text": piece });
        blocks.push(AnthropicBlock {
            start: json!({ "type": "text", "text": "" }),
            deltas: turn.pieces().into_iter().map(delta).collect(),
            content: json!({ "type": "text", "text": turn.text }),
            is_text: true,
        });
    }
    let tools = turn.tools.iter().enumerate();
    blocks.extend(tools.map(|(index, tool)| {
        let id = call.id("toolu", index);
        let arguments = tool.arguments();
        let block = |input: &Value| json!({ "type": "tool_use", "id": id, "name": tool.name, "input": input });
        AnthropicBlock {
            start: block(&json!({})),
            deltas: vec![json!({ "type": "input_json_delta", "partial_json": arguments.to_string() })],
            content: block(&arguments),
            is_text: false,
        }
    }));
    blocks
}

fn thinking(text: &str) -> AnthropicBlock {
    // Agents send the signature back, and only the real provider would check it.
    let signature = "c2lnbmF0dXJl";
    AnthropicBlock {
        start: json!({ "type": "thinking", "thinking": "", "signature": "" }),
        deltas: vec![
            json!({ "type": "thinking_delta", "thinking": text }),
            json!({ "type": "signature_delta", "signature": signature }),
        ],
        content: json!({ "type": "thinking", "thinking": text, "signature": signature }),
        is_text: false,
    }
}

fn block_events(index: usize, block: &AnthropicBlock) -> Vec<ServerSentEvent> {
    let start =
        json!({ "type": "content_block_start", "index": index, "content_block": block.start });
    let stop = json!({ "type": "content_block_stop", "index": index });
    let deltas = block.deltas.iter().map(|delta| {
        let event = json!({ "type": "content_block_delta", "index": index, "delta": delta });
        let event = ServerSentEvent::named(&event);
        if block.is_text { event.text() } else { event }
    });
    let mut events = vec![ServerSentEvent::named(&start)];
    events.extend(deltas);
    events.push(ServerSentEvent::named(&stop));
    events
}

fn stop_reason<'call>(call: &ModelCall<'call>) -> &'call str {
    call.turn.stop_or("tool_use", "end_turn")
}

/// The error as an event, whether the script gives the whole body or only its inner object.
fn error_event(error: &Value) -> Value {
    let inner = error.get("error").unwrap_or(error);
    json!({ "type": "error", "error": inner })
}
