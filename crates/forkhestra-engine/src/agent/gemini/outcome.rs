//! Classifies the end of Gemini CLI.

use forkhestra_core::event::{AgentOutcome, OutcomeClass, ProcessEnd};

use crate::agent::one_line::{last_line, message, one_line};
use crate::agent::provider_status;

/// The outcome of an error with this type and text.
pub(super) fn failure(kind: &str, text: &str) -> AgentOutcome {
    let class = by_type(kind).or_else(|| provider_status::class_by_words(text, BY_TEXT));
    // The remaining lines are advice for interactive users.
    let message = text.lines().find_map(message);
    AgentOutcome { message, ..AgentOutcome::of(class.unwrap_or(OutcomeClass::Crashed)) }
}

fn by_type(kind: &str) -> Option<OutcomeClass> {
    match kind {
        "FatalTurnLimitedError" => Some(OutcomeClass::TurnLimit),
        "FatalAuthenticationError" => Some(OutcomeClass::Authentication),
        "FatalInputError"
        | "FatalConfigError"
        | "FatalSandboxError"
        | "FatalUntrustedWorkspaceError" => Some(OutcomeClass::Misconfigured),
        "FatalCancellationError" => Some(OutcomeClass::Interrupted),
        _ => None,
    }
}

/// The text is the provider's, often as JSON. Phrases that every quota message contains (a larger
/// quota, the billing details) are not matched.
const BY_TEXT: &[(OutcomeClass, &[&str])] = &[
    (
        OutcomeClass::ContextTooLong,
        &["exceeds the maximum number of tokens", "context window", "input is too long"],
    ),
    (
        OutcomeClass::UsageLimit,
        &["daily quota", "perday", "per day", "quota will reset after", "exhausted your capacity"],
    ),
    (
        OutcomeClass::Overloaded,
        &[
            "resource has been exhausted",
            "resource_exhausted",
            "rate_limit",
            "rate limit",
            "retry in ",
            "exceeded your current quota",
            "overloaded",
            "unavailable",
            "\"code\":429",
            "\"code\":50",
            "fetch failed",
            "econnrefused",
            "econnreset",
            "etimedout",
            "api error: terminated",
        ],
    ),
    (
        OutcomeClass::Authentication,
        &[
            "api_key_invalid",
            "api key not valid",
            "unauthenticated",
            "permission_denied",
            "\"code\":401",
            "\"code\":403",
        ],
    ),
    (OutcomeClass::Billing, &["billing"]),
    (OutcomeClass::Misconfigured, &["is not found for api version", "\"code\":404", "not_found"]),
    (OutcomeClass::Refused, &["prohibited_content", "blocked due to safety", "blockreason"]),
];

/// Refines an outcome by the exit code, which is the HTTP status modulo 256.
pub(super) fn refine_by_exit(outcome: AgentOutcome, end: &ProcessEnd) -> AgentOutcome {
    let ProcessEnd::Exited(code) = end else { return outcome };
    if outcome.class != OutcomeClass::Crashed {
        return outcome;
    }
    let statuses = [400, 401, 402, 403, 404, 408, 413, 429, 500, 502, 503, 504];
    let status = statuses.into_iter().find(|status| i32::from(status % 256) == *code);
    let class = status.and_then(provider_status::class).unwrap_or(OutcomeClass::Crashed);
    AgentOutcome { class, ..outcome }
}

/// The exit code at the turn limit of the user's own settings.
const TURN_LIMIT: i32 = 53;

/// The outcome of an exit without a result. After an interrupt there is no message.
pub(super) fn of_exit(code: i32) -> Option<AgentOutcome> {
    match code {
        0 => Some(AgentOutcome::of(OutcomeClass::Interrupted)),
        TURN_LIMIT => Some(AgentOutcome::of(OutcomeClass::TurnLimit)),
        _ => None,
    }
}

