//! What an agent's events come to.

use std::mem;
use std::sync::Arc;

use forkhestra_core::config::Billing;
use forkhestra_core::cost::{Ledger, Spend, Usage};
use forkhestra_core::event::{Activity, Outcome, OutcomeClass, Sighting};
use forkhestra_core::marker::NotAMarker;

use super::dialect::{Signal, Used};
use super::event::{AgentEvent, AgentEventKind, Begun, Conclusion, Purpose, Retry};
use super::listen::{Fact, Findings, Notice};
use super::open_calls::OpenCalls;
use super::progress_gauge::ProgressGauge;
use super::progress_times::LONGEST_DELAY;
use super::rules::Rules;
use super::speech::Speech;
use super::words::one_line;
use crate::clock;

/// Keeps what decides: the text of the last message, what was done and spent, whether the agent is
/// through.
#[derive(Debug)]
pub(super) struct Interpreter {
    max_turns: Option<u32>,
    billing: Billing,
    model: Option<String>,
    /// None if nobody looks for markers.
    speech: Option<Speech>,
    activity: Activity,
    ledger: Ledger,
    told: Spend,
    /// Whether a figure of what was spent could not be right, so that the cost is unknown.
    has_unusable_figure: bool,
    /// How the agent was through, unless it went on, and the marker that counted then.
    concluded: Option<(Outcome, Option<Sighting>)>,
    /// Why nothing will come of it.
    futile: Option<Outcome>,
    /// Whether the last thing of weight was that the context is too long.
    has_overflowed: bool,
    progress: Arc<ProgressGauge>,
    open_calls: OpenCalls,
}

