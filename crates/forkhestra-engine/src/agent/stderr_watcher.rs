//! What agents say of requests that they repeat, where only standard error tells of it.
//!
//! Two of the programs we know repeat requests for minutes, one of them for as long as its provider
//! asks, without a word in their streams. A [`StderrWatcher`] reads their complaints, makes such lines
//! events like any other, and says when nothing will come of waiting. It also notes the progress of
//! opencode, whose stream shows a tool only when it is done and a text only when it is whole.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use forkhestra_core::config::Backend;
use forkhestra_core::event::{AgentOutcome, OutcomeClass};
use forkhestra_core::time::Timestamp;

use super::one_line::one_line;
use super::progress_gauge::ProgressGauge;
use super::progress_times::LONGEST_DELAY;
use super::stream::agent_event::{AgentEventKind, ProviderRetry};
use super::stream::stream_listener::{StreamFact, StreamNotice};
use super::{gemini, opencode};

/// No line that means something to us is longer, and nothing is held back for longer.
const LONGEST: usize = 16 * 1024;

/// So often in a row an agent may repeat a request. By default none of them does so more often: who
/// gives up by itself says why in its stream, and may have work in hand that we would end.
const MOST_ATTEMPTS: u32 = 10;

/// What complaints are to whoever watches, and to whoever decides.
#[derive(Debug, PartialEq)]
pub enum StderrOutput<'a> {
    /// To be shown as it is.
    Bytes(&'a [u8]),
    /// What lines meant that are not shown.
    Notice(StreamNotice<'a>),
}

/// What takes complaints.
type StderrSink<'t> = &'t mut dyn FnMut(StderrOutput<'_>);

/// Watches the complaints of an agent program.
pub struct StderrWatcher {
    dialect: Box<dyn StderrDialect>,
    /// The beginning of a line that may mean something, and whole lines that go on in it.
    held: Vec<u8>,
    /// Where that line begins.
    line_start: usize,
    /// Whether the line at hand means nothing, and is shown already.
    is_shown: bool,
    result: StderrResult,
    progress: Arc<ProgressGauge>,
}

/// What was found in complaints.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StderrResult {
    /// How often a request was repeated.
    pub retries: u32,
    /// Why nothing will come of it.
    pub futile: Option<AgentOutcome>,
}

/// What the complaints of one program mean.
pub(super) trait StderrDialect: Send {
    /// Whether a line may mean something that begins like this.
    fn may_begin(&self, beginning: &[u8]) -> bool;

    /// What a line means, together with those before it that go on in it.
    fn parse_line(&mut self, lines: &str) -> StderrLineKind;
}

/// What a line means.
#[derive(Debug, PartialEq)]
pub(super) enum StderrLineKind {
    /// Nothing to us, so it is for people.
    Nothing,
    /// Nothing to anybody: it belongs to something that was understood.
    Noise,
    /// Perhaps something, together with the next one.
    Continues,
    /// A request is repeated.
    Retry(StderrRetry),
    /// The model or a tool gets further, and so many tools run.
    Progress { tools: u32 },
}

/// A request that is repeated.
#[derive(Debug, PartialEq)]
pub(super) struct StderrRetry {
    /// How often in a row, from one.
    pub(super) attempt: u32,
    /// How long the agent waits before that.
    pub(super) delay: Option<Duration>,
    /// Until when it waits.
    pub(super) until: Option<Timestamp>,
    pub(super) status: Option<u16>,
    /// What the provider says.
    pub(super) why: String,
    /// What that means.
    pub(super) class: OutcomeClass,
}

/// Watches a program's complaints, if there is anything to be found in them.
pub fn stderr_watcher(backend: Backend, progress: Arc<ProgressGauge>) -> Option<StderrWatcher> {
    let murmur: Box<dyn StderrDialect> = match backend {
        Backend::Claude | Backend::Codex => return None,
        Backend::Gemini => Box::new(gemini::GeminiRetries::default()),
        Backend::Opencode => Box::new(opencode::OpencodeRetries),
    };
    let found = StderrResult::default();
    Some(StderrWatcher {
        dialect: murmur,
        held: Vec::new(),
        line_start: 0,
        is_shown: false,
        result: found,
        progress,
    })
}

impl StderrWatcher {
    /// Takes more bytes. They may end anywhere.
    pub fn feed(&mut self, bytes: &[u8], tell: StderrSink<'_>) {
        let mut shown = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let is_whole = piece.ends_with(b"\n");
            if self.is_shown {
                shown.extend_from_slice(piece);
                self.is_shown = !is_whole;
                continue;
            }
            self.held.extend_from_slice(piece);
            if self.held.len() > LONGEST {
                shown.append(&mut self.held);
                (self.line_start, self.is_shown) = (0, !is_whole);
            } else if is_whole {
                self.end_line(&mut shown, tell);
            } else if !self.dialect.may_begin(&self.held) {
                shown.append(&mut self.held);
                self.is_shown = true;
            }
        }
        show(&mut shown, tell);
    }

    /// Takes note that nothing will follow.
    pub fn finish(mut self, tell: StderrSink<'_>) -> StderrResult {
        let mut shown = Vec::new();
        if self.held.len() > self.line_start {
            self.end_line(&mut shown, tell);
        }
        shown.append(&mut self.held);
        show(&mut shown, tell);
        self.result
    }

    fn end_line(&mut self, shown: &mut Vec<u8>, tell: StderrSink<'_>) {
        let meaning = self.dialect.parse_line(&String::from_utf8_lossy(&self.held));
        self.line_start = 0;
        match meaning {
            StderrLineKind::Nothing => shown.append(&mut self.held),
            StderrLineKind::Noise => self.held.clear(),
            StderrLineKind::Continues => self.line_start = self.held.len(),
            StderrLineKind::Retry(repeated) => {
                self.held.clear();
                // Whoever watches gets everything in order.
                show(shown, tell);
                self.note(&repeated, tell);
            }
            StderrLineKind::Progress { tools } => {
                self.held.clear();
                self.progress.mark_understood();
                self.progress.set_reported_tools(tools);
                self.progress.advance();
            }
        }
    }

    fn note(&mut self, repeated: &StderrRetry, tell: StderrSink<'_>) {
        self.result.retries = self.result.retries.saturating_add(1);
        self.progress.wait(repeated.delay.unwrap_or_default());
        let retry = AgentEventKind::Retry(ProviderRetry {
            attempt: repeated.attempt,
            most: None,
            delay: repeated.delay,
            status: repeated.status,
            why: repeated.why.as_str().into(),
            unanswered: None,
        });
        tell(StderrOutput::Notice(StreamNotice::AgentEvent(retry.into())));
        if self.result.futile.is_none()
            && let Some(outcome) = futile(repeated)
        {
            self.result.futile = Some(outcome.clone());
            tell(StderrOutput::Notice(StreamNotice::Fact(StreamFact::Futile(outcome))));
        }
    }
}

/// Whether the beginning of a line may be that of a line with this beginning.
pub(super) fn begins_like(beginning: &[u8], whole: &str) -> bool {
    let length = beginning.len().min(whole.len());
    beginning[..length] == whole.as_bytes()[..length]
}

/// Why it is no use to wait for an agent that repeats a request like this.
fn futile(repeated: &StderrRetry) -> Option<AgentOutcome> {
    let is_long = repeated.delay.is_some_and(|delay| delay > LONGEST_DELAY);
    let class = match repeated.class {
        // What is not paid for or not known now will not be the next time.
        class @ (OutcomeClass::Authentication | OutcomeClass::Billing) => class,
        _ if is_long => OutcomeClass::UsageLimit,
        _ if repeated.attempt < MOST_ATTEMPTS => return None,
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

fn show(shown: &mut Vec<u8>, tell: StderrSink<'_>) {
    if !shown.is_empty() {
        tell(StderrOutput::Bytes(&mem::take(shown)));
    }
}

#[cfg(test)]
mod tests;
