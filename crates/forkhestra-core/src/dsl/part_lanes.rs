//! The lanes at the end of a part: `x4` and `best3`.

use super::DslLanes;
use super::error::PartSubject;
use super::parser::{DslParser, LanesPosition};
use super::part_parser::PartSuffix;
use super::token::words;
use crate::diagnostic::source::Span;
use crate::text::lane_count::LaneCount;

/// Lanes as they are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct LanesText {
    pub(super) span: Span,
    pub(super) kind: LanesKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LanesKind {
    /// `x4`
    Shared,
    /// `best3`
    Best,
}

/// A count that may have lanes attached, as in `20x4`.
pub(super) struct CountText {
    pub(super) count: Span,
    pub(super) lanes: Option<LanesText>,
}

impl LanesKind {
    /// The word in front of the number.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Shared => "x",
            Self::Best => "best",
        }
    }

    /// The kind of a word that is lanes.
    fn of_word(word: &str) -> Option<Self> {
        let is_kind = |kind: &Self| word.strip_prefix(kind.word()).is_some_and(is_digits);
        [Self::Shared, Self::Best].into_iter().find(is_kind)
    }
}

impl DslParser<'_> {
    /// The lanes of a part. Reports a wrong number and lanes of a part that runs once, for which it
    /// returns `None`. All lanes are recorded.
    pub(super) fn lanes(
        &mut self,
        subject: PartSubject,
        suffix: PartSuffix,
        agent: Option<&str>,
    ) -> Option<Option<DslLanes>> {
        let Some(text) = suffix.lanes else { return Some(None) };
        let LanesText { span, kind } = text;
        self.lanes.push(LanesPosition { span, is_parallel: false });
        let number = self.lane_count(subject, text)?;
        let mistake = match (kind, subject) {
            (LanesKind::Best, PartSubject::Group) => self.diagnostics.best_of_group(span),
            _ if suffix.count.is_none() => {
                let number = self.text.slice(span);
                self.diagnostics.lanes_without_count(subject, text, agent, number)
            }
            (LanesKind::Shared, _) => return Some(Some(DslLanes::Shared(number))),
            (LanesKind::Best, PartSubject::Step(_)) => return Some(Some(DslLanes::Best(number))),
        };
        self.errors.push(mistake);
        None
    }

    fn lane_count(&mut self, subject: PartSubject, lanes: LanesText) -> Option<LaneCount> {
        let number = self.text.slice(lanes.span).trim_start_matches(char::is_alphabetic);
        let count = LaneCount::parse(number).ok();
        if count.is_none() {
            self.errors.push(self.diagnostics.lanes_out_of_range(subject, lanes));
        }
        count
    }

    /// Reports the mistakes in lanes of a part that another mistake makes unreadable.
    pub(super) fn check_unread_lanes(&mut self, subject: PartSubject, lanes: Option<LanesText>) {
        if let Some(lanes) = lanes {
            self.lane_count(subject, lanes);
        }
    }

    /// The words of a part without the lanes at its end.
    pub(super) fn split_lanes(
        &mut self,
        subject: PartSubject,
        part: Span,
    ) -> (Vec<Span>, Option<LanesText>) {
        let mut words: Vec<Span> = words(self.text.text, part).collect();
        let last = self.pop_lanes(subject, &mut words);
        let mut lanes = last;
        // Lanes before lanes, unless nothing else is left to be the agent.
        while let Some(second) = lanes
            && words.len() > 1
            && let Some(first) = self.pop_lanes(subject, &mut words)
        {
            self.errors.push(self.diagnostics.second_lanes(subject, second));
            lanes = Some(first);
        }
        (words, lanes)
    }

    /// Takes the lanes from the end of the words. `best3` alone is an agent.
    fn pop_lanes(&self, subject: PartSubject, words: &mut Vec<Span>) -> Option<LanesText> {
        let span = *words.last()?;
        let kind = LanesKind::of_word(self.text.slice(span))?;
        let is_agent =
            kind == LanesKind::Best && words.len() == 1 && matches!(subject, PartSubject::Step(_));
        if is_agent {
            return None;
        }
        words.pop();
        Some(LanesText { span, kind })
    }

    /// Whether lanes are all that there is.
    pub(super) fn are_lanes(&self, words: &[Span]) -> bool {
        matches!(words, [only] if is_lanes(self.text.slice(*only)))
    }
}

/// Separates `20x4` into the count and the lanes.
pub(super) fn attached_lanes(text: &str, span: Span) -> CountText {
    match text.split_once('x') {
        Some((count, lanes)) if is_digits(count) && is_digits(lanes) => {
            let end_of_count = span.start + count.len();
            let lanes =
                LanesText { span: Span::new(end_of_count, span.end), kind: LanesKind::Shared };
            CountText { count: Span::new(span.start, end_of_count), lanes: Some(lanes) }
        }
        _ => CountText { count: span, lanes: None },
    }
}

/// Whether a word is `x` and a number, which is not the name of an agent.
pub(super) fn is_lanes(word: &str) -> bool {
    LanesKind::of_word(word) == Some(LanesKind::Shared)
}

/// Whether a word can only be meant as best of N behind an agent.
pub(super) fn is_best(word: &str) -> bool {
    word == LanesKind::Best.word() || LanesKind::of_word(word) == Some(LanesKind::Best)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
