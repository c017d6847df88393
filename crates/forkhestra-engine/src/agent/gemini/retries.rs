//! Retries of Gemini CLI, which its stream does not report.

use std::mem;
use std::time::Duration;

use forkhestra_core::event::OutcomeClass;
use serde::Deserialize;

use super::outcome::failure;
use crate::agent::json::{Lenient, LenientString, object};
use crate::agent::stderr_watcher::{StderrDialect, StderrLineKind, StderrRetry, may_start_with};

/// The prefix of all lines about retries, before a number.
const RETRY_PREFIX: &str = "Attempt ";

/// The prefix of the line after the last failed attempt.
const FINAL_ERROR: &str = "Error when talking to Gemini API";

/// The maximum of lines of one message.
const MAX_MESSAGE_LINES: usize = 4;

/// Recognises the lines about retries and the stack traces that follow them.
#[derive(Debug, Default)]
pub(super) struct GeminiRetries {
    /// Whether the last line was one of them, so that a stack trace may follow.
    is_in_trace: bool,
}

impl StderrDialect for GeminiRetries {
    fn may_begin(&self, prefix: &[u8]) -> bool {
        let may_be_trace = self.is_in_trace && matches!(prefix.first(), Some(b' ' | b'}'));
        may_be_trace || may_start_with(prefix, RETRY_PREFIX) || may_start_with(prefix, FINAL_ERROR)
    }

    fn parse_line(&mut self, lines: &str) -> StderrLineKind {
        if mem::take(&mut self.is_in_trace) {
            if lines.trim_end() == "}" {
                return StderrLineKind::Noise;
            }
            if lines.starts_with(' ') {
                self.is_in_trace = true;
                return StderrLineKind::Noise;
            }
        }
        // The final error is displayed, but its stack trace is not.
        self.is_in_trace = lines.starts_with(FINAL_ERROR);
        let Some((attempt, message)) = attempt(lines) else { return StderrLineKind::Nothing };
        if let Some(repeated) =
            with_backoff(attempt, message).or_else(|| after_delay(attempt, message))
        {
            self.is_in_trace = true;
            return StderrLineKind::Retry(repeated);
        }
        // A message may have several lines, and the delay follows it.
        let is_open = message.starts_with(": ") && !message.contains(". Max attempts reached");
        match is_open && lines.lines().count() < MAX_MESSAGE_LINES {
            true => StderrLineKind::Continues,
            false => StderrLineKind::Nothing,
        }
    }

    fn skip_line(&mut self) {
        self.is_in_trace = false;
    }
}

/// Parses `Attempt 3 failed…`.
fn attempt(lines: &str) -> Option<(u32, &str)> {
    let (attempt, message) = lines.strip_prefix(RETRY_PREFIX)?.split_once(" failed")?;
    Some((attempt.parse().ok()?, message))
}

/// Parses ` with status 500. Retrying with backoff... _ApiError: {…}`, and the same without a
/// status.
fn with_backoff(attempt: u32, rest: &str) -> Option<StderrRetry> {
    let (before, error) = rest.split_once(". Retrying with backoff...")?;
    let status = before.strip_prefix(" with status ").and_then(|status| status.parse().ok());
    let error = error.trim();
    let text = message(error);
    Some(StderrRetry { attempt, delay: None, until: None, status, why: text, class: class(error) })
}

/// Parses `: You asked too often. Retrying after 34000ms...`.
fn after_delay(attempt: u32, message: &str) -> Option<StderrRetry> {
    let (text, delay) = message.strip_prefix(": ")?.rsplit_once(". Retrying after ")?;
    let milliseconds = delay.trim_end().strip_suffix("ms...")?.parse().ok()?;
    let delay = Some(Duration::from_millis(milliseconds));
    let why = text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(StderrRetry { attempt, delay, until: None, status: None, why, class: class(text) })
}

/// A retried request was not refused for good, whatever else the provider mentions.
fn class(text: &str) -> OutcomeClass {
    match failure("", text).class {
        OutcomeClass::UsageLimit => OutcomeClass::UsageLimit,
        _ => OutcomeClass::Overloaded,
    }
}

/// The provider's message from an error name followed by JSON.
fn message(error: &str) -> String {
    #[derive(Default, Deserialize)]
    #[serde(default, bound(deserialize = "'de: 'a"))]
    struct GeminiErrorResponse<'a> {
        error: Lenient<GeminiErrorBody<'a>>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default, bound(deserialize = "'de: 'a"))]
    struct GeminiErrorBody<'a> {
        message: LenientString<'a>,
    }
    let text = error.split_once(": ").map_or(error, |(_, text)| text);
    let inner = object::<GeminiErrorResponse<'_>>(text).and_then(|answer| answer.error.0);
    let rest = inner.as_ref().and_then(|inner| inner.message.get()).filter(|rest| !rest.is_empty());
    rest.unwrap_or(text).to_owned()
}
