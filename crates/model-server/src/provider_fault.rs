//! Common failures of providers.

use serde_json::{Value, json};

use crate::agent::AgentClient;
use crate::model_turn::ModelTurn;
use crate::protocol::ModelProtocol;

/// A failure of a provider, in the format of each agent's provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderFault {
    /// An unknown key: 401.
    Unauthorized,
    /// The account's usage limit is reached: 429, with the time of the reset in seconds since 1970.
    UsageLimit { resets: u64 },
    /// Too many requests: 429 without a reset.
    RateLimit,
    /// The provider is overloaded: 529 in Anthropic's protocol, 503 for the others.
    Overloaded,
    /// The stream breaks off after the first piece of text.
    Cut,
    /// The stream is invalid.
    Malformed,
    /// The request is accepted and never answered.
    Hang,
}

impl ProviderFault {
    /// The turn that fails in this way for an agent.
    pub fn turn(self, agent: AgentClient) -> ModelTurn {
        let protocol = agent.protocol();
        match self {
            Self::Unauthorized => {
                let kind = protocol.error_kind("authentication_error", "UNAUTHENTICATED");
                refusal(protocol, 401, kind, "invalid api key")
            }
            Self::UsageLimit { resets } => usage_limit(protocol, resets),
            Self::RateLimit => {
                let kind = protocol.error_kind("rate_limit_error", "RESOURCE_EXHAUSTED");
                refusal(protocol, 429, kind, "too many requests")
            }
            Self::Overloaded => {
                let status = if protocol == ModelProtocol::Anthropic { 529 } else { 503 };
                let kind = protocol.error_kind("overloaded_error", "UNAVAILABLE");
                refusal(protocol, status, kind, "overloaded")
            }
            Self::Cut => ModelTurn::text("This answer breaks off in the middle of its text.").cut(),
            Self::Malformed => ModelTurn::new().malformed(),
            Self::Hang => ModelTurn::new().hang(),
        }
    }
}

impl ModelProtocol {
    /// The error type: Google has its own words.
    fn error_kind(self, usual: &'static str, google: &'static str) -> &'static str {
        if self == Self::Gemini { google } else { usual }
    }
}

fn refusal(protocol: ModelProtocol, status: u16, kind: &str, message: &str) -> ModelTurn {
    ModelTurn::new().status(status).error(body(protocol, status, kind, message))
}

fn body(protocol: ModelProtocol, status: u16, kind: &str, message: &str) -> Value {
    match protocol {
        ModelProtocol::Anthropic => {
            json!({ "type": "error", "error": { "type": kind, "message": message } })
        }
        ModelProtocol::Responses | ModelProtocol::Chat => {
            json!({ "error": { "type": kind, "code": kind, "message": message } })
        }
        ModelProtocol::Gemini => {
            json!({ "error": { "code": status, "status": kind, "message": message } })
        }
    }
}

/// Each provider reports the reset of the limit in its own way. Google reports none.
fn usage_limit(protocol: ModelProtocol, resets: u64) -> ModelTurn {
    match protocol {
        ModelProtocol::Anthropic => {
            refusal(protocol, 429, "rate_limit_error", "usage limit reached")
                .header("anthropic-ratelimit-unified-status", "rejected")
                .header("anthropic-ratelimit-unified-reset", resets.to_string())
                .header("anthropic-ratelimit-unified-representative-claim", "five_hour")
        }
        ModelProtocol::Responses | ModelProtocol::Chat => {
            ModelTurn::new().status(429).error(json!({ "error": {
            "type": "usage_limit_reached", "message": "usage limit reached", "resets_at": resets,
        } }))
        }
        ModelProtocol::Gemini => {
            refusal(protocol, 429, "RESOURCE_EXHAUSTED", "You exceeded your quota.")
        }
    }
}
