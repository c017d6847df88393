//! A received request.

use serde_json::Value;

use crate::agent::AgentClient;
use crate::protocol::RequestSubject;

/// A received request.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpRequest {
    pub method: String,
    /// Including the query.
    pub path: String,
    /// In order, with names in lower case.
    pub headers: Vec<(String, String)>,
    /// Null if there is none or it is not JSON.
    pub body: Value,
    /// Whether it offers tools to the model, and so takes a turn of the script.
    pub is_main: bool,
}

impl HttpRequest {
    /// The value of a header, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The first agent whose protocol the request uses.
    pub fn agent(&self) -> Option<AgentClient> {
        let RequestSubject::Model(protocol) = RequestSubject::of(self) else { return None };
        AgentClient::ALL.into_iter().find(|agent| agent.protocol() == protocol)
    }

    /// The results of the model's tool calls in this conversation so far.
    pub fn tool_results(&self) -> Vec<String> {
        match RequestSubject::of(self) {
            RequestSubject::Model(protocol) => protocol.tool_results(&self.body),
            _ => Vec::new(),
        }
    }

    /// The path without the query.
    pub(crate) fn route(&self) -> &str {
        self.path.split_once('?').map_or(self.path.as_str(), |(place, _)| place)
    }
}
