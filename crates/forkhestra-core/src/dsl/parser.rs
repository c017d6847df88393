//! The parser of the chain language: recursive descent with one token of lookahead.

use super::chain_text::ChainText;
use super::error::{DslDiagnostics, PartSubject};
use super::part_lanes::LanesText;
use super::part_parser::PartSuffix;
use super::token::{DslToken, DslTokenKind, tokens};
use super::{Dsl, DslChain, DslPart, DslPartKind, DslStage, MAX_ELSE_PARTS};
use crate::diagnostic::Diagnostic;
use crate::diagnostic::source::Span;

/// The state of the parser.
///
/// A mistake is recorded, and the parser continues: a function returns `None` or a shorter list for
/// what it could not read.
pub(super) struct DslParser<'a> {
    pub(super) text: &'a ChainText<'a>,
    pub(super) diagnostics: DslDiagnostics<'a>,
    /// The tokens with every parenthesis in a pair.
    tokens: Vec<DslToken>,
    /// The next token.
    at: usize,
    /// The deepest nesting of groups.
    group_depth: usize,
    /// Whether the text had unpaired parentheses.
    is_unbalanced: bool,
    /// The agents and questions so far, missing ones included.
    steps: usize,
    pub(super) errors: Vec<Diagnostic>,
    /// All lanes and parallel stages so far, in the order of their ends.
    pub(super) lanes: Vec<LanesPosition>,
    /// The questions so far that are not known to be in lanes, in the order of the text.
    pub(super) questions: Vec<Span>,
}

/// Where lanes are: `x4`, `best3`, or the `(` of parallel stages.
#[derive(Debug, Clone, Copy)]
pub(super) struct LanesPosition {
    pub(super) span: Span,
    pub(super) is_parallel: bool,
}

/// What is parallel in a part, a stage or a chain.
#[derive(Debug, Clone, Copy, Default)]
struct ParallelStages {
    /// It is parallel stages and nothing else.
    is_parallel: bool,
    /// It ends with parallel stages.
    ends_parallel: bool,
}

struct ParsedPart {
    part: DslPart,
    parallel: ParallelStages,
}

struct ParsedChain {
    chain: DslChain,
    parallel: ParallelStages,
}

impl<'a> DslParser<'a> {
    /// Parses a chain, or returns all its errors in the order of the text.
    pub(super) fn parse(
        text: &'a ChainText<'a>,
        group_depth: usize,
    ) -> Result<Dsl, Vec<Diagnostic>> {
        let diagnostics = DslDiagnostics { text };
        if text.text.trim().is_empty() {
            return Err(vec![diagnostics.empty_chain()]);
        }
        let (tokens, unpaired) = pair_parentheses(tokens(text.text));
        let unpaired = unpaired.into_iter().map(|token| match token.kind {
            DslTokenKind::Open => diagnostics.unclosed(token.span),
            _ => diagnostics.unopened(token.span),
        });
        let errors: Vec<Diagnostic> = unpaired.collect();
        let mut parser = Self {
            text,
            diagnostics: DslDiagnostics { text },
            tokens,
            at: 0,
            group_depth,
            is_unbalanced: !errors.is_empty(),
            steps: 0,
            errors,
            lanes: Vec::new(),
            questions: Vec::new(),
        };
        if !parser.tokens.is_empty() {
            let chain = parser.chain(0).chain;
            if parser.errors.is_empty() {
                return Ok(Dsl { source: text.source.clone(), chain });
            }
        }
        Err(parser.into_errors())
    }

    fn into_errors(self) -> Vec<Diagnostic> {
        let mut errors = self.errors;
        errors.sort_by_key(|error| error.label.as_ref().map(|label| label.span));
        errors
    }

    /// Parses stages up to the end of the text, or of the branch of a group.
    fn chain(&mut self, depth: usize) -> ParsedChain {
        let (first, mut parallel) = self.stage(depth);
        let mut stages: Vec<DslStage> = first.into_iter().collect();
        while self.skip_to_next_stage(depth) {
            let (stage, of_stage) = self.stage(depth);
            parallel = ParallelStages { is_parallel: false, ..of_stage };
            stages.extend(stage);
        }
        ParsedChain { chain: DslChain { stages }, parallel }
    }

