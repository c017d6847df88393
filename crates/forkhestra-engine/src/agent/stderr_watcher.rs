//! Finds retries of agents that only standard error reports.
//!
//! Gemini CLI and opencode repeat requests for minutes, one of them for as long as its provider
//! demands, without an event in their streams. A [`StderrWatcher`] reads their standard error,
//! turns such lines into events, and reports when waiting is futile. It also records the progress
//! of opencode, whose stream reports tools and texts only when they are complete.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use forkhestra_core::config::Backend;
use forkhestra_core::event::{AgentOutcome, OutcomeClass};
use forkhestra_core::time::Timestamp;

use super::agent_backend::agent_backend;
use super::one_line::one_line;
use super::progress_gauge::ProgressGauge;
use super::progress_times::MAX_DELAY;
use super::stream::agent_event::{AgentEventKind, ProviderRetry};
use super::stream::stream_listener::{StreamFact, StreamNotice};

/// The longest line that is recognised. Not more than this is held back.
const MAX_LINE_BYTES: usize = 16 * 1024;

/// The maximum of successive retries. By default no agent retries more often: an agent that stops
/// by itself reports the reason in its stream, and may have work in progress that must not be
/// ended.
const MAX_ATTEMPTS: u32 = 10;

/// The output of a watcher.
#[derive(Debug, PartialEq)]
pub enum StderrOutput<'a> {
    /// To be displayed as text.
    Bytes(&'a [u8]),
    /// The meaning of lines that are not displayed.
    Notice(StreamNotice<'a>),
}

/// Receives the output of a watcher.
type StderrSink<'t> = &'t mut dyn FnMut(StderrOutput<'_>);

/// Watches the standard error of an agent.
pub struct StderrWatcher {
    dialect: Box<dyn StderrDialect>,
    /// The start of a line that may be recognised, and whole lines that it continues.
    held: Vec<u8>,
    /// The offset of that line.
    line_start: usize,
    /// Whether the current line is not recognised and its start is displayed already.
    is_shown: bool,
    result: StderrResult,
    progress: Arc<ProgressGauge>,
}

/// The findings in standard error.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StderrResult {
    /// The number of retries.
    pub retries: u32,
    /// Why the agent cannot succeed.
    pub futile: Option<AgentOutcome>,
}

/// Interprets the standard error of one agent program.
pub(super) trait StderrDialect: Send {
    /// Whether a line with this start may be recognised.
    fn may_begin(&self, prefix: &[u8]) -> bool;

    /// The kind of a line, together with the lines that it continues.
    fn parse_line(&mut self, lines: &str) -> StderrLineKind;

    /// A line that is not recognised is displayed before its end, and is not parsed.
    fn skip_line(&mut self) {}
}

/// The kind of a line.
#[derive(Debug, PartialEq)]
pub(super) enum StderrLineKind {
    /// Not recognised, so it is displayed.
    Nothing,
    /// Part of something that was recognised; it is not displayed.
    Noise,
    /// Perhaps recognised together with the next line.
    Continues,
    Retry(StderrRetry),
    /// The model or a tool makes progress, and this many tools run.
    Progress {
        tools: u32,
    },
}

/// A repeated request.
#[derive(Debug, PartialEq)]
pub(super) struct StderrRetry {
    /// The number of successive retries, counted from one.
    pub(super) attempt: u32,
    /// The delay before the retry.
    pub(super) delay: Option<Duration>,
    /// The end of the delay.
    pub(super) until: Option<Timestamp>,
    pub(super) status: Option<u16>,
    /// The provider's message.
    pub(super) why: String,
    pub(super) class: OutcomeClass,
}

/// A watcher for a back-end, if its standard error contains anything relevant.
pub fn stderr_watcher(backend: Backend, progress: Arc<ProgressGauge>) -> Option<StderrWatcher> {
    Some(StderrWatcher {
        dialect: agent_backend(backend).stderr_dialect?(),
        held: Vec::new(),
        line_start: 0,
        is_shown: false,
        result: StderrResult::default(),
        progress,
    })
}

impl StderrWatcher {
    /// Reads more bytes, which may end anywhere.
    pub fn feed(&mut self, bytes: &[u8], sink: StderrSink<'_>) {
        let mut shown = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let is_whole = piece.ends_with(b"\n");
            if self.is_shown {
                shown.extend_from_slice(piece);
                self.is_shown = !is_whole;
                continue;
            }
            self.held.extend_from_slice(piece);
            if self.held.len() > MAX_LINE_BYTES {
                self.dialect.skip_line();
                shown.append(&mut self.held);
                (self.line_start, self.is_shown) = (0, !is_whole);
            } else if is_whole {
                self.end_line(&mut shown, sink);
            } else if !self.dialect.may_begin(&self.held) {
                self.dialect.skip_line();
                shown.append(&mut self.held);
                self.is_shown = true;
            }
        }
        show(&mut shown, sink);
    }

    /// Processes the end of the stream.
    pub fn finish(mut self, sink: StderrSink<'_>) -> StderrResult {
        let mut shown = Vec::new();
        if self.held.len() > self.line_start {
            self.end_line(&mut shown, sink);
        }
        shown.append(&mut self.held);
        show(&mut shown, sink);
        self.result
    }

    fn end_line(&mut self, shown: &mut Vec<u8>, sink: StderrSink<'_>) {
        let meaning = self.dialect.parse_line(&String::from_utf8_lossy(&self.held));
        self.line_start = 0;
        match meaning {
            StderrLineKind::Nothing => shown.append(&mut self.held),
            StderrLineKind::Noise => self.held.clear(),
            StderrLineKind::Continues => self.line_start = self.held.len(),
            StderrLineKind::Retry(repeated) => {
                self.held.clear();
                // Output is reported in order.
                show(shown, sink);
                self.note(&repeated, sink);
            }
            StderrLineKind::Progress { tools } => {
                self.held.clear();
                self.progress.mark_understood();
                self.progress.set_reported_tools(tools);
                self.progress.advance();
            }
        }
    }

    fn note(&mut self, repeated: &StderrRetry, sink: StderrSink<'_>) {
        self.result.retries = self.result.retries.saturating_add(1);
        self.progress.wait(repeated.delay.unwrap_or_default());
        let retry = AgentEventKind::Retry(ProviderRetry {
            attempt: repeated.attempt,
            max_attempts: None,
            delay: repeated.delay,
            status: repeated.status,
            why: repeated.why.as_str().into(),
            unanswered: None,
        });
        sink(StderrOutput::Notice(StreamNotice::AgentEvent(retry.into())));
        if self.result.futile.is_none()
            && let Some(outcome) = futile(repeated)
        {
            self.result.futile = Some(outcome.clone());
            sink(StderrOutput::Notice(StreamNotice::Fact(StreamFact::Futile(outcome))));
        }
    }
}

