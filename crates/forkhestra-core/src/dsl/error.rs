//! All error messages about a chain.

use std::fmt;

use super::chain_text::ChainText;
use super::part_lanes::{is_best, is_lanes};
use super::token::{DslToken, DslTokenKind};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::source::Span;
use crate::text::count::CountParseError;

/// Creates the diagnostics about one text.
pub(super) struct DslDiagnostics<'a> {
    pub(super) text: &'a ChainText<'a>,
}

/// The subject of a message.
#[derive(Debug, Clone, Copy)]
pub(super) enum PartSubject {
    /// An agent or a question, by its number in the chain.
    Step(usize),
    Group,
}

impl fmt::Display for PartSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // An error before the first step is reported for step 1.
            Self::Step(number) => write!(f, "step {}", (*number).max(1)),
            Self::Group => f.write_str("the group"),
        }
    }
}

impl PartSubject {
    const fn noun(self) -> &'static str {
        match self {
            Self::Step(_) => "agent",
            Self::Group => "group",
        }
    }
}

const COUNT_LABEL: &str = "expected a positive whole number";

/// How to run several agents.
const SEPARATOR_HINT: &str = "agents are separated by `->`";

impl DslDiagnostics<'_> {
    pub(super) fn empty_chain(&self) -> Diagnostic {
        self.error("the chain is empty", Span::new(0, 0), "expected an agent")
            .hint("write an agent, or several: \"planner:3 -> builder:10\"")
    }

    /// `before` and `after` are the tokens around the missing agent.
    pub(super) fn missing_agent(
        &self,
        step: usize,
        before: Option<DslToken>,
        after: Option<DslToken>,
    ) -> Diagnostic {
        let symbol = |token: DslToken| self.text.slice(token.span);
        let (at, label) = match (before, after) {
            (Some(before), None) => {
                let end = self.text.text.len();
                (Span::new(end, end), format!("expected an agent after this `{}`", symbol(before)))
            }
            (None, Some(after)) => {
                (after.span, format!("expected an agent before this `{}`", symbol(after)))
            }
            (Some(before), Some(after)) => between(before, after, &symbol),
            (None, None) => (Span::new(0, 0), "expected an agent".to_owned()),
        };
        self.error(format!("step {step} of the chain is empty"), at, label)
    }

    pub(super) fn missing_name(&self, step: usize, at: Span) -> Diagnostic {
        self.error(format!("step {step} has no agent before the colon"), at, "expected an agent")
    }

    pub(super) fn missing_count(&self, subject: PartSubject, at: usize) -> Diagnostic {
        let message = format!("{subject} has no count after the colon");
        let hint = format!("leave the colon out to run the {} once", subject.noun());
        self.error(message, Span::new(at, at), COUNT_LABEL).hint(hint)
    }

    pub(super) fn bad_count(
        &self,
        subject: PartSubject,
        at: Span,
        why: CountParseError,
    ) -> Diagnostic {
        let message = format!("{subject}: the count `{}` {why}", self.text.slice(at));
        let error = self.error(message, at, COUNT_LABEL);
        match why {
            CountParseError::Zero => {
                error.hint(format!("leave the count out to run the {} once", subject.noun()))
            }
            _ => error,
        }
    }

    pub(super) fn two_agents(&self, step: usize, second: Span) -> Diagnostic {
        let error = self.error(
            format!("step {step} holds more than one word"),
            second,
            "expected `->` or the end of the chain",
        );
        match hint_for_word(self.text.slice(second), PartSubject::Step(step)) {
            Some(hint) => error.hint(hint),
            None => {
                error.hint("agents are separated by `->`; arguments for them go after `--`").hint(
                    "an agent whose name holds white space is run from a chain in the config file",
                )
            }
        }
    }

    pub(super) fn keyword_as_agent(&self, step: usize, at: Span) -> Diagnostic {
        let message = format!("step {step}: `else` is a keyword, not an agent");
        self.error(message, at, "expected an agent")
            .hint("`a else b` runs `b` if `a` is not complete")
            .hint("a program of this name can be run by its path, as in `./else`")
    }

    pub(super) fn stray_character(
        &self,
        subject: PartSubject,
        at: Span,
        character: char,
    ) -> Diagnostic {
        let message = format!("{subject}: unexpected {}", describe(character));
        let label = match subject {
            PartSubject::Step(_) => "expected an agent's name, `:N` or `->`",
            PartSubject::Group => "expected `:N` or `->`",
        };
        let is_separator = matches!(character, '<' | '>' | '→' | '⇒' | ',' | ';' | '&');
        self.error(message, at, label).maybe_hint(is_separator.then(|| SEPARATOR_HINT.to_owned()))
    }

    pub(super) fn shell_operator(&self, step: usize, at: Span, operator: &str) -> Diagnostic {
        let message = format!("{}: unexpected `{operator}`", PartSubject::Step(step));
        self.error(message, at, "not an operator of the chain language").hint(
            "at the same time: `(a | b)`; after a failure: `a else b`; one after another: `a -> b`",
        )
    }

    pub(super) fn unclosed(&self, at: Span) -> Diagnostic {
        self.error("this `(` has no `)`", at, "not closed")
    }

    pub(super) fn unopened(&self, at: Span) -> Diagnostic {
        self.error("this `)` has no `(`", at, "nothing to close")
    }

    pub(super) fn too_deep(&self, at: Span) -> Diagnostic {
        self.error("groups are nested more than two deep", at, "one group too many")
            .hint("remove a pair of parentheses, or make the inner group a stage of its own")
    }

    pub(super) fn unexpected_group(&self, step: usize, at: Span) -> Diagnostic {
        let message = format!("{}: unexpected `(`", PartSubject::Step(step));
        self.error(message, at, "expected `->`, `else` or the end of the chain")
            .hint(SEPARATOR_HINT)
    }

    pub(super) fn unexpected_after_group(&self, at: Span) -> Diagnostic {
        let message = format!("unexpected `{}` after a group", self.text.slice(at));
        self.error(message, at, "expected `:N`, `->`, `else` or the end of the chain")
            .hint(hint_for_word(self.text.slice(at), PartSubject::Group).unwrap_or(SEPARATOR_HINT))
    }

    pub(super) fn too_many_else_parts(&self, at: Span) -> Diagnostic {
        let message = format!("`else` joins more than {} parts", super::MAX_ELSE_PARTS);
        self.error(message, at, "one part too many")
            .hint("put some of them into a group: `(a else b) else c`")
    }

    pub(super) fn question_with_suffix(&self, step: usize, at: Span) -> Diagnostic {
        let message = format!("step {step}: a question has no count and no lanes");
        self.error(message, at, "expected `->` or the end of the chain")
            .hint("to ask again after a denial, repeat a group: `(a -> ?):3`")
    }

    pub(super) fn error(
        &self,
        message: impl Into<String>,
        at: Span,
        label: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic::error(message).at(self.text.source, self.text.in_source(at), label)
    }
}

