//! OpenAI Responses.

use serde_json::{Value, json};

use crate::model_turn::{TurnTool, TurnToolInput};
use crate::server_sent_event::{ModelCall, ServerSentEvent};

/// The reply as a stream.
pub(crate) fn events(call: &ModelCall<'_>) -> Vec<ServerSentEvent> {
    let mut stream = ResponseEvents { events: Vec::new() };
    stream.push(json!({ "type": "response.created", "response": response(call, "in_progress") }));
    for (index, item) in items(call).iter().enumerate() {
        stream.item(call, index, item);
    }
    stream.push(end(call));
    stream.events
}

/// The reply in one piece.
pub(crate) fn whole_reply(call: &ModelCall<'_>) -> Value {
    completed(call)
}

/// The events so far; each has its sequence number.
struct ResponseEvents {
    events: Vec<ServerSentEvent>,
}

impl ResponseEvents {
    fn push(&mut self, event: Value) {
        let event = self.numbered(event);
        self.events.push(event);
    }

    fn numbered(&self, mut event: Value) -> ServerSentEvent {
        event["sequence_number"] = json!(self.events.len());
        ServerSentEvent::named(&event)
    }

    fn item(&mut self, call: &ModelCall<'_>, index: usize, item: &Value) {
        let is_message = item["type"] == "message";
        let mut begun = item.clone();
        if is_message {
            begun["content"] = json!([]);
            begun["status"] = json!("in_progress");
        }
        let added = "response.output_item.added";
        self.push(json!({ "type": added, "output_index": index, "item": begun }));
        let pieces = if is_message { call.turn.pieces() } else { Vec::new() };
        for piece in pieces {
            let event = self.numbered(json!({
                "type": "response.output_text.delta",
                "item_id": item["id"],
                "output_index": index,
                "content_index": 0,
                "delta": piece,
            }));
            self.events.push(event.text());
        }
        let done = "response.output_item.done";
        self.push(json!({ "type": done, "output_index": index, "item": item }));
    }
}

/// The last event of the stream.
fn end(call: &ModelCall<'_>) -> Value {
    if let Some(error) = &call.turn.error {
        let mut failed = response(call, "failed");
        failed["error"] = error.get("error").unwrap_or(error).clone();
        return json!({ "type": "response.failed", "response": failed });
    }
    if let Some(reason) = &call.turn.stop {
        let mut response = completed(call);
        response["status"] = json!("incomplete");
        response["incomplete_details"] = json!({ "reason": reason });
        return json!({ "type": "response.incomplete", "response": response });
    }
    json!({ "type": "response.completed", "response": completed(call) })
}

fn response(call: &ModelCall<'_>, status: &str) -> Value {
    json!({
        "id": call.id("resp", 0),
        "object": "response",
        "created_at": 1_700_000_000,
        "model": call.model,
        "status": status,
        "output": [],
    })
}

fn completed(call: &ModelCall<'_>) -> Value {
    let usage = call.turn.usage;
    let mut response = response(call, "completed");
    response["output"] = json!(items(call));
    response["usage"] = json!({
        "input_tokens": usage.all_input(),
        "input_tokens_details": {
            "cached_tokens": usage.cache_read,
            "cache_write_tokens": usage.cache_write,
        },
        "output_tokens": usage.output,
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": usage.total(),
    });
    response
}

/// The items of the reply.
fn items(call: &ModelCall<'_>) -> Vec<Value> {
    let turn = call.turn;
    let mut items = Vec::new();
    if !turn.thinking.is_empty() {
        items.push(json!({
            "id": call.id("rs", 0),
            "type": "reasoning",
            "summary": [{ "type": "summary_text", "text": turn.thinking }],
        }));
    }
    if !turn.text.is_empty() {
        items.push(json!({
            "id": call.id("msg", 0),
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [{ "type": "output_text", "text": turn.text, "annotations": [] }],
        }));
    }
    items.extend(turn.tools.iter().enumerate().map(|(index, tool)| tool_item(call, index, tool)));
    items
}

fn tool_item(call: &ModelCall<'_>, index: usize, tool: &TurnTool) -> Value {
    let mut item = match &tool.input {
        TurnToolInput::Arguments(arguments) => {
            json!({ "type": "function_call", "arguments": arguments.to_string() })
        }
        TurnToolInput::Text(text) => json!({ "type": "custom_tool_call", "input": text }),
    };
    item["id"] = json!(call.id("item", index));
    item["call_id"] = json!(call.id("call", index));
    item["name"] = json!(tool.name);
    item["status"] = json!("completed");
    item
}
