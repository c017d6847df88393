//! Classifies the end of Claude Code.

use forkhestra_core::config::Backend;
use forkhestra_core::event::{AgentOutcome, OutcomeClass, ProcessEnd};
use forkhestra_core::time::Timestamp;

use crate::agent::one_line::message;
use crate::agent::provider_status;

use super::result::ClaudeResult;

/// Details of an API error before the result, which the result does not repeat.
#[derive(Debug, Default)]
pub(super) struct ClaudeApiError {
    /// The class in the terms of Claude Code.
    pub(super) error: String,
    /// When the limit is reset.
    pub(super) resets: Option<Timestamp>,
}

/// The outcome of a result.
pub(super) fn outcome(result: &ClaudeResult<'_>, api_error: &ClaudeApiError) -> AgentOutcome {
    let class = class(result, api_error);
    let message = match class {
        // There is no message, or only an internal one.
        OutcomeClass::Finished | OutcomeClass::Interrupted => None,
        _ => result.text().and_then(message),
    };
    let resets = api_error.resets.filter(|_| class == OutcomeClass::UsageLimit);
    AgentOutcome { class, message, resets }
}

fn class(result: &ClaudeResult<'_>, api_error: &ClaudeApiError) -> OutcomeClass {
    match result.subtype.get().unwrap_or_default() {
        // Success requires an explicit `is_error: false`.
        "success" if result.is_error.0 == Some(false) => return OutcomeClass::Finished,
        "error_max_turns" => return OutcomeClass::TurnLimit,
        "error_max_budget_usd" => return OutcomeClass::Budget,
        _ => {}
    }
    match result.terminal_reason.get().unwrap_or_default() {
        "max_turns" => return OutcomeClass::TurnLimit,
        "budget_exhausted" => return OutcomeClass::Budget,
        "prompt_too_long" => return OutcomeClass::ContextTooLong,
        "aborted_streaming" | "aborted_tools" => return OutcomeClass::Interrupted,
        _ => {}
    }
    if result.stop_reason.is("refusal") {
        return OutcomeClass::Refused;
    }
    if result.api_error.is("usage_limit_reached") {
        return OutcomeClass::UsageLimit;
    }
    let by_text = || provider_status::class_by_words(result.text().unwrap_or_default(), BY_TEXT);
    let by_status = || result.api_error_status.0.and_then(provider_status::class);
    by_error(&api_error.error).or_else(by_text).or_else(by_status).unwrap_or(OutcomeClass::Crashed)
}

fn by_error(error: &str) -> Option<OutcomeClass> {
    match error {
        "authentication_failed" => Some(OutcomeClass::Authentication),
        "billing_error" => Some(OutcomeClass::Billing),
        "max_output_tokens" => Some(OutcomeClass::Crashed),
        _ => None,
    }
}

/// Phrases for classes that no field reports. The texts are Claude Code's own, never the model's.
const BY_TEXT: &[(OutcomeClass, &[&str])] = &[
    (OutcomeClass::UsageLimit, &["you've hit your", "usage limit reached"]),
    (OutcomeClass::ContextTooLong, &["prompt is too long"]),
    (OutcomeClass::Billing, &["credit balance is too low"]),
    (
        OutcomeClass::Authentication,
        &["not logged in", "invalid api key", "failed to authenticate", "please run /login"],
    ),
    (
        OutcomeClass::Overloaded,
        &[
            "connection refused",
            "connection error",
            "can't reach the api server",
            "request timed out",
            "econnreset",
            "etimedout",
        ],
    ),
];

/// The outcome of a Claude Code process that refused to start, if the reason is recognised.
pub(super) fn refusal(end: &ProcessEnd, stderr: &str) -> Option<AgentOutcome> {
    if !end.is_success() && stderr.contains("cannot be used with root/sudo privileges") {
        let refusal = Backend::Claude.facts().root_refusal;
        let message = refusal.map(|refusal| format!("{}: {}", refusal.message, refusal.remedy));
        return Some(AgentOutcome { message, ..AgentOutcome::of(OutcomeClass::Misconfigured) });
    }
    provider_status::refusal(end, stderr, ERROR_PHRASES)
}

