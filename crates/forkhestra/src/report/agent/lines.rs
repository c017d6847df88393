//! Lines that report a single agent event.

use std::time::Duration;

use forkhestra_core::text;
use forkhestra_core::time::Timestamp;
use forkhestra_engine::agent::stream::agent_event::{
    AgentReady, LimitNotice, ProviderRetry, ToolCall, ToolDenial, ToolResult,
};
use typeset::style::{ACTIVE, BAD, DIM, NAME, WARNING, paint};
use typeset::text::{shortened, visible};

use super::sanitized_text::harmless;
use crate::cli::byte_size::ByteSize;
use crate::report::run::{short_duration, whole_seconds};
use crate::report::text::local_time;

/// Maximum length of agent text inside a report line.
const MAX_LINE_CHARS: usize = 300;

/// Prefix of the exit code of a failed command.
const EXIT_CODE: &str = "Exit code ";

/// Tags that Claude Code puts around a tool error.
const TAGS: [&str; 2] = ["<tool_use_error>", "</tool_use_error>"];

/// Maximum number of lines of a tool result.
const MAX_LINES: usize = 20;

/// Maximum width of a line of a tool result.
const WIDEST: usize = 200;

/// Bytes of a tool result beyond this are ignored.
const MAX_BYTES: usize = 64 * 1024;

/// Line for a tool call.
pub(super) fn tool_call(call: &ToolCall<'_>) -> String {
    format!("{} {}", paint(ACTIVE, "●"), tool(&call.name, &call.brief))
}

/// Line for a denied tool call.
pub(super) fn denial(denial: &ToolDenial<'_>) -> String {
    let why = match brief(&denial.why) {
        why if why.is_empty() => "denied".to_owned(),
        why => format!("denied: {why}"),
    };
    format!("{} {}  ({why})", paint(BAD, "✗"), tool(&denial.tool, &denial.brief))
}

/// Line that states what would allow a denied tool call.
pub(super) fn advice(advice: &str) -> String {
    paint(DIM, &format!("  {advice}"))
}

/// Line for a repeated provider request.
pub(super) fn retry(retry: &ProviderRetry<'_>) -> String {
    let most = retry.max_attempts.map(|most| format!("/{most}")).unwrap_or_default();
    let delay =
        retry.delay.map(|delay| format!(" in {}", short_duration(delay))).unwrap_or_default();
    let why = match retry.unanswered {
        Some(silence) if silence >= Duration::from_secs(1) => {
            format!("no answer for {}", short_duration(silence))
        }
        Some(_) => "no answer".to_owned(),
        None => brief(&retry.why),
    };
    // Some programs give an identifier such as `rate_limit` as the reason.
    let why = if why.contains(' ') { why } else { why.replace('_', " ") };
    let why = match retry.status.map(|status| status.to_string()) {
        Some(status) if why.is_empty() => format!(": status {status}"),
        Some(status) if !why.contains(&status) => format!(": {why} ({status})"),
        _ if why.is_empty() => String::new(),
        _ => format!(": {why}"),
    };
    format!("{} retry {}{most}{delay}{why}", paint(WARNING, "↻"), retry.attempt)
}

/// Line for the state of a provider limit; none if the notice has neither usage nor exhaustion.
pub(super) fn limit(notice: &LimitNotice<'_>, now: Option<Timestamp>) -> Option<String> {
    let window = notice.window.as_deref().map_or_else(|| "usage".to_owned(), window_name);
    let (sign, what) = match (notice.is_reached, notice.used) {
        (true, _) => (paint(BAD, "✗"), format!("the {window} limit is reached")),
        (false, Some(used)) => {
            let percent = (used.clamp(0.0, 10.0) * 100.0).round();
            (paint(WARNING, "▲"), format!("{percent} % of the {window} limit used"))
        }
        (false, None) => return None,
    };
    let resets = notice.resets.map(|resets| format!(", resets {}", future_time(resets, now)));
    Some(format!("{sign} {what}{}", resets.unwrap_or_default()))
}

