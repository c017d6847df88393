//! What agents print when a usage limit is reached.

use forkhestra_core::config::Backend;
use serde_json::json;

/// What is printed, and how the agent ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Limit {
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    pub(super) code: u8,
}

impl Limit {
    /// What an agent prints at this moment, in seconds since 1970. The limit is reset a moment later,
    /// so that nobody waits longer than for any limit.
    pub(super) fn of(backend: Option<Backend>, now: u64) -> Self {
        match backend {
            Some(Backend::Claude) => Self::claude(now + 1),
            Some(Backend::Codex) => Self::codex(),
            Some(Backend::Gemini) => Self::gemini(),
            Some(Backend::Opencode) => Self::opencode(),
            None => {
                let stderr = b"the usage limit is reached (a fault of this replay)\n".to_vec();
                Self { stdout: Vec::new(), stderr, code: 1 }
            }
        }
    }

    fn lines(lines: &[serde_json::Value], code: u8) -> Self {
        let stdout = lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes();
        Self { stdout, stderr: Vec::new(), code }
    }

    fn claude(resets: u64) -> Self {
        let limit = json!({
            "type": "rate_limit_event",
            "rate_limit_info": {
                "status": "rejected", "resetsAt": resets, "rateLimitType": "five_hour",
                "isUsingOverage": false,
            },
        });
        let result = json!({
            "type": "result", "subtype": "success", "is_error": true, "api_error_status": 429,
            "api_error": "usage_limit_reached", "terminal_reason": "api_error",
            "result": "You've hit your 5-hour limit",
        });
        Self::lines(&[limit, result], 1)
    }

    fn codex() -> Self {
        let message = "You’ve hit your usage limit. Try again in 1s.";
        let error = json!({ "type": "error", "message": message });
        let failed = json!({ "type": "turn.failed", "error": { "message": message } });
        Self::lines(&[error, failed], 1)
    }

    fn gemini() -> Self {
        let message = "[API Error: You have exhausted your daily quota on this model. Your quota \
                       will reset after 1s.]";
        let error = json!({ "type": "unknown", "message": message });
        let result = json!({ "type": "result", "status": "error", "error": error, "stats": {} });
        // Its exit code is the status of the answer, cut to a byte.
        Self::lines(&[result], 173)
    }

    fn opencode() -> Self {
        let data = json!({
            "message": "The usage limit has been reached. Please try again in 1s.",
            "statusCode": 429, "isRetryable": false,
        });
        let error = json!({ "type": "error", "error": { "name": "APIError", "data": data } });
        Self::lines(&[error], 1)
    }
}