/// What takes notices.
type Tell<'t> = &'t mut dyn FnMut(Notice<'_>);

impl Interpreter {
    pub(super) fn new(rules: Rules, open_calls: OpenCalls) -> Result<Self, NotAMarker> {
        let speech = rules.looks_for_markers.then(|| Speech::new(&rules.markers)).transpose()?;
        Ok(Self {
            max_turns: rules.max_turns,
            billing: rules.billing,
            model: rules.model,
            speech,
            activity: Activity::default(),
            ledger: Ledger::new(rules.prices),
            told: Spend::default(),
            has_unusable_figure: false,
            concluded: None,
            futile: None,
            has_overflowed: false,
            progress: rules.progress,
            open_calls,
        })
    }

    /// The stream is one that is understood.
    pub(super) fn understand(&self) {
        self.progress.understand();
    }

    /// Takes what stood in the line of the stream that begins here.
    pub(super) fn take(&mut self, signal: Signal<'_>, offset: u64, tell: Tell<'_>) {
        match signal {
            Signal::Used(used) => self.use_up(&used, tell),
            Signal::UnusableFigure(figure) => {
                if !mem::replace(&mut self.has_unusable_figure, true) {
                    tell(Notice::Fact(Fact::UnusableFigure(figure)));
                }
            }
            Signal::Progress => self.progress.advance(),
            Signal::Overtaken => {
                self.go_on(tell);
                self.forget_words();
            }
            Signal::Said(mut event) => {
                self.note_progress(&mut event);
                if goes_on(&event) {
                    self.go_on(tell);
                }
                let facts = self.consider(&event, offset);
                tell(Notice::Said(event));
                facts.into_iter().flatten().for_each(|fact| tell(Notice::Fact(fact)));
            }
        }
    }

    /// What all of it comes to.
    pub(super) fn finish(self, tell: Tell<'_>) -> Findings {
        if self.activity.turns > 0 && self.told.is_zero() {
            // The model was asked, and nobody said what that used: no tokens without a price, but
            // none that were counted.
            tell(Notice::Fact(Fact::Spent(Spend { unpriced: true, ..Spend::default() })));
        }
        let (concluded, sighting) = self.concluded.unzip();
        let sighting = sighting.flatten().filter(|_| self.futile.is_none());
        let (outcome, activity) = (self.futile.or(concluded), self.activity);
        Findings { sighting, outcome, activity, understood: true }
    }

    /// Notes whether the agent gets further, and whether a tool of it runs. What subagents do counts.
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

    fn go_on(&mut self, tell: Tell<'_>) {
        if self.concluded.take().is_some() {
            tell(Notice::Fact(Fact::WentOn));
        }
    }

    fn consider(&mut self, event: &AgentEvent<'_>, offset: u64) -> [Option<Fact>; 2] {
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
            AgentEventKind::Text { text, purpose: Purpose::Both | Purpose::Record } => {
                // Some text must be the first, whatever came before it.
                self.activity.turns = self.activity.turns.max(1);
                if let Some(speech) = &mut self.speech {
                    speech.say(text, offset);
                }
            }
            // What was said before a tool was at work is not the last word, even if the model has
            // nothing to say after it.
            AgentEventKind::ToolResult(_) => self.forget_words(),
            AgentEventKind::TextEnd => self.speech.iter_mut().for_each(Speech::end_text),
            AgentEventKind::Result(conclusion) => return self.conclude(conclusion),
            _ => {}
        }
        [None, None]
    }

    fn forget_words(&mut self) {
        self.speech.iter_mut().for_each(Speech::begin);
    }

    fn begin_turn(&mut self) -> Option<Fact> {
        self.activity.turns = self.activity.turns.saturating_add(1);
        self.forget_words();
        let most = self.max_turns.filter(|most| self.activity.turns > *most)?;
        let text = format!("it took all the turns it may take ({most})");
        self.give_up(OutcomeClass::TurnLimit, &text)
    }

    fn conclude(&mut self, conclusion: &Conclusion<'_>) -> [Option<Fact>; 2] {
        let outcome = conclusion.outcome.clone();
        let is_good = outcome.class == OutcomeClass::Finished && self.futile.is_none();
        let speech = self.speech.as_ref().filter(|_| is_good);
        let sighting = speech.and_then(|speech| speech.sighting(self.activity.turns));
        let futile = self.futile_overflow(&outcome);
        self.concluded = Some((outcome, sighting.clone()));
        [Some(Fact::Concluded(sighting)), futile]
    }

    /// An agent that compacts its context and is told again that it is too long will never stop.
    fn futile_overflow(&mut self, outcome: &Outcome) -> Option<Fact> {
        if outcome.class != OutcomeClass::ContextTooLong {
            return None;
        }
        let is_second = mem::replace(&mut self.has_overflowed, true);
        let text = outcome.message.as_deref().unwrap_or("the context is too long");
        is_second.then(|| self.give_up(OutcomeClass::ContextTooLong, text)).flatten()
    }

    /// What is not authenticated now will not be the next time, and a long wait needs no agent.
    fn futile_retry(&mut self, retry: &Retry<'_>) -> Option<Fact> {
        let Some(status) = retry.status.filter(|status| matches!(status, 401 | 403)) else {
            return self.long_wait(retry);
        };
        let number = status.to_string();
        let text = match &*retry.why {
            why if why.contains(&number) => why.to_owned(),
            why => format!("HTTP {number}: {why}"),
        };
        self.give_up(OutcomeClass::Authentication, &text)
    }

    /// An agent that waits for longer than this waits no better than we do, and we know until when.
    fn long_wait(&mut self, retry: &Retry<'_>) -> Option<Fact> {
        let delay = retry.delay.filter(|delay| *delay > LONGEST_DELAY)?;
        let message = match retry.status {
            Some(status) => format!("{} ({status})", retry.why),
            None => retry.why.clone().into_owned(),
        };
        self.give_up_as(Outcome {
            class: OutcomeClass::UsageLimit,
            resets: Some(clock::now().wall.saturating_add(delay)),
            message: Some(one_line(&message)),
        })
    }

    fn unwanted_billing(&mut self, begun: &Begun<'_>) -> Option<Fact> {
        let source = begun.key_source.as_deref()?;
        // A subscription needs no key, wherever from.
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
        self.give_up(OutcomeClass::Billing, &text)
    }

    /// Says once that nothing will come of it.
    fn give_up(&mut self, class: OutcomeClass, text: &str) -> Option<Fact> {
        self.give_up_as(Outcome { message: Some(one_line(text)), ..Outcome::of(class) })
    }

    fn give_up_as(&mut self, outcome: Outcome) -> Option<Fact> {
        if self.futile.is_some() {
            return None;
        }
        self.futile = Some(outcome.clone());
        Some(Fact::Futile(outcome))
    }

    /// Begins a session of another process, whose totals begin at nothing.
    pub(super) fn begin_session(&mut self) {
        self.ledger.begin_session();
    }

    fn use_up(&mut self, used: &Used<'_>, tell: Tell<'_>) {
        match *used {
            Used::Message { id, model, tokens } => self.ledger.message(id, model, tokens),
            Used::Step { tokens, dollars } => {
                self.ledger.step(self.model.as_deref(), tokens, dollars);
            }
            Used::Totals(all) => {
                // What is named by nobody is the model it was started with.
                let model = self.model.as_deref();
                let all: Vec<Usage<'_>> =
                    all.iter().map(|one| Usage { model: one.model.or(model), ..*one }).collect();
                self.ledger.totals(&all);
            }
        }
        let mut spend = self.ledger.spend();
        spend.unpriced |= self.has_unusable_figure;
        if spend != self.told {
            self.told = spend;
            tell(Notice::Fact(Fact::Spent(spend)));
        }
    }
}

/// Whether an agent that had been through is at it again. What subagents do is not of a new turn.
fn goes_on(event: &AgentEvent<'_>) -> bool {
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

/// Whether an event shows that the model or a tool gets further. That an answer begins does not: every
/// request that is repeated may begin one.
const fn is_progress(kind: &AgentEventKind<'_>) -> bool {
    match kind {
        AgentEventKind::Text { .. }
        | AgentEventKind::Thinking(_)
        | AgentEventKind::ToolCall(_)
        | AgentEventKind::ToolResult(_)
        | AgentEventKind::Denial(_)
        | AgentEventKind::Result(_) => true,
        AgentEventKind::Begun(_)
        | AgentEventKind::Turn
        | AgentEventKind::TextEnd
        | AgentEventKind::Retry(_)
        | AgentEventKind::Limit(_)
        | AgentEventKind::Error(_)
        | AgentEventKind::Plain(_)
        | AgentEventKind::Unknown(_)
        | AgentEventKind::Skipped { .. } => false,
    }
}

/// Whether a request is repeated for a reason that the agent does not know: there was no answer.
fn is_unanswered(retry: &Retry<'_>) -> bool {
    retry.status.is_none() && matches!(&*retry.why, "" | "unknown")
}