/// Line for an error message.
pub(super) fn error(message: &str) -> String {
    format!("{} {message}", paint(BAD, "✗"))
}

/// Line for a stream line that was too long to parse.
pub(super) fn skipped(bytes: u64) -> String {
    let what = format!("a line of {} is too long to be understood", ByteSize(bytes));
    format!("{} {what}", paint(WARNING, "▲"))
}

/// Model, session and key source of an agent.
pub(super) fn begun(begun: &AgentReady<'_>) -> String {
    let parts = [("model", &begun.model), ("session", &begun.session), ("key", &begun.key_source)];
    let parts_text = parts.iter().filter_map(|(name, value)| {
        value.as_deref().map(|value| format!("{name} {}", brief(value)))
    });
    parts_text.collect::<Vec<_>>().join(", ")
}

/// Reasoning text of the model, line by line.
pub(super) fn thinking(text: &str) -> Vec<String> {
    let text = harmless(text.as_bytes());
    let lines = text.trim_matches('\n').lines();
    lines.map(|line| if line.is_empty() { String::new() } else { paint(DIM, line) }).collect()
}

/// Output of a tool, line by line.
pub(super) fn tool_result(result: &ToolResult<'_>) -> Vec<String> {
    let (sign, style) = if result.is_error { ("✗", BAD) } else { ("", DIM) };
    let all = result.text.trim_end_matches(['\r', '\n']);
    let number = all.lines().count();
    let mut lines: Vec<String> = harmless(beginning(all).as_bytes())
        .lines()
        .take(MAX_LINES)
        .map(|line| paint(style, &shortened(&line.replace('\t', "    "), WIDEST)))
        .collect();
    if lines.is_empty() && result.is_error {
        lines.push(paint(style, "failed"));
    }
    if let Some(more) = number.checked_sub(MAX_LINES).filter(|more| *more > 0) {
        lines.push(paint(DIM, &format!("… {}", text::count(more, "more line"))));
    }
    let sign = if sign.is_empty() { "  ".to_owned() } else { format!("{} ", paint(style, sign)) };
    let indents = std::iter::once(sign.as_str()).chain(std::iter::repeat("  "));
    lines.iter().zip(indents).map(|(line, indent)| format!("  {indent}{line}")).collect()
}

/// Line for a failed tool call with the first line of its error.
pub(super) fn tool_failure(result: &ToolResult<'_>) -> String {
    let text = result.text.trim();
    let text = text.strip_prefix(TAGS[0]).unwrap_or(text);
    let text = text.strip_suffix(TAGS[1]).unwrap_or(text);
    let parts_text = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let parts_text: Vec<&str> = parts_text.take(2).collect();
    let why = match parts_text.as_slice() {
        [] => "failed".to_owned(),
        // An exit code alone explains little.
        [code, first, ..] if code.starts_with(EXIT_CODE) => format!("{code}: {first}"),
        [first, ..] => (*first).to_owned(),
    };
    paint(BAD, &format!("  ✗ {}", shortened(&visible(&why), WIDEST)))
}

/// Agent text as one line of bounded length.
pub(super) fn brief(text: &str) -> String {
    shortened(&visible(text.trim()), MAX_LINE_CHARS)
}

fn tool(name: &str, input: &str) -> String {
    let (name, input) = (paint(NAME, &brief(name)), brief(input));
    if input.is_empty() { name } else { format!("{name}  {input}") }
}

/// `five_hour` becomes `five-hour`.
fn window_name(window: &str) -> String {
    brief(window).replace('_', "-")
}

/// A future time and the duration until then.
fn future_time(timestamp: Timestamp, now: Option<Timestamp>) -> String {
    match now {
        None => local_time::minute_in_zone(timestamp),
        Some(now) => {
            let left = whole_seconds(timestamp.saturating_since(now));
            format!("{} (in {left})", local_time::time_in_zone(timestamp, now))
        }
    }
}

fn beginning(text: &str) -> &str {
    let mut end = text.len().min(MAX_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
