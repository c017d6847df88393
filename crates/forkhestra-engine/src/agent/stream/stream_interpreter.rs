//! Accumulates the state of a run's agent from its events.

use std::mem;
use std::sync::Arc;

use forkhestra_core::config::Billing;
use forkhestra_core::cost::{ReportedUsage, Spend, SpendLedger};
use forkhestra_core::event::{AgentActivity, AgentOutcome, MarkerMatch, OutcomeClass};
use forkhestra_core::marker::MarkerParseError;

use super::agent_event::{
    AgentConclusion, AgentEvent, AgentEventKind, AgentReady, ProviderRetry, TextPurpose,
};
use super::dialect::{DialectEvent, UsageUpdate};
use super::listener_config::ListenerConfig;
use super::message_text::MessageText;
use super::open_calls::OpenCalls;
use super::stream_listener::{StreamFact, StreamNotice, StreamResult};
use crate::agent::one_line::one_line;
use crate::agent::progress_gauge::ProgressGauge;
use crate::agent::progress_times::MAX_DELAY;
use crate::clock;

/// Keeps the state that matters for the run: the text of the last message, activity and spend, and
/// whether the agent has finished.
#[derive(Debug)]
pub(crate) struct StreamInterpreter {
    max_turns: Option<u32>,
    billing: Billing,
    model: Option<String>,
    /// `None` if markers are not searched.
    message: Option<MessageText>,
    activity: AgentActivity,
    ledger: SpendLedger,
    reported: Spend,
    /// Whether a figure of the spend was unusable, so that the cost is unknown.
    has_unusable_figure: bool,
    /// The outcome and the marker that counts, once the agent has finished and unless it went on.
    concluded: Option<(AgentOutcome, Option<MarkerMatch>)>,
    /// Why the agent cannot succeed.
    futile: Option<AgentOutcome>,
    /// Whether the last relevant event was that the context is too long.
    has_overflowed: bool,
    progress: Arc<ProgressGauge>,
    open_calls: OpenCalls,
}

