//! Classifies the end of Codex. Its stream has no field for it, so texts are matched.

use forkhestra_core::event::{AgentOutcome, OutcomeClass, ProcessEnd};

use crate::agent::one_line::{last_line, message};
use crate::agent::provider_status;

/// The outcome of a turn that failed with this text.
pub(super) fn failure(text: &str) -> AgentOutcome {
    AgentOutcome { message: message(text), ..AgentOutcome::of(class(text)) }
}

fn class(text: &str) -> OutcomeClass {
    provider_status::class_by_words(text, BY_TEXT)
        .or_else(|| provider_status::mentioned(text).and_then(provider_status::class))
        .unwrap_or(OutcomeClass::Crashed)
}

const BY_TEXT: &[(OutcomeClass, &[&str])] = &[
    (OutcomeClass::ContextTooLong, &["context_length_exceeded", "context window"]),
    (OutcomeClass::UsageLimit, &["hit your usage limit", "usage_limit_reached"]),
    (OutcomeClass::Billing, &["quota exceeded", "insufficient_quota"]),
    (
        OutcomeClass::Authentication,
        &[
            "incorrect api key",
            "missing environment variable",
            "not logged in",
            "refresh token",
            "sign in again",
            "log in again",
        ],
    ),
    (OutcomeClass::Refused, &["content_filter", "cyber_policy", "flagged for possible"]),
    (
        OutcomeClass::Overloaded,
        &[
            "at capacity",
            "high demand",
            "rate limit",
            "stream disconnected",
            "error sending request",
            "connection refused",
            "timed out",
        ],
    ),
];

/// The outcome of a Codex process that refused to start, if the reason is recognised.
pub(super) fn refusal(end: &ProcessEnd, stderr: &str) -> Option<AgentOutcome> {
    // The argument parser prints the error first and a hint about help last.
    let mut errors = stderr.lines().filter(|line| {
        line.get(..5).is_some_and(|beginning| beginning.eq_ignore_ascii_case("error"))
    });
    let class = match end {
        ProcessEnd::Exited(0) => return None,
        ProcessEnd::Exited(2) if is_usage(stderr) => OutcomeClass::Misconfigured,
        _ => provider_status::class_by_words(stderr, ERROR_PHRASES)?,
    };
    let message = errors.next().and_then(message).or_else(|| last_line(stderr));
    Some(AgentOutcome { message, ..AgentOutcome::of(class) })
}

/// Whether it is the output of the argument parser.
fn is_usage(stderr: &str) -> bool {
    let words = ["Usage:", "unexpected argument", "invalid value"];
    stderr.lines().any(|line| line.starts_with("error:"))
        && words.iter().any(|word| stderr.contains(word))
}

const ERROR_PHRASES: &[(OutcomeClass, &[&str])] = &[
    (
        OutcomeClass::Misconfigured,
        &[
            "error loading config",
            "error parsing -c overrides",
            "--skip-git-repo-check was not specified",
            "not inside a trusted directory",
            "codex_home points to",
            "error: model provider",
        ],
    ),
    (OutcomeClass::Authentication, &["not logged in", "login required"]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_failure_has_its_class() {
        use OutcomeClass as C;
        for (expected, text) in [
            (
                C::ContextTooLong,
                r#"{"error": {"message": "Your input exceeds the context window", "code": "context_length_exceeded"}}"#,
            ),
            (C::ContextTooLong, "Codex ran out of room in the model's context window. Start anew."),
            (C::UsageLimit, "You’ve hit your usage limit. Try again later."),
            (C::Billing, "Quota exceeded. Check your plan and billing details."),
            (C::Overloaded, "exceeded retry limit, last status: 429 Too Many Requests"),
            (C::Overloaded, "We’re currently experiencing high demand, which may cause errors."),
            (C::Overloaded, "unexpected status 503 Service Unavailable: busy, url: http://h/v1"),
            (C::Overloaded, "Selected model is at capacity. Please try a different model."),
            (C::Authentication, "unexpected status 401 Unauthorized: Incorrect API key provided"),
            (C::Authentication, "Missing environment variable: `OPENAI_API_KEY`."),
            (C::Misconfigured, "unexpected status 404 Not Found: no such model"),
            (C::Crashed, "unexpected status 400 Bad Request: no"),
            (C::Crashed, ""),
        ] {
            assert_eq!(failure(text).class, expected, "{text}");
        }
    }
}