const ERROR_PHRASES: &[(OutcomeClass, &[&str])] = &[
    (
        OutcomeClass::Misconfigured,
        &[
            "error: unknown option",
            "error: option '",
            "error: input must be provided",
            "error: when using --print",
            "mcp config file not found",
            "invalid mcp configuration",
            "settings file not found",
            "system prompt file not found",
            "piped stdin input exceeds",
            "error: invalid session id",
        ],
    ),
    (OutcomeClass::Authentication, &["not logged in", "invalid api key", "please run /login"]),
];

#[cfg(test)]
mod tests {
    use crate::agent::json::object;

    use super::*;

    fn class_of(result: &str, error: &str) -> OutcomeClass {
        let result: ClaudeResult<'_> = object(result).expect("an object");
        let api_error = ClaudeApiError { error: error.to_owned(), resets: None };
        outcome(&result, &api_error).class
    }

    #[test]
    fn every_result_has_its_class() {
        use OutcomeClass as C;
        for (expected, error, result) in [
            (C::Finished, "", r#"{"subtype":"success","is_error":false}"#),
            (C::Finished, "server_error", r#"{"subtype":"success","is_error":false}"#),
            (C::TurnLimit, "", r#"{"subtype":"error_max_turns","is_error":true}"#),
            (C::TurnLimit, "", r#"{"subtype":"x","is_error":true,"terminal_reason":"max_turns"}"#),
            (C::Budget, "", r#"{"subtype":"error_max_budget_usd","is_error":true}"#),
            (
                C::UsageLimit,
                "rate_limit",
                r#"{"subtype":"success","is_error":true,"api_error_status":429,"api_error":"usage_limit_reached"}"#,
            ),
            (
                C::UsageLimit,
                "rate_limit",
                r#"{"subtype":"success","is_error":true,"api_error_status":429,"result":"You've hit your 5-hour limit"}"#,
            ),
            (
                C::Overloaded,
                "rate_limit",
                r#"{"subtype":"success","is_error":true,"api_error_status":429,"result":"API Error: Request rejected (429) · This request would exceed your account's rate limit."}"#,
            ),
            (C::Overloaded, "server_error", r#"{"is_error":true,"api_error_status":529}"#),
            (C::Overloaded, "server_error", r#"{"is_error":true,"api_error_status":500}"#),
            (
                C::Overloaded,
                "unknown",
                r#"{"is_error":true,"api_error_status":null,"result":"API Error: Connection refused — (ECONNREFUSED)"}"#,
            ),
            (C::Authentication, "", r#"{"is_error":true,"api_error_status":401}"#),
            (
                C::Authentication,
                "",
                r#"{"is_error":true,"api_error_status":403,"result":"Failed to authenticate. API Error: 403 forbidden"}"#,
            ),
            (
                C::Authentication,
                "",
                r#"{"is_error":true,"result":"Not logged in · Please run /login"}"#,
            ),
            (
                C::Billing,
                "billing_error",
                r#"{"is_error":true,"api_error_status":400,"result":"Credit balance is too low"}"#,
            ),
            (C::Billing, "", r#"{"is_error":true,"result":"Credit balance is too low"}"#),
            (
                C::ContextTooLong,
                "",
                r#"{"is_error":true,"api_error_status":400,"terminal_reason":"prompt_too_long"}"#,
            ),
            (
                C::Refused,
                "invalid_request",
                r#"{"subtype":"success","is_error":true,"stop_reason":"refusal","terminal_reason":"api_error"}"#,
            ),
            (C::Interrupted, "", r#"{"is_error":true,"terminal_reason":"aborted_tools"}"#),
            (C::Interrupted, "", r#"{"is_error":true,"terminal_reason":"aborted_streaming"}"#),
            (C::Misconfigured, "", r#"{"is_error":true,"api_error_status":404}"#),
            (C::Crashed, "max_output_tokens", r#"{"is_error":true,"terminal_reason":"api_error"}"#),
            (C::Crashed, "", r#"{"subtype":"error_during_execution","is_error":true}"#),
            (C::Crashed, "", r#"{"subtype":"success"}"#),
            (C::Crashed, "", "{}"),
        ] {
            assert_eq!(class_of(result, error), expected, "{result} {error}");
        }
    }
}
