//! Classifies requests by protocol and subject.

use serde_json::Value;

use crate::http_request::HttpRequest;
use crate::server_sent_event::{ModelCall, ServerSentEvent};
use crate::{anthropic, chat, gemini, responses};

/// The subject of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestSubject {
    /// A reply of the model.
    Model(ModelProtocol),
    /// A count of tokens.
    Count,
    /// A list of models.
    Models,
    /// A check that the server is there.
    Presence,
    Unknown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ModelProtocol {
    Anthropic,
    Responses,
    Chat,
    Gemini,
}

impl RequestSubject {
    pub(crate) fn of(request: &HttpRequest) -> Self {
        let place = request.route();
        let asks = request.method == "POST";
        match place {
            _ if request.method == "HEAD" => Self::Presence,
            _ if place.ends_with("/models") => Self::Models,
            _ if place.ends_with("/count_tokens") || place.ends_with(":countTokens") => Self::Count,
            _ if !asks => Self::Unknown,
            _ if place.ends_with("/messages") => Self::Model(ModelProtocol::Anthropic),
            _ if place.ends_with("/responses") => Self::Model(ModelProtocol::Responses),
            _ if place.ends_with("/chat/completions") => Self::Model(ModelProtocol::Chat),
            _ if place.ends_with("enerateContent") => Self::Model(ModelProtocol::Gemini),
            _ => Self::Unknown,
        }
    }
}

impl ModelProtocol {
    /// Whether the reply is to be streamed.
    pub(crate) fn wants_stream(self, request: &HttpRequest) -> bool {
        match self {
            Self::Gemini => request.route().ends_with(":streamGenerateContent"),
            Self::Anthropic | Self::Responses | Self::Chat => request.body["stream"] == true,
        }
    }

    /// The requested model.
    pub(crate) fn model(self, request: &HttpRequest) -> &str {
        let of_path = || {
            let name = request.route().rsplit('/').next()?;
            name.split_once(':').map(|(model, _)| model)
        };
        let named = request.body["model"].as_str();
        let named = if self == Self::Gemini { of_path() } else { named };
        named.unwrap_or("unnamed")
    }

    /// The tool results in a conversation, in order.
    pub(crate) fn tool_results(self, body: &Value) -> Vec<String> {
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let found: Vec<Value> = match self {
            Self::Anthropic => list(&body["messages"])
                .iter()
                .flat_map(|message| list(&message["content"]))
                .filter(|block| block["type"] == "tool_result")
                .map(|block| block["content"].clone())
                .collect(),
            Self::Responses => list(&body["input"])
                .iter()
                .filter(|item| {
                    let kind = item["type"].as_str().unwrap_or_default();
                    matches!(kind, "function_call_output" | "custom_tool_call_output")
                })
                .map(|item| item["output"].clone())
                .collect(),
            Self::Chat => list(&body["messages"])
                .iter()
                .filter(|message| message["role"] == "tool")
                .map(|message| message["content"].clone())
                .collect(),
            Self::Gemini => list(&body["contents"])
                .iter()
                .flat_map(|content| list(&content["parts"]))
                .filter(|part| part["functionResponse"].is_object())
                .map(|part| part["functionResponse"]["response"].clone())
                .collect(),
        };
        found.iter().map(text_of).collect()
    }

    pub(crate) fn events(self, call: &ModelCall<'_>) -> Vec<ServerSentEvent> {
        match self {
            Self::Anthropic => anthropic::events(call),
            Self::Responses => responses::events(call),
            Self::Chat => chat::events(call),
            Self::Gemini => gemini::events(call),
        }
    }

    pub(crate) fn whole_reply(self, call: &ModelCall<'_>) -> Value {
        match self {
            Self::Anthropic => anthropic::whole_reply(call),
            Self::Responses => responses::whole_reply(call),
            Self::Chat => chat::whole_reply(call),
            Self::Gemini => gemini::whole_reply(call),
        }
    }
}

/// Whether a body offers tools: in a list of its own, or, as newer models of Codex do, among the
/// items of the conversation.
pub(crate) fn offers_tools(body: &Value) -> bool {
    let has_some = |list: &Value| list.as_array().is_some_and(|list| !list.is_empty());
    let items = body["input"].as_array().into_iter().flatten();
    let mut added = items.filter(|item| item["type"] == "additional_tools");
    has_some(&body["tools"]) || added.any(|item| has_some(&item["tools"]))
}

/// All texts in a value, one per line: a result is a text, a list of blocks or an object.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().map(text_of).collect::<Vec<_>>().join("\n"),
        Value::Object(object) => {
            let texts = object.iter().filter(|(key, _)| *key != "type");
            texts.map(|(_, value)| text_of(value)).collect::<Vec<_>>().join("\n")
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}