/// Whether the start of a line is compatible with this prefix.
pub(super) fn may_start_with(prefix: &[u8], whole: &str) -> bool {
    let length = prefix.len().min(whole.len());
    prefix[..length] == whole.as_bytes()[..length]
}

/// The outcome of an agent for which further waiting is futile.
fn futile(repeated: &StderrRetry) -> Option<AgentOutcome> {
    let is_long = repeated.delay.is_some_and(|delay| delay > MAX_DELAY);
    let class = match repeated.class {
        // Missing payment or authentication will not change with the next retry.
        class @ (OutcomeClass::Authentication | OutcomeClass::Billing) => class,
        _ if is_long => OutcomeClass::UsageLimit,
        _ if repeated.attempt < MAX_ATTEMPTS => return None,
        OutcomeClass::UsageLimit => OutcomeClass::UsageLimit,
        _ => OutcomeClass::Overloaded,
    };
    let message = match repeated.status.map(|status| status.to_string()) {
        Some(status) if !repeated.why.contains(&status) => format!("{} ({status})", repeated.why),
        _ => repeated.why.clone(),
    };
    let resets = repeated.until.filter(|_| class == OutcomeClass::UsageLimit);
    Some(AgentOutcome { class, resets, message: Some(one_line(&message)) })
}

fn show(shown: &mut Vec<u8>, sink: StderrSink<'_>) {
    if !shown.is_empty() {
        sink(StderrOutput::Bytes(&mem::take(shown)));
    }
}

#[cfg(test)]
mod tests;