/// Receives notices.
type NoticeSink<'t> = &'t mut dyn FnMut(StreamNotice<'_>);

impl StreamInterpreter {
    pub(crate) fn new(
        rules: ListenerConfig,
        open_calls: OpenCalls,
    ) -> Result<Self, MarkerParseError> {
        Ok(Self {
            message: rules.scanner()?.map(MessageText::new),
            max_turns: rules.max_turns,
            billing: rules.billing,
            model: rules.model,
            activity: AgentActivity::default(),
            ledger: SpendLedger::new(rules.prices),
            reported: Spend::default(),
            has_unusable_figure: false,
            concluded: None,
            futile: None,
            has_overflowed: false,
            progress: rules.progress,
            open_calls,
        })
    }

    /// Marks the stream as understood.
    pub(crate) fn mark_understood(&self) {
        self.progress.mark_understood();
    }

    /// Handles an event from the line at this offset of the stream.
    pub(crate) fn handle(&mut self, signal: DialectEvent<'_>, offset: u64, sink: NoticeSink<'_>) {
        match signal {
            DialectEvent::Usage(used) => self.use_up(&used, sink),
            DialectEvent::UnusableFigure(figure) => {
                if !mem::replace(&mut self.has_unusable_figure, true) {
                    sink(StreamNotice::Fact(StreamFact::UnusableFigure(figure)));
                }
            }
            DialectEvent::Quota(reading) => sink(StreamNotice::Fact(StreamFact::Quota(reading))),
            DialectEvent::Progress => self.progress.advance(),
            DialectEvent::LastMessageRevoked => {
                self.clear_conclusion(sink);
                self.forget_words();
            }
            DialectEvent::AgentEvent(mut event) => {
                self.note_progress(&mut event);
                if is_continuation(&event) {
                    self.clear_conclusion(sink);
                }
                let facts = self.consider(&event, offset);
                sink(StreamNotice::AgentEvent(event));
                facts.into_iter().flatten().for_each(|fact| sink(StreamNotice::Fact(fact)));
            }
        }
    }

    /// The result of the stream.
    pub(crate) fn finish(self, sink: NoticeSink<'_>) -> StreamResult {
        if self.activity.turns > 0 && self.reported.is_zero() {
            // There was a model request without any reported usage, so the cost is unknown.
            sink(StreamNotice::Fact(StreamFact::Spent(Spend {
                unpriced: true,
                ..Spend::default()
            })));
        }
        let (concluded, marker_match) = self.concluded.unzip();
        let marker_match = marker_match.flatten().filter(|_| self.futile.is_none());
        let (outcome, activity) = (self.futile.or(concluded), self.activity);
        StreamResult { marker_match, outcome, activity, understood: true }
    }

    /// Updates the progress and the running tools. Subagents count.
    fn note_progress(&mut self, event: &mut AgentEvent<'_>) {
        match &mut event.kind {
            AgentEventKind::ToolCall(call) => self.open_calls.begin(&call.id, event.nested),
            AgentEventKind::ToolResult(result) => self.open_calls.end(&result.id),
            AgentEventKind::Turn if !event.nested => self.open_calls.answer(),
            AgentEventKind::Result(_) => self.open_calls.end_all(),
            AgentEventKind::Retry(retry) => {
                let is_unanswered = is_unanswered(retry);
                let since_progress = self.progress.since_any_progress();
                retry.unanswered = is_unanswered.then_some(since_progress);
                self.progress.wait(retry.delay.unwrap_or_default());
            }
            _ => {}
        }
        self.progress.set_open_calls(self.open_calls.count());
        if is_progress(&event.kind) {
            self.progress.advance();
        }
    }

    fn clear_conclusion(&mut self, sink: NoticeSink<'_>) {
        if self.concluded.take().is_some() {
            sink(StreamNotice::Fact(StreamFact::WentOn));
        }
    }

    fn consider(&mut self, event: &AgentEvent<'_>, offset: u64) -> [Option<StreamFact>; 2] {
        match &event.kind {
            AgentEventKind::ToolCall(_) => {
                self.activity.tool_calls = self.activity.tool_calls.saturating_add(1);
                self.has_overflowed = false;
                if !event.nested {
                    self.forget_words();
                }
            }
            AgentEventKind::Denial(_) => {
                self.activity.denials = self.activity.denials.saturating_add(1);
            }
            AgentEventKind::Retry(retry) => {
                self.activity.retries = self.activity.retries.saturating_add(1);
                return [self.futile_retry(retry), None];
            }
            _ if event.nested => {}
            AgentEventKind::Begun(begun) => return [self.unwanted_billing(begun), None],
            AgentEventKind::Turn => return [self.begin_turn(), None],
            AgentEventKind::Text { text, purpose: TextPurpose::Both | TextPurpose::Record } => {
                // The first text implies a turn, even if none was reported.
                self.activity.turns = self.activity.turns.max(1);
                if let Some(message) = &mut self.message {
                    message.append(text, offset);
                }
            }
            // Text before a tool result is not the last message, even if the model prints nothing
            // after it.
            AgentEventKind::ToolResult(_) => self.forget_words(),
            AgentEventKind::TextEnd => self.message.iter_mut().for_each(MessageText::end_text),
            AgentEventKind::Result(conclusion) => return self.conclude(conclusion),
            _ => {}
        }
        [None, None]
    }

    fn forget_words(&mut self) {
        self.message.iter_mut().for_each(MessageText::begin);
    }

    fn begin_turn(&mut self) -> Option<StreamFact> {
        self.activity.turns = self.activity.turns.saturating_add(1);
        self.forget_words();
        let limit = self.max_turns.filter(|limit| self.activity.turns > *limit)?;
        let text = format!("it took all the turns it may take ({limit})");
        self.report_futile(OutcomeClass::TurnLimit, &text)
    }

    fn conclude(&mut self, conclusion: &AgentConclusion<'_>) -> [Option<StreamFact>; 2] {
        let outcome = conclusion.outcome.clone();
        let is_good = outcome.class == OutcomeClass::Finished && self.futile.is_none();
        let message = self.message.as_ref().filter(|_| is_good);
        let marker_match = message.and_then(|message| message.marker_match(self.activity.turns));
        let futile = self.futile_overflow(&outcome);
        self.concluded = Some((outcome, marker_match.clone()));
        [Some(StreamFact::Concluded(marker_match)), futile]
    }

    /// Detects an agent that compacts its context and then exceeds it again: it would never stop.
    fn futile_overflow(&mut self, outcome: &AgentOutcome) -> Option<StreamFact> {
        if outcome.class != OutcomeClass::ContextTooLong {
            return None;
        }
        let is_second = mem::replace(&mut self.has_overflowed, true);
        let text = outcome.message.as_deref().unwrap_or("the context is too long");
        is_second.then(|| self.report_futile(OutcomeClass::ContextTooLong, text)).flatten()
    }

    /// Detects a retry that cannot succeed: a failed authentication, or a long wait, for which no
    /// process is needed.
    fn futile_retry(&mut self, retry: &ProviderRetry<'_>) -> Option<StreamFact> {
        let Some(status) = retry.status.filter(|status| matches!(status, 401 | 403)) else {
            return self.long_wait(retry);
        };
        let number = status.to_string();
        let text = match &*retry.why {
            why if why.contains(&number) => why.to_owned(),
            why => format!("HTTP {number}: {why}"),
        };
        self.report_futile(OutcomeClass::Authentication, &text)
    }

    /// Detects a wait that exceeds the limit. The run can wait without a process until the given
    /// time.
    fn long_wait(&mut self, retry: &ProviderRetry<'_>) -> Option<StreamFact> {
        let delay = retry.delay.filter(|delay| *delay > MAX_DELAY)?;
        let message = match retry.status {
            Some(status) => format!("{} ({status})", retry.why),
            None => retry.why.clone().into_owned(),
        };
        self.report_futile_outcome(AgentOutcome {
            class: OutcomeClass::UsageLimit,
            resets: Some(clock::now().wall.saturating_add(delay)),
            message: Some(one_line(&message)),
        })
    }

    fn unwanted_billing(&mut self, begun: &AgentReady<'_>) -> Option<StreamFact> {
        let source = begun.key_source.as_deref()?;
        // A subscription needs no API key.
        let text = match (self.billing, source) {
            (Billing::Subscription, source) if source != "none" => {
                format!("it would pay with an API key ({source}), and a subscription is wanted")
            }
            (Billing::ApiKey, "none") => {
                "it has no API key and would use a subscription, and an API key is wanted"
                    .to_owned()
            }
            _ => return None,
        };
        self.report_futile(OutcomeClass::Billing, &text)
    }

    /// Reports once that the agent cannot succeed.
    fn report_futile(&mut self, class: OutcomeClass, text: &str) -> Option<StreamFact> {
        self.report_futile_outcome(AgentOutcome {
            message: Some(one_line(text)),
            ..AgentOutcome::of(class)
        })
    }

    fn report_futile_outcome(&mut self, outcome: AgentOutcome) -> Option<StreamFact> {
        if self.futile.is_some() {
            return None;
        }
        self.futile = Some(outcome.clone());
        Some(StreamFact::Futile(outcome))
    }

    /// Begins the session of another process, whose totals start at zero.
    pub(crate) fn begin_session(&mut self) {
        self.ledger.begin_session();
    }

    fn use_up(&mut self, used: &UsageUpdate<'_>, sink: NoticeSink<'_>) {
        match *used {
            UsageUpdate::Message { id, model, tokens } => self.ledger.message(id, model, tokens),
            UsageUpdate::Step { tokens, dollars } => {
                self.ledger.step(self.model.as_deref(), tokens, dollars);
            }
            UsageUpdate::Totals(all) => {
                // Usage without a model belongs to the model the agent was started with.
                let model = self.model.as_deref();
                let all: Vec<ReportedUsage<'_>> = all
                    .iter()
                    .map(|one| ReportedUsage { model: one.model.or(model), ..*one })
                    .collect();
                self.ledger.totals(&all);
            }
        }
        let mut spend = self.ledger.spend();
        spend.unpriced |= self.has_unusable_figure;
        if spend != self.reported {
            self.reported = spend;
            sink(StreamNotice::Fact(StreamFact::Spent(spend)));
        }
    }
}

/// Whether an agent that had finished goes on. Events of subagents do not count.
fn is_continuation(event: &AgentEvent<'_>) -> bool {
    !event.nested
        && matches!(
            event.kind,
            AgentEventKind::Begun(_)
                | AgentEventKind::Turn
                | AgentEventKind::Text { .. }
                | AgentEventKind::Thinking(_)
                | AgentEventKind::ToolCall(_)
                | AgentEventKind::Retry(_)
        )
}

/// Whether an event shows progress of the model or a tool. The start of an answer does not: every
/// retry may start one.
const fn is_progress(kind: &AgentEventKind<'_>) -> bool {
    matches!(
        kind,
        AgentEventKind::Text { .. }
            | AgentEventKind::Thinking(_)
            | AgentEventKind::ToolCall(_)
            | AgentEventKind::ToolResult(_)
            | AgentEventKind::Denial(_)
            | AgentEventKind::Result(_)
    )
}

/// Whether a request is repeated for an unknown reason: there was no response.
fn is_unanswered(retry: &ProviderRetry<'_>) -> bool {
    retry.status.is_none() && matches!(&*retry.why, "" | "unknown")
}
