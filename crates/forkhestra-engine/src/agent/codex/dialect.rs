//! What the lines of Codex mean.

use std::mem;

use forkhestra_core::cost::{Tokens, UnusableFigure, Usage};
use forkhestra_core::event::{Outcome, OutcomeClass};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::agent::dialect::{Dialect, Hear, LineKind, Signal, Used};
use crate::agent::event::{AgentEventKind, Begun, Conclusion, Denial, Purpose};
use crate::agent::json::{Loose, Word, object, read};
use crate::agent::reported_figure::{ReportedFigure, first_unusable};

use super::item::{Item, ItemKind};
use super::outcome::failure;
use super::retry::retry;

/// So many tools at work are told apart.
const AT_WORK: usize = 64;

/// Codex's dialect.
///
/// Its turns are those of a person: one for the whole run. Nothing says where the model was asked
/// again, and the tools of one answer are told one after the other. But what it says or thinks
/// after a tool is done belongs to another answer, and so at least these are counted.
#[derive(Debug, Default)]
pub(in crate::agent) struct Codex {
    next: Next,
    /// Whether the answer at hand has said something.
    has_spoken: bool,
    /// Whether it was through, unless it went on.
    has_concluded: bool,
    /// The tools whose calls were told.
    at_work: Vec<String>,
}

/// What begins another answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Next {
    /// Whatever the model does.
    #[default]
    Anything,
    /// What it says or thinks. Another tool may be of the same answer.
    Words,
    /// Nothing: an answer is at hand.
    Nothing,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Word<'a>,
    #[serde(borrow, default)]
    thread_id: Word<'a>,
    #[serde(borrow, default)]
    item: Option<&'a RawValue>,
    #[serde(default)]
    usage: Loose<TurnUsage>,
    #[serde(borrow, default)]
    error: Loose<Failure<'a>>,
    #[serde(borrow, default)]
    message: Word<'a>,
}

#[derive(Deserialize)]
struct Failure<'a> {
    #[serde(borrow, default)]
    message: Word<'a>,
}

/// What everything so far used.
#[derive(Default, Deserialize)]
struct TurnUsage {
    #[serde(default)]
    input_tokens: ReportedFigure<u64>,
    #[serde(default)]
    cached_input_tokens: ReportedFigure<u64>,
    #[serde(default)]
    cache_write_input_tokens: ReportedFigure<u64>,
    #[serde(default)]
    output_tokens: ReportedFigure<u64>,
}

impl TurnUsage {
    /// The first figure that cannot be right.
    fn unusable(&self) -> Option<UnusableFigure> {
        first_unusable([
            ("input_tokens", &self.input_tokens),
            ("cached_input_tokens", &self.cached_input_tokens),
            ("cache_write_input_tokens", &self.cache_write_input_tokens),
            ("output_tokens", &self.output_tokens),
        ])
    }

    /// The input has the cached part in it, the output the reasoning.
    fn tokens(&self) -> Tokens {
        let [input, cache_read, cache_write] =
            [&self.input_tokens, &self.cached_input_tokens, &self.cache_write_input_tokens]
                .map(ReportedFigure::tokens);
        Tokens {
            input: input.saturating_sub(cache_read).saturating_sub(cache_write),
            output: self.output_tokens.tokens(),
            cache_read,
            cache_write,
            cache_write_1h: 0,
        }
    }
}

impl Dialect for Codex {
    fn line(&mut self, line: &str, hear: Hear<'_>) -> LineKind {
        let Some(line) = object::<Line<'_>>(line) else {
            return LineKind::Plain;
        };
        match line.kind.get() {
            Some("thread.started") => {
                let begun = Begun { session: line.thread_id.0, ..Begun::default() };
                hear(AgentEventKind::Begun(begun).into());
            }
            Some("turn.started") => {
                // The first turn may never be answered, but after another one it goes on with it.
                self.next = Next::Anything;
                if mem::take(&mut self.has_concluded) {
                    self.answer(Next::Anything, hear);
                }
            }
            Some("item.started") => self.item(line.item, hear, Self::started),
            Some("item.completed") => self.item(line.item, hear, Self::completed),
            Some("item.updated") => {
                hear(Signal::Progress);
                self.updated(line.item.and_then(read).as_ref(), hear);
            }
            Some("turn.completed") => {
                self.conclude(Outcome::of(OutcomeClass::Finished), hear);
                let usage = line.usage.0.unwrap_or_default();
                if let Some(figure) = usage.unusable() {
                    hear(Signal::UnusableFigure(figure));
                }
                let total = Usage { model: None, tokens: usage.tokens(), dollars: None };
                hear(Signal::Used(Used::Totals(&[total])));
            }
            Some("turn.failed") => {
                let error = line.error.0.map(|error| error.message.or_empty());
                self.conclude(failure(&error.unwrap_or_default()), hear);
            }
            Some("error") => {
                let message = line.message.or_empty();
                hear(match retry(&message) {
                    Some(retry) => AgentEventKind::Retry(retry).into(),
                    None => AgentEventKind::Error(message).into(),
                });
            }
            Some(_) => {
                hear(AgentEventKind::Unknown(line.kind.or_empty()).into());
                return LineKind::Unknown;
            }
            None => return LineKind::Plain,
        }
        LineKind::Event
    }
}