/// The outcome of a Gemini CLI process that refused to start, if the reason is recognised. It
/// always prints a message.
pub(super) fn refusal(end: &ProcessEnd, stderr: &str) -> Option<AgentOutcome> {
    let message = last_line(stderr)?;
    let class = match end {
        ProcessEnd::Exited(41) => OutcomeClass::Authentication,
        ProcessEnd::Exited(42 | 44 | 52 | 55) => OutcomeClass::Misconfigured,
        ProcessEnd::Exited(0) => return None,
        _ => provider_status::class_by_words(stderr, ERROR_PHRASES)?,
    };
    // The argument parser prints the error first, followed by its help.
    let argument = stderr.lines().find(|line| line.starts_with("Unknown argument"));
    let message = argument.map_or(message, one_line);
    Some(AgentOutcome { message: Some(message), ..AgentOutcome::of(class) })
}

const ERROR_PHRASES: &[(OutcomeClass, &[&str])] = &[
    (
        OutcomeClass::Misconfigured,
        &["unknown argument", "not enough arguments", "not running in a trusted directory"],
    ),
    (
        OutcomeClass::Authentication,
        &["invalid auth method", "set an auth method", "no auth", "api key not found"],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_has_its_class() {
        use OutcomeClass as C;
        for (expected, kind, text) in [
            (C::TurnLimit, "FatalTurnLimitedError", "Reached max session turns"),
            (C::Authentication, "FatalAuthenticationError", ""),
            (C::Misconfigured, "FatalInputError", ""),
            (C::Interrupted, "FatalCancellationError", ""),
            (
                C::Authentication,
                "unknown",
                r#"[API Error: {"error":{"code":401,"message":"no","status":"UNAUTHENTICATED"}}]"#,
            ),
            (C::Authentication, "unknown", r#"API key not valid "reason":"API_KEY_INVALID""#),
            (
                C::Overloaded,
                "unknown",
                "[API Error: Resource has been exhausted (e.g. check quota).]\nPlease wait",
            ),
            (
                C::Overloaded,
                "unknown",
                "You exceeded your current quota, check your plan and \
                 billing details. Please retry in 34.2s.",
            ),
            (C::Overloaded, "unknown", "[API Error: The model is overloaded.]"),
            (C::Overloaded, "unknown", r#"{"error":{"code":500,"status":"INTERNAL"}}"#),
            (C::Overloaded, "unknown", "[API Error: terminated]"),
            (C::UsageLimit, "unknown", "You have exhausted your daily quota on this model."),
            (C::UsageLimit, "unknown", "Quota exceeded: GenerateRequestsPerDayPerProject"),
            (
                C::ContextTooLong,
                "unknown",
                "The input token count (1200000) exceeds the maximum number of tokens allowed",
            ),
            (C::Billing, "unknown", "This API method requires billing to be enabled."),
            (C::Misconfigured, "unknown", "models/x is not found for API version v1beta"),
            (C::Refused, "unknown", "PROHIBITED_CONTENT"),
            (C::Crashed, "unknown", "something"),
        ] {
            assert_eq!(failure(kind, text).class, expected, "{kind} {text}");
        }
    }

    #[test]
    fn the_exit_code_is_an_http_status_if_nothing_else_is_specific() {
        use OutcomeClass as C;
        let class =
            |class, code| refine_by_exit(AgentOutcome::of(class), &ProcessEnd::Exited(code)).class;
        for (code, expected) in [
            (145, C::Authentication),
            (147, C::Authentication),
            (173, C::Overloaded),
            (244, C::Overloaded),
            (247, C::Overloaded),
            (148, C::Misconfigured),
            (144, C::Crashed),
            (1, C::Crashed),
        ] {
            assert_eq!(class(C::Crashed, code), expected, "{code}");
        }
        assert_eq!(class(C::UsageLimit, 173), C::UsageLimit);
        let killed = refine_by_exit(AgentOutcome::of(C::Crashed), &ProcessEnd::Signaled(9));
        assert_eq!(killed.class, C::Crashed);
    }
}
