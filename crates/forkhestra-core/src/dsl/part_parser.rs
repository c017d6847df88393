//! The parts of a chain: the name of an agent, the count and the lanes.

use super::error::PartSubject;
use super::parser::DslParser;
use super::part_lanes::{LanesText, attached_lanes, is_lanes};
use super::token::words;
use super::{DslPart, DslPartKind};
use crate::diagnostic::source::{Span, Spanned};
use crate::text::count::{Count, CountParseError};

/// What can follow the agent, question or group of a part.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PartSuffix {
    pub(super) count: Option<(Count, Span)>,
    pub(super) lanes: Option<LanesText>,
}

impl DslParser<'_> {
    /// Parses an agent or a question with what follows it.
    pub(super) fn agent_or_question(&mut self, step: usize, part: Span) -> Option<DslPart> {
        let subject = PartSubject::Step(step);
        if !self.has_only_name_characters(subject, part) {
            return None;
        }
        let (words, lanes) = self.split_lanes(subject, part);
        let Some(whole) = covering(&words).filter(|_| !self.are_lanes(&words)) else {
            self.errors.push(self.diagnostics.lanes_without_agent(step, part));
            return None;
        };
        if let Some(second) = self.second_agent(&words) {
            self.errors.push(self.diagnostics.two_agents(step, second));
            self.check_unread_lanes(subject, lanes);
            return None;
        }
        // A question has no count, so that a colon after it is a mistake whatever follows.
        if let Some(rest) = self.text.slice(whole).strip_prefix('?')
            && matches!(rest.trim_start().chars().next(), None | Some(':'))
        {
            return self.question(step, Span::new(whole.start, whole.start + 1), part);
        }
        let (name, suffix) = self.split_name(step, whole, lanes)?;
        match self.text.slice(name) {
            "else" => {
                self.errors.push(self.diagnostics.keyword_as_agent(step, name));
                self.check_unread_lanes(subject, suffix.lanes);
                None
            }
            agent => {
                let lanes = self.lanes(subject, suffix, Some(agent))?;
                let agent = Spanned::new(agent.to_owned(), self.text.in_source(name));
                Some(DslPart {
                    kind: DslPartKind::Agent(agent),
                    count: suffix.count.map(|(count, _)| count),
                    lanes,
                    span: self.text.in_source(part),
                })
            }
        }
    }

    fn question(&mut self, step: usize, name: Span, part: Span) -> Option<DslPart> {
        if name != part {
            let suffix = Span::new(name.end, part.end);
            let written = self.text.slice(suffix);
            let start = suffix.end - written.trim_start().len();
            let suffix = Span::new(start, suffix.end);
            self.errors.push(self.diagnostics.question_with_suffix(step, suffix));
            return None;
        }
        self.questions.push(name);
        let span = self.text.in_source(name);
        Some(DslPart { kind: DslPartKind::Question(span), count: None, lanes: None, span })
    }

    /// Separates the name of an agent from the count after the last colon.
    fn split_name(
        &mut self,
        step: usize,
        whole: Span,
        lanes: Option<LanesText>,
    ) -> Option<(Span, PartSuffix)> {
        let subject = PartSubject::Step(step);
        let text = self.text.slice(whole);
        let Some((name, count)) = text.rsplit_once(':') else {
            return Some((whole, PartSuffix { count: None, lanes }));
        };
        let name_span = Span::new(whole.start, whole.start + name.trim_end().len());
        let count_span = Span::new(whole.end - count.trim_start().len(), whole.end);
        let name = name.trim_end();
        let mistake = if name.is_empty() {
            let before_count = Span::new(whole.start, count_span.start);
            Some(self.diagnostics.missing_name(step, before_count))
        } else if count_span.start == count_span.end {
            Some(self.diagnostics.missing_count(subject, whole.end))
        } else if name.ends_with(':') {
            let colon = Span::new(name_span.end - 1, name_span.end);
            Some(self.diagnostics.stray_character(subject, colon, ':'))
        } else if let Some(gap) = name.find(char::is_whitespace) {
            let second = name[gap..].trim_start();
            let second = Span::new(name_span.end - second.len(), name_span.end);
            Some(self.diagnostics.two_agents(step, second))
        } else {
            None
        };
        if let Some(mistake) = mistake {
            self.errors.push(mistake);
            self.check_unread_lanes(subject, lanes);
            return None;
        }
        match self.count_and_lanes(subject, count_span, lanes)? {
            Ok(suffix) => Some((name_span, suffix)),
            // `tasks:coordinator` is a name; whether it exists is checked later.
            Err(CountParseError::NotANumber) if !text.contains(char::is_whitespace) => {
                Some((whole, PartSuffix { count: None, lanes }))
            }
            Err(why) => {
                self.errors.push(self.diagnostics.bad_count(subject, count_span, why));
                self.check_unread_lanes(subject, lanes);
                None
            }
        }
    }

    /// Parses what follows a `)`.
    pub(super) fn group_suffix(&mut self, part: Span) -> Option<PartSuffix> {
        let subject = PartSubject::Group;
        if !self.has_only_name_characters(subject, part) {
            return None;
        }
        let (rest, lanes) = self.split_lanes(subject, part);
        let Some(whole) = covering(&rest) else {
            return Some(PartSuffix { count: None, lanes });
        };
        let Some(count) = self.text.slice(whole).strip_prefix(':') else {
            self.errors.push(self.diagnostics.unexpected_after_group(rest[0]));
            return None;
        };
        let count_span = Span::new(whole.end - count.trim_start().len(), whole.end);
        let mut count_words = words(self.text.text, count_span);
        let (first, second) = (count_words.next(), count_words.next());
        let mistake = match (first, second) {
            (None, _) => Some(self.diagnostics.missing_count(subject, whole.end)),
            (Some(_), Some(second)) => Some(self.diagnostics.unexpected_after_group(second)),
            (Some(_), None) => None,
        };
        if let Some(mistake) = mistake {
            self.errors.push(mistake);
            self.check_unread_lanes(subject, lanes);
            return None;
        }
        match self.count_and_lanes(subject, count_span, lanes)? {
            Ok(suffix) => Some(suffix),
            Err(why) => {
                self.errors.push(self.diagnostics.bad_count(subject, count_span, why));
                self.check_unread_lanes(subject, lanes);
                None
            }
        }
    }

    /// Parses a count, and the lanes that are attached to it.
    fn count_and_lanes(
        &mut self,
        subject: PartSubject,
        span: Span,
        lanes: Option<LanesText>,
    ) -> Option<Result<PartSuffix, CountParseError>> {
        let attached = attached_lanes(self.text.slice(span), span);
        if let (Some(_), Some(second)) = (attached.lanes, lanes) {
            self.errors.push(self.diagnostics.second_lanes(subject, second));
            self.check_unread_lanes(subject, attached.lanes);
            return None;
        }
        let lanes = attached.lanes.or(lanes);
        let count = Count::parse(self.text.slice(attached.count));
        if attached.lanes.is_some()
            && let Err(why) = count
        {
            self.errors.push(self.diagnostics.bad_count(subject, attached.count, why));
            self.check_unread_lanes(subject, lanes);
            return None;
        }
        Some(count.map(|count| PartSuffix { count: Some((count, attached.count)), lanes }))
    }

    /// Whether a text is the count or the lanes of a group.
    pub(super) fn is_suffix(&self, part: Span) -> bool {
        let mut words = words(self.text.text, part).map(|word| self.text.slice(word));
        words.next().is_some_and(|first| first.starts_with(':') || is_lanes(first))
    }

    /// White space is allowed around the colon of a count and nowhere else inside a part.
    fn second_agent(&self, words: &[Span]) -> Option<Span> {
        let joined_by_colon = |pair: &[Span]| {
            self.text.slice(pair[0]).ends_with(':') || self.text.slice(pair[1]).starts_with(':')
        };
        words.windows(2).find(|pair| !joined_by_colon(pair)).map(|pair| pair[1])
    }

    fn has_only_name_characters(&mut self, subject: PartSubject, part: Span) -> bool {
        let Some((offset, character)) = stray_character(self.text.slice(part)) else { return true };
        let start = part.start + offset;
        let at = Span::new(start, start + character.len_utf8());
        self.errors.push(self.diagnostics.stray_character(subject, at, character));
        false
    }
}

/// The span from the first word to the last.
fn covering(words: &[Span]) -> Option<Span> {
    Some(Span::new(words.first()?.start, words.last()?.end))
}

/// Characters that no agent name holds and that are typed by users of another syntax.
fn stray_character(part: &str) -> Option<(usize, char)> {
    part.char_indices().find(|(_, c)| {
        (c.is_control() && !c.is_whitespace())
            || matches!(c, '<' | '>' | '→' | '⇒' | ',' | ';' | '&' | '"' | '\'' | '`')
    })
}