/// The position of a missing agent between two symbols, and what is said there.
fn between<'t>(
    before: DslToken,
    after: DslToken,
    symbol: &impl Fn(DslToken) -> &'t str,
) -> (Span, String) {
    use DslTokenKind::{Arrow, Close, Open};
    match (before.kind, after.kind) {
        (Arrow, Arrow) => (after.span, "expected an agent between two arrows".to_owned()),
        (Open, Close) => {
            let both = Span::new(before.span.start, after.span.end);
            (both, "expected an agent between these parentheses".to_owned())
        }
        (Open, _) => (after.span, format!("expected an agent before this `{}`", symbol(after))),
        _ => (before.span, format!("expected an agent after this `{}`", symbol(before))),
    }
}

/// The hint for a word after a complete part.
fn hint_for_word(word: &str, part: PartSubject) -> Option<&'static str> {
    let name = word.split(':').next().unwrap_or(word);
    if name == "?" {
        Some("a question is a stage of its own: `a -> ?`")
    } else if name.eq_ignore_ascii_case("else") {
        Some("`else` is written in lower case: `a else b`")
    } else if name.eq_ignore_ascii_case("if") {
        Some("conditions are in the config file: the key `if` of an entry")
    } else if name == "x" || is_lanes(name) {
        Some(part.lanes_hint())
    } else if is_best(name) {
        Some("best of N is behind the count of an agent: `a:5 best3`")
    } else {
        None
    }
}

fn describe(character: char) -> String {
    if character.is_control() {
        return format!("control character U+{:04X}", u32::from(character));
    }
    match character {
        '`' => "back quote".to_owned(),
        _ => format!("`{character}`"),
    }
}
