//! Parsing of a chain into stages. Every stage is parsed, so that all errors are found at once.

use std::sync::Arc;

use super::error::DslDiagnostics;
use super::{Dsl, DslStep};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::source::{SourceText, Span, Spanned};
use crate::text::count::{Count, CountParseError};

const ARROW: &str = "->";

pub(super) fn chain(text: &str) -> Result<Dsl, Vec<Diagnostic>> {
    let source = Arc::new(SourceText::command_line(text));
    let mistakes = DslDiagnostics { source: &source };
    if text.trim().is_empty() {
        return Err(vec![mistakes.empty_chain()]);
    }
    if let Some(reserved) = text.find(['(', ')', '|']) {
        let step = text[..reserved].matches(ARROW).count() + 1;
        return Err(vec![mistakes.parallel(step, reserved)]);
    }

    let mut stages = Vec::new();
    let mut errors = Vec::new();
    for (index, piece) in pieces(text).enumerate() {
        let step = StepText { number: index + 1, text, piece };
        match stage(&mistakes, &step) {
            Ok(stage) => stages.push(stage),
            Err(error) => errors.push(error),
        }
    }
    if errors.is_empty() { Ok(Dsl { source, stages }) } else { Err(errors) }
}

/// The unparsed text of one stage.
struct StepText<'a> {
    number: usize,
    /// The whole chain.
    text: &'a str,
    /// The part between two arrows.
    piece: Span,
}

/// The parts between the arrows, empty ones included.
fn pieces(text: &str) -> impl Iterator<Item = Span> {
    let mut start = 0;
    text.split(ARROW).map(move |piece| {
        let span = Span::new(start, start + piece.len());
        start = span.end + ARROW.len();
        span
    })
}

fn stage(mistakes: &DslDiagnostics<'_>, step: &StepText<'_>) -> Result<DslStep, Diagnostic> {
    let words = words(step);
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return Err(mistakes.missing_agent(step.number, step.piece));
    };
    if is_replicas(&step.text[last.range()]) {
        return Err(mistakes.replicas(step.number, *last));
    }
    let whole = Span::new(first.start, last.end);
    if let Some(stray) = stray_character(&step.text[whole.range()]) {
        let at = whole.start + stray.0;
        return Err(mistakes.stray_character(
            step.number,
            Span::new(at, at + stray.1.len_utf8()),
            stray.1,
        ));
    }
    if let Some(two) = two_agents(step.text, &words) {
        return Err(mistakes.two_agents(step.number, two));
    }
    split_count(mistakes, step, whole)
}

/// Separates the name from the count behind the last colon.
fn split_count(
    mistakes: &DslDiagnostics<'_>,
    step: &StepText<'_>,
    whole: Span,
) -> Result<DslStep, Diagnostic> {
    let text = &step.text[whole.range()];
    let without_count =
        || DslStep { agent: Spanned::new(text.to_owned(), whole), iterations: None };
    let Some((name, count)) = text.rsplit_once(':') else {
        return Ok(without_count());
    };
    let name_span = Span::new(whole.start, whole.start + name.trim_end().len());
    let count_span = Span::new(whole.end - count.trim_start().len(), whole.end);
    let (name, count) = (name.trim_end(), count.trim_start());
    if name.is_empty() {
        return Err(mistakes.missing_name(step.number, Span::new(whole.start, count_span.start)));
    }
    if count.is_empty() {
        return Err(mistakes.missing_count(step.number, whole.end));
    }
    if name.ends_with(':') {
        let colon = Span::new(name_span.end - 1, name_span.end);
        return Err(mistakes.stray_character(step.number, colon, ':'));
    }
    if let Some(gap) = name.find(char::is_whitespace) {
        let second = name[gap..].trim_start();
        return Err(mistakes
            .two_agents(step.number, Span::new(name_span.end - second.len(), name_span.end)));
    }
    if let Some((_, replicas)) = count.split_once('x').filter(|(n, _)| is_digits(n))
        && is_digits(replicas)
    {
        return Err(mistakes.replicas(step.number, count_span));
    }
    match Count::parse(count) {
        Ok(iterations) => Ok(DslStep {
            agent: Spanned::new(name.to_owned(), name_span),
            iterations: Some(iterations),
        }),
        // `tasks:coordinator` is a name; whether it exists is checked later.
        Err(CountParseError::NotANumber) if !text.contains(char::is_whitespace) => {
            Ok(without_count())
        }
        Err(why) => Err(mistakes.bad_count(step.number, count_span, count, why)),
    }
}

fn words(step: &StepText<'_>) -> Vec<Span> {
    let piece = &step.text[step.piece.range()];
    let offset = |word: &str| step.piece.start + (word.as_ptr() as usize - piece.as_ptr() as usize);
    piece
        .split_whitespace()
        .map(|word| Span::new(offset(word), offset(word) + word.len()))
        .collect()
}

/// White space is allowed around the colon of a count and nowhere else inside a stage.
fn two_agents(text: &str, words: &[Span]) -> Option<Span> {
    let joined_by_colon = |pair: &[Span]| {
        text[pair[0].range()].ends_with(':') || text[pair[1].range()].starts_with(':')
    };
    words.windows(2).find(|pair| !joined_by_colon(pair)).map(|pair| pair[1])
}

/// Characters that no agent name holds and that are typed by users of another syntax.
fn stray_character(stage: &str) -> Option<(usize, char)> {
    stage.char_indices().find(|(_, c)| {
        (c.is_control() && !c.is_whitespace())
            || matches!(c, '<' | '>' | '→' | '⇒' | ',' | ';' | '&' | '"' | '\'' | '`')
    })
}

fn is_replicas(word: &str) -> bool {
    word.strip_prefix('x').is_some_and(is_digits)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
