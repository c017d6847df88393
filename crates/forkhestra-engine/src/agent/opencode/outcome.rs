//! Classifies the end of opencode.

use forkhestra_core::event::{AgentOutcome, OutcomeClass, ProcessEnd};

use crate::agent::one_line::message;
use crate::agent::provider_status;

/// The outcome of a step with this finish reason, or `None` if another step follows.
pub(super) fn step_outcome(reason: &str) -> Option<AgentOutcome> {
    let (class, text) = match reason {
        "" | "tool-calls" | "unknown" => return None,
        "length" => (OutcomeClass::Crashed, "the answer was longer than the model may write"),
        "content-filter" => (OutcomeClass::Refused, "the provider's filter stopped the answer"),
        "error" => (OutcomeClass::Crashed, "the answer ended in an error"),
        _ => return Some(AgentOutcome::of(OutcomeClass::Finished)),
    };
    Some(AgentOutcome { message: Some(text.to_owned()), ..AgentOutcome::of(class) })
}

/// The outcome of an error with this name, text and status. The response body is used if the text
/// is not specific.
pub(super) fn failure(name: &str, (text, body): (&str, &str), status: Option<u16>) -> AgentOutcome {
    let class = by_name(name)
        .or_else(|| provider_status::class_by_words(text, BY_TEXT))
        .or_else(|| provider_status::class_by_words(body, BY_TEXT))
        .or_else(|| status.and_then(provider_status::class))
        .unwrap_or(OutcomeClass::Crashed);
    let text = if text.is_empty() { name } else { text };
    AgentOutcome { message: message(text), ..AgentOutcome::of(class) }
}

fn by_name(name: &str) -> Option<OutcomeClass> {
    match name {
        "ContextOverflowError" => Some(OutcomeClass::ContextTooLong),
        "ProviderAuthError" => Some(OutcomeClass::Authentication),
        "MessageAbortedError" => Some(OutcomeClass::Interrupted),
        "ProviderModelNotFoundError" | "ProviderInitError" | "ConfigInvalidError" => {
            Some(OutcomeClass::Misconfigured)
        }
        _ => None,
    }
}

const BY_TEXT: &[(OutcomeClass, &[&str])] = &[
    (
        OutcomeClass::ContextTooLong,
        &[
            "context_length_exceeded",
            "context length",
            "context window",
            "prompt is too long",
            "exceeds the maximum number of tokens",
        ],
    ),
    (
        OutcomeClass::Billing,
        &[
            "insufficient_quota",
            "credit balance",
            "payment required",
            // Another provider's rate limit message begins with the same words.
            "please check your plan and billing details. for more information on this error, read \
             the docs: https://platform.openai.com",
        ],
    ),
    (OutcomeClass::UsageLimit, &["usage limit", "usage_limit_reached"]),
    (OutcomeClass::Authentication, &["invalid x-api-key", "incorrect api key", "unauthorized"]),
    (OutcomeClass::Misconfigured, &["model not found"]),
    (
        OutcomeClass::Overloaded,
        &["rate limit", "overloaded", "unable to connect", "connection refused", "econnreset"],
    ),
];

/// Whether a tool failed for lack of permission.
pub(super) fn is_denial(error: &str) -> bool {
    error.contains("rejected permission") || error.contains("a rule which prevents you")
}

/// The outcome of an opencode process that refused to start, if the reason is recognised.
pub(super) fn refusal(end: &ProcessEnd, stderr: &str) -> Option<AgentOutcome> {
    provider_status::refusal(end, stderr, ERROR_PHRASES)
}

const ERROR_PHRASES: &[(OutcomeClass, &[&str])] = &[
    (
        OutcomeClass::Misconfigured,
        &[
            "model not found",
            "configinvaliderror",
            "configuration is invalid",
            "config file at",
            "agent not found",
            "unknown argument",
            "you must provide a message",
        ],
    ),
    (OutcomeClass::Authentication, &["no auth", "not logged in"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_has_its_class() {
        use OutcomeClass as C;
        for (expected, name, text, status) in [
            (C::ContextTooLong, "ContextOverflowError", "Input exceeds context window", None),
            (C::ContextTooLong, "APIError", "maximum context length is 8192 tokens", Some(400)),
            (C::Authentication, "APIError", "invalid x-api-key", Some(401)),
            (C::Authentication, "APIError", "no", Some(403)),
            (C::Authentication, "ProviderAuthError", "", None),
            (C::Billing, "APIError", "insufficient_quota", Some(429)),
            (
                C::Billing,
                "APIError",
                "You exceeded your current quota, please check your plan and billing details. For more \
                 information on this error, read the docs: https://platform.openai.com/docs/guides",
                Some(429),
            ),
            (C::Overloaded, "APIError", "You exceeded your current quota.", Some(429)),
            (C::Overloaded, "APIError", "would exceed your account's rate limit", Some(429)),
            (C::Overloaded, "APIError", "oops", Some(500)),
            (C::UsageLimit, "APIError", "The usage limit has been reached", Some(429)),
            (C::Misconfigured, "UnknownError", "Model not found: fake/x.", None),
            (C::Interrupted, "MessageAbortedError", "", None),
            (C::Crashed, "MessageOutputLengthError", "", None),
            (C::Crashed, "", "", None),
        ] {
            assert_eq!(failure(name, (text, ""), status).class, expected, "{name} {text}");
        }
        let body = r#"{"error":{"code":"insufficient_quota"}}"#;
        assert_eq!(failure("APIError", ("No.", body), Some(429)).class, C::Billing);
    }

    #[test]
    fn a_step_that_calls_no_tool_is_the_last() {
        let class = |reason| step_outcome(reason).map(|outcome| outcome.class);
        assert_eq!(class("stop"), Some(OutcomeClass::Finished));
        assert_eq!(class("other"), Some(OutcomeClass::Finished));
        assert_eq!(class("length"), Some(OutcomeClass::Crashed));
        assert_eq!(class("content-filter"), Some(OutcomeClass::Refused));
        for reason in ["tool-calls", "unknown", ""] {
            assert_eq!(class(reason), None, "{reason}");
        }
    }
}
