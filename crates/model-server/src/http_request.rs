//! What was asked.

use serde_json::Value;

use crate::agent::AgentClient;
use crate::protocol::{ModelProtocol, RequestSubject};

/// A request as it arrived.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpRequest {
    /// `GET`, `POST` and so on.
    pub method: String,
    /// The path, with what stands after a `?`.
    pub path: String,
    /// The headers, in their order, with names in small letters.
    pub headers: Vec<(String, String)>,
    /// The body; null where there is none or it is not JSON.
    pub body: Value,
    /// Whether it offers tools to the model, and so takes a turn of the script.
    pub is_main: bool,
}

impl HttpRequest {
    /// The value of a header, by its name in small letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The agent whose protocol the request speaks.
    pub fn agent(&self) -> Option<AgentClient> {
        let RequestSubject::Model(protocol) = RequestSubject::of(self) else { return None };
        Some(match protocol {
            ModelProtocol::Anthropic => AgentClient::Claude,
            ModelProtocol::Responses => AgentClient::Codex,
            ModelProtocol::Chat => AgentClient::Opencode,
            ModelProtocol::Gemini => AgentClient::Gemini,
        })
    }

    /// What the tools printed that the model has asked for so far, in this conversation.
    pub fn tool_results(&self) -> Vec<String> {
        match RequestSubject::of(self) {
            RequestSubject::Model(protocol) => protocol.tool_results(&self.body),
            _ => Vec::new(),
        }
    }

    /// The path without what stands after a `?`.
    pub(crate) fn place(&self) -> &str {
        self.path.split_once('?').map_or(self.path.as_str(), |(place, _)| place)
    }
}