    /// Consumes the token between two stages. Returns whether there is another stage.
    fn skip_to_next_stage(&mut self, depth: usize) -> bool {
        while let Some(token) = self.peek() {
            let is_outside = depth == 0;
            match token.kind {
                DslTokenKind::Arrow => {}
                DslTokenKind::ShellOperator => {
                    let operator = self.text.slice(token.span);
                    let step = self.steps;
                    self.errors.push(self.diagnostics.shell_operator(step, token.span, operator));
                }
                DslTokenKind::Bar if is_outside => {
                    // It may be inside of an unpaired parenthesis.
                    if !self.is_unbalanced {
                        self.errors.push(self.diagnostics.bar_outside(self.steps, token.span));
                    }
                }
                DslTokenKind::Open => {
                    self.errors.push(self.diagnostics.unexpected_group(self.steps, token.span));
                    return true;
                }
                // Two texts are adjacent only if an unpaired parenthesis was between them. The second
                // one is checked for mistakes of its own, unless it belongs to the parenthesis.
                DslTokenKind::Text => {
                    self.at += 1;
                    if !self.is_suffix(token.span) {
                        self.steps += 1;
                        self.agent_or_question(self.steps, token.span);
                    }
                    continue;
                }
                DslTokenKind::Bar | DslTokenKind::Close | DslTokenKind::Else => return false,
            }
            self.at += 1;
            return true;
        }
        false
    }

    /// Parses alternatives.
    fn stage(&mut self, depth: usize) -> (Option<DslStage>, ParallelStages) {
        let first = self.part(depth);
        let mut parallel = first.as_ref().map(|first| first.parallel).unwrap_or_default();
        let mut alternatives: Vec<DslPart> = first.into_iter().map(|first| first.part).collect();
        let mut number = 1;
        while let Some(token) = self.take(DslTokenKind::Else) {
            number += 1;
            if number == MAX_ELSE_PARTS + 1 {
                self.errors.push(self.diagnostics.too_many_else_parts(token.span));
            }
            let other = self.part(depth);
            let ends_parallel = other.as_ref().is_some_and(|other| other.parallel.ends_parallel);
            parallel.is_parallel = false;
            parallel.ends_parallel |= ends_parallel;
            alternatives.extend(other.map(|other| other.part));
        }
        let stage = (!alternatives.is_empty()).then_some(DslStage { alternatives });
        (stage, parallel)
    }

    fn part(&mut self, depth: usize) -> Option<ParsedPart> {
        if let Some(open) = self.take(DslTokenKind::Open) {
            return self.group(depth + 1, open.span);
        }
        self.steps += 1;
        match self.take(DslTokenKind::Text) {
            Some(token) => {
                let part = self.agent_or_question(self.steps, token.span)?;
                Some(ParsedPart { part, parallel: ParallelStages::default() })
            }
            None => {
                let before = self.at.checked_sub(1).map(|before| self.tokens[before]);
                let missing = self.diagnostics.missing_agent(self.steps, before, self.peek());
                self.errors.push(missing);
                None
            }
        }
    }

    /// Parses a group after its `(`.
    fn group(&mut self, depth: usize, open: Span) -> Option<ParsedPart> {
        if depth > self.group_depth {
            self.errors.push(self.diagnostics.too_deep(open));
            self.skip_group();
            self.suffix();
            return None;
        }
        let (lanes_before, questions_before) = (self.lanes.len(), self.questions.len());
        let inner = self.chain(depth);
        let mut parallel = inner.parallel;
        let mut branches = vec![inner.chain];
        while self.take(DslTokenKind::Bar).is_some() {
            branches.push(self.chain(depth).chain);
        }
        let close = self.take(DslTokenKind::Close).map_or(open, |close| close.span);
        let has_branches = branches.len() > 1;
        if has_branches {
            parallel = ParallelStages { is_parallel: true, ends_parallel: true };
            self.refuse_in_branches(open, lanes_before, questions_before);
        }
        let (suffix, end) = self.suffix();
        let suffix = suffix?;
        let fits = if parallel.is_parallel {
            self.refuse_suffix_of_parallel(suffix)
        } else {
            self.fits_in_group(suffix, parallel, lanes_before, questions_before)
        };
        let lanes = match suffix.lanes {
            Some(_) if !parallel.is_parallel => self.lanes(PartSubject::Group, suffix, None)?,
            _ => None,
        };
        let count = suffix.count.map(|(count, _)| count);
        let span = self.text.in_source(Span::new(open.start, end.unwrap_or(close.end)));
        let part = grouped(branches, DslPart { count, lanes, ..DslPart::empty_group(span) })?;
        // A repeated group ends with all its rounds.
        parallel.ends_parallel &= count.is_none();
        fits.then_some(ParsedPart { part, parallel })
    }

    /// Reports what cannot stand in the branches of parallel stages.
    fn refuse_in_branches(&mut self, open: Span, lanes_before: usize, questions_before: usize) {
        let inner = self.lanes[lanes_before..].iter().filter(|inner| inner.is_parallel);
        let nested: Vec<Diagnostic> =
            inner.map(|inner| self.diagnostics.nested_parallel(inner.span, open)).collect();
        self.errors.extend(nested);
        self.refuse_questions(questions_before, open, "these parallel stages");
        self.lanes.push(LanesPosition { span: open, is_parallel: true });
    }