impl Codex {
    fn item(
        &mut self,
        raw: Option<&RawValue>,
        hear: Hear<'_>,
        take: fn(&mut Self, Item<'_>, &RawValue, Hear<'_>),
    ) {
        if let Some((item, raw)) = raw.and_then(|raw| Some((read::<Item<'_>>(raw)?, raw))) {
            // Items that we do not know are something that it does as well.
            if item.kind() != ItemKind::Error {
                hear(Signal::Progress);
            }
            take(self, item, raw, hear);
        }
    }

    fn started(&mut self, item: Item<'_>, raw: &RawValue, hear: Hear<'_>) {
        match item.kind() {
            ItemKind::Tool(_) | ItemKind::ServerTool => {
                self.call(&item, raw, hear);
                if self.at_work.len() == AT_WORK {
                    self.at_work.remove(0);
                }
                self.at_work.push(item.id.or_empty().into_owned());
            }
            ItemKind::Plan => {
                self.call(&item, raw, hear);
                self.next = Next::Words;
            }
            _ => {}
        }
    }

    /// A plan that is changed is a tool at work, too.
    fn updated(&mut self, item: Option<&Item<'_>>, hear: Hear<'_>) {
        if item.is_some_and(|item| item.kind() == ItemKind::Plan) {
            hear(Signal::Overtaken);
            self.next = Next::Words;
        }
    }

    fn completed(&mut self, item: Item<'_>, raw: &RawValue, hear: Hear<'_>) {
        match item.kind() {
            ItemKind::Message => {
                self.answer(Next::Words, hear);
                if mem::replace(&mut self.has_spoken, true) {
                    hear(Signal::Overtaken);
                }
                let text = item.text.or_empty();
                hear(AgentEventKind::Text { text, purpose: Purpose::Both }.into());
                hear(AgentEventKind::TextEnd.into());
            }
            ItemKind::Reasoning => {
                self.answer(Next::Words, hear);
                hear(AgentEventKind::Thinking(item.text.or_empty()).into());
            }
            ItemKind::Tool(_) | ItemKind::ServerTool => self.done(item, raw, hear),
            // It is said of every plan just before the turn is over, whatever came after it.
            ItemKind::Plan => {}
            ItemKind::Error => hear(AgentEventKind::Error(item.message.or_empty()).into()),
            ItemKind::Unknown => {
                let name = format!("item.completed/{}", item.kind.or_empty());
                hear(AgentEventKind::Unknown(name.into()).into());
            }
        }
    }

    fn done(&mut self, item: Item<'_>, raw: &RawValue, hear: Hear<'_>) {
        let started = self.at_work.iter().position(|id| item.id.is(id));
        let started = started.map(|at| self.at_work.remove(at));
        if item.is_left_behind() {
            return;
        }
        if started.is_none() {
            self.call(&item, raw, hear);
        }
        if item.is_declined() {
            let call = item.call(raw);
            let (tool, brief, why) = (call.name, call.brief, "approval is needed".into());
            hear(AgentEventKind::Denial(Denial { tool, brief, why }).into());
        }
        hear(AgentEventKind::ToolResult(item.result()).into());
        self.next = Next::Words;
    }

    fn call(&mut self, item: &Item<'_>, raw: &RawValue, hear: Hear<'_>) {
        self.answer(Next::Anything, hear);
        hear(AgentEventKind::ToolCall(item.call(raw)).into());
    }

    /// Begins another answer if that is certain: with the first thing that is done, and with words
    /// after the result of a tool. An answer of tools alone after another one is not counted, since
    /// the same can be seen if one answer has several tools.
    fn answer(&mut self, what: Next, hear: Hear<'_>) {
        if self.next == Next::Anything || self.next == what {
            (self.next, self.has_spoken) = (Next::Nothing, false);
            hear(AgentEventKind::Turn.into());
        }
    }

    fn conclude(&mut self, outcome: Outcome, hear: Hear<'_>) {
        (self.next, self.has_concluded) = (Next::Anything, true);
        hear(AgentEventKind::Result(Conclusion { outcome, text: None }).into());
    }
}
