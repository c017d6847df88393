//! Renders notices and results as lines.

use std::borrow::Cow;

use forkhestra_core::cost::Spend;
use forkhestra_core::event::{AgentActivity, AgentOutcome, MarkerMatch, StreamSummary};
use forkhestra_engine::agent::stream::agent_event::{AgentEventKind, LimitNotice, ProviderRetry};
use forkhestra_engine::agent::{StreamFact, StreamNotice, StreamResult};

/// A notice as one line.
pub(crate) fn notice(notice: &StreamNotice<'_>) -> String {
    match notice {
        StreamNotice::Fact(fact) => format!("=> {}", self::fact(fact)),
        StreamNotice::AgentEvent(event) => {
            let margin = if event.nested { "| " } else { "" };
            format!("{margin}{}", kind(&event.kind))
        }
    }
}

/// A stream result as one line.
pub(crate) fn findings(findings: &StreamResult) -> String {
    format!(
        "marker {}, outcome {}, {}{}",
        findings.marker_match.as_ref().map_or_else(|| "none".to_owned(), match_line),
        findings.outcome.as_ref().map_or_else(|| "none".to_owned(), outcome),
        activity(findings.activity),
        if findings.understood { "" } else { ", not understood" },
    )
}

/// A stream summary as one line.
pub(crate) fn summary_line(stream_summary: Option<&StreamSummary>) -> String {
    let words = |stream_summary: &StreamSummary| {
        format!("{}, {}", outcome(&stream_summary.outcome), activity(stream_summary.activity))
    };
    stream_summary.map_or_else(|| "a program".to_owned(), words)
}

fn kind(kind: &AgentEventKind<'_>) -> String {
    match kind {
        AgentEventKind::Begun(begun) => format!(
            "begun session={} model={} key={}",
            word(begun.session.as_ref()),
            word(begun.model.as_ref()),
            word(begun.key_source.as_ref())
        ),
        AgentEventKind::Turn => "turn".to_owned(),
        AgentEventKind::Text { text, purpose } => format!("text {purpose:?} {text:?}"),
        AgentEventKind::TextEnd => "text end".to_owned(),
        AgentEventKind::Thinking(text) => format!("thinking {text:?}"),
        AgentEventKind::ToolCall(call) => {
            format!("call {} {} {:?} {}", call.id, call.name, call.brief, call.input)
        }
        AgentEventKind::ToolResult(result) => {
            let how = if result.is_error { " failed" } else { "" };
            format!("result {}{how} {:?}", result.id, result.text)
        }
        AgentEventKind::Retry(retry) => self::retry(retry),
        AgentEventKind::Limit(limit) => self::limit(limit),
        AgentEventKind::Denial(denial) => {
            format!("denial {} {:?}: {}", denial.tool, denial.brief, denial.why)
        }
        AgentEventKind::Error(text) => format!("error {text:?}"),
        AgentEventKind::Result(conclusion) => {
            format!("conclusion {} {:?}", outcome(&conclusion.outcome), conclusion.text)
        }
        AgentEventKind::Plain(bytes) => format!("plain {:?}", String::from_utf8_lossy(bytes)),
        AgentEventKind::Unknown(name) => format!("unknown {name}"),
        AgentEventKind::Skipped { bytes } => format!("skipped {bytes}"),
    }
}

fn word(word: Option<&Cow<'_, str>>) -> String {
    word.map_or_else(|| "-".to_owned(), ToString::to_string)
}

fn retry(retry: &ProviderRetry<'_>) -> String {
    let ProviderRetry { attempt, max_attempts: most, delay, status, why, unanswered } = retry;
    let unanswered = if unanswered.is_some() { ", without an answer" } else { "" };
    format!("retry {attempt} of {most:?} in {delay:?}, status {status:?}: {why}{unanswered}")
}

fn limit(limit: &LimitNotice<'_>) -> String {
    let LimitNotice { is_reached, resets, window, used } = limit;
    let resets = resets.map(|reset| reset.to_string());
    format!("limit reached={is_reached} resets={resets:?} window={window:?} used={used:?}")
}

fn fact(fact: &StreamFact) -> String {
    match fact {
        StreamFact::Marker(found) => format!("marker {}", match_line(found)),
        StreamFact::Concluded(None) => "concluded".to_owned(),
        StreamFact::Concluded(Some(found)) => format!("concluded, marker {}", match_line(found)),
        StreamFact::WentOn => "went on".to_owned(),
        StreamFact::Spent(spend) => format!("spent {}", self::spend(spend)),
        StreamFact::Quota(reading) => format!("quota {reading}, reset {}", reading.resets),
        StreamFact::UnusableFigure(figure) => format!("unusable {figure}"),
        StreamFact::Futile(why) => format!("futile: {}", outcome(why)),
    }
}

fn spend(spend: &Spend) -> String {
    let tokens = spend.tokens;
    let kinds = [tokens.input, tokens.output, tokens.cache_read, tokens.cache_write];
    let [input, output, read, write] = kinds;
    format!("{input} in, {output} out, {read} read, {write} written: {}", spend.cost())
}

fn outcome(outcome: &AgentOutcome) -> String {
    match outcome.resets {
        Some(reset) => format!("{outcome} (resets {reset})"),
        None => outcome.to_string(),
    }
}

fn match_line(marker_match: &MarkerMatch) -> String {
    let MarkerMatch { marker, offset, line, message } = marker_match;
    match message {
        Some(message) => format!("{marker} in line {line} of message {message}, at {offset}"),
        None => format!("{marker} in line {line}, at {offset}"),
    }
}

fn activity(activity: AgentActivity) -> String {
    let AgentActivity { turns, tool_calls, denials, retries } = activity;
    format!("{turns} turns, {tool_calls} calls, {denials} denials, {retries} retries")
}