    /// Reports the questions of a group with lanes, and of parallel stages.
    fn refuse_questions(&mut self, questions_before: usize, lanes: Span, label: &str) {
        for question in self.questions.split_off(questions_before) {
            self.errors.push(self.diagnostics.question_in_lanes(question, lanes, label));
        }
    }

    /// Reports the count and the lanes of parallel stages. Returns whether they have none.
    fn refuse_suffix_of_parallel(&mut self, suffix: PartSuffix) -> bool {
        let count = suffix.count.map(|(_, span)| self.diagnostics.parallel_repeated(span));
        let lanes = suffix.lanes.map(|lanes| self.diagnostics.parallel_with_lanes(lanes.span));
        let fits = count.is_none() && lanes.is_none();
        self.errors.extend(count.into_iter().chain(lanes));
        fits
    }

    /// Reports what a group cannot contain, because of its count or its lanes.
    fn fits_in_group(
        &mut self,
        suffix: PartSuffix,
        parallel: ParallelStages,
        lanes_before: usize,
        questions_before: usize,
    ) -> bool {
        let before = self.errors.len();
        if let Some((_, count)) = suffix.count.filter(|_| parallel.ends_parallel) {
            self.errors.push(self.diagnostics.parallel_repeated(count));
        }
        if let Some(LanesText { span, .. }) = suffix.lanes {
            if let Some(inner) = self.lanes.get(lanes_before) {
                self.errors.push(self.diagnostics.nested_lanes(span, inner.span));
            }
            self.refuse_questions(questions_before, span, "lanes of the group");
        }
        self.errors.len() == before
    }

    /// Parses what follows a `)`, and returns where it ends. `None` is a mistake.
    fn suffix(&mut self) -> (Option<PartSuffix>, Option<usize>) {
        match self.take(DslTokenKind::Text) {
            Some(token) => (self.group_suffix(token.span), Some(token.span.end)),
            None => (Some(PartSuffix::default()), None),
        }
    }

    /// Skips the content of a group and its `)`, and counts its steps.
    fn skip_group(&mut self) {
        let mut open = 1;
        let mut may_be_suffix = false;
        while let Some(token) = self.peek().filter(|_| open > 0) {
            self.at += 1;
            match token.kind {
                DslTokenKind::Open => open += 1,
                DslTokenKind::Close => open -= 1,
                DslTokenKind::Text if !may_be_suffix => self.steps += 1,
                _ => {}
            }
            may_be_suffix = token.kind == DslTokenKind::Close;
        }
    }

    fn peek(&self) -> Option<DslToken> {
        self.tokens.get(self.at).copied()
    }

    /// Consumes the next token if it is of a kind.
    fn take(&mut self, kind: DslTokenKind) -> Option<DslToken> {
        let token = self.peek().filter(|token| token.kind == kind)?;
        self.at += 1;
        Some(token)
    }
}

/// Fills an empty group. Parentheses around a single part mean nothing and are dropped.
fn grouped(mut branches: Vec<DslChain>, mut group: DslPart) -> Option<DslPart> {
    if branches.len() > 1 {
        let is_complete = branches.iter().all(|branch| !branch.stages.is_empty());
        group.kind = DslPartKind::Parallel(branches);
        return is_complete.then_some(group);
    }
    let mut chain = branches.pop()?;
    match chain.stages.as_mut_slice() {
        [] => None,
        [stage] if group.count.is_none() && stage.alternatives.len() == 1 => {
            stage.alternatives.pop()
        }
        _ => {
            group.kind = DslPartKind::Group(chain);
            Some(group)
        }
    }
}

/// Separates the unpaired parentheses from the other tokens.
fn pair_parentheses(tokens: Vec<DslToken>) -> (Vec<DslToken>, Vec<DslToken>) {
    let mut open = Vec::new();
    let mut unpaired = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        match token.kind {
            DslTokenKind::Open => open.push(index),
            DslTokenKind::Close if open.pop().is_none() => unpaired.push(index),
            _ => {}
        }
    }
    unpaired.extend(open);
    unpaired.sort_unstable();
    let is_unpaired = |index: usize| unpaired.binary_search(&index).is_ok();
    let (without_pair, others): (Vec<_>, Vec<_>) =
        tokens.into_iter().enumerate().partition(|(index, _)| is_unpaired(*index));
    let only_tokens = |indexed: Vec<(usize, DslToken)>| {
        indexed.into_iter().map(|(_, token)| token).collect::<Vec<_>>()
    };
    (only_tokens(others), only_tokens(without_pair))
}
