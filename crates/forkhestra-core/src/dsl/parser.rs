//! The parser of the chain language: recursive descent with one token of lookahead.

use super::chain_text::ChainText;
use super::error::{DslDiagnostics, PartSubject};
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
    /// Errors about reserved forms that are used in the right way, in the order of the text. A wrong
    /// use of such a form has another error, which replaces these.
    pub(super) unsupported: Vec<Diagnostic>,
    /// All lanes so far, in the order of the text.
    pub(super) lanes: Vec<Span>,
    /// All questions so far, in the order of the text.
    pub(super) questions: Vec<Span>,
}

/// A part, and whether it is a group of parallel stages.
struct ParsedPart {
    part: DslPart,
    is_parallel: bool,
}

/// A chain, and whether it is only a group of parallel stages.
struct ParsedChain {
    chain: DslChain,
    is_parallel: bool,
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
            unsupported: Vec::new(),
            lanes: Vec::new(),
            questions: Vec::new(),
        };
        if !parser.tokens.is_empty() {
            let chain = parser.chain(0).chain;
            if parser.errors.is_empty() && parser.unsupported.is_empty() {
                return Ok(Dsl { source: text.source.clone(), chain });
            }
        }
        Err(parser.into_errors())
    }

    fn into_errors(self) -> Vec<Diagnostic> {
        let mut errors = self.errors;
        errors.extend(self.unsupported);
        errors.sort_by_key(|error| error.label.as_ref().map(|label| label.span));
        errors
    }

    /// Parses stages up to the end of the text, or of the branch of a group.
    fn chain(&mut self, depth: usize) -> ParsedChain {
        let (first, mut is_parallel) = self.stage(depth);
        let mut stages: Vec<DslStage> = first.into_iter().collect();
        while self.skip_to_next_stage(depth) {
            is_parallel = false;
            stages.extend(self.stage(depth).0);
        }
        ParsedChain { chain: DslChain { stages }, is_parallel }
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
                    if self.is_unbalanced {
                        // It may be inside of an unpaired parenthesis.
                        let error = self.diagnostics.parallel_not_supported(self.steps, token.span);
                        self.unsupported.push(error);
                    } else {
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

    /// Parses alternatives. Also returns whether they are only a group of parallel stages.
    fn stage(&mut self, depth: usize) -> (Option<DslStage>, bool) {
        let first = self.part(depth);
        let mut is_parallel = first.as_ref().is_some_and(|first| first.is_parallel);
        let mut alternatives: Vec<DslPart> = first.into_iter().map(|first| first.part).collect();
        let mut number = 1;
        while let Some(token) = self.take(DslTokenKind::Else) {
            number += 1;
            if number == MAX_ELSE_PARTS + 1 {
                self.errors.push(self.diagnostics.too_many_else_parts(token.span));
            }
            is_parallel = false;
            alternatives.extend(self.part(depth).map(|parsed| parsed.part));
        }
        let stage = (!alternatives.is_empty()).then_some(DslStage { alternatives });
        (stage, is_parallel)
    }

    fn part(&mut self, depth: usize) -> Option<ParsedPart> {
        if let Some(open) = self.take(DslTokenKind::Open) {
            return self.group(depth + 1, open.span);
        }
        self.steps += 1;
        match self.take(DslTokenKind::Text) {
            Some(token) => {
                let part = self.agent_or_question(self.steps, token.span)?;
                Some(ParsedPart { part, is_parallel: false })
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
        let first_step = self.steps + 1;
        let (lanes_before, questions_before) = (self.lanes.len(), self.questions.len());
        let unsupported_before = self.unsupported.len();
        let inner = self.chain(depth);
        let mut branches = 1;
        while self.take(DslTokenKind::Bar).is_some() {
            self.chain(depth);
            branches += 1;
        }
        let close = self.take(DslTokenKind::Close).map_or(open, |close| close.span);
        let has_branches = branches > 1;
        if has_branches {
            self.unsupported.push(self.diagnostics.parallel_not_supported(first_step, open));
        }
        let (suffix, end) = self.suffix();
        let suffix = suffix?;
        let is_parallel = has_branches || inner.is_parallel;
        let inside =
            (self.lanes.get(lanes_before).copied(), self.questions.get(questions_before).copied());
        let mut fits = is_parallel || self.check_lanes(PartSubject::Group, suffix, None);
        let mut wrong_uses = self.wrong_group_lanes(suffix.lanes, inside, is_parallel);
        if let Some((_, count)) = suffix.count.filter(|_| is_parallel) {
            wrong_uses.push(self.diagnostics.parallel_repeated(count));
        }
        if !wrong_uses.is_empty() {
            self.unsupported.truncate(unsupported_before);
            self.errors.extend(wrong_uses);
            fits = false;
        }
        let span = Span::new(open.start, end.unwrap_or(close.end));
        let part = grouped(inner.chain, suffix, self.text.in_source(span));
        part.filter(|_| fits).map(|part| ParsedPart { part, is_parallel })
    }

    /// The errors about lanes of a group that its content does not allow.
    fn wrong_group_lanes(
        &self,
        lanes: Option<Span>,
        (inner_lanes, question): (Option<Span>, Option<Span>),
        is_parallel: bool,
    ) -> Vec<Diagnostic> {
        let Some(lanes) = lanes else { return Vec::new() };
        if is_parallel {
            return vec![self.diagnostics.parallel_with_lanes(lanes)];
        }
        let nested = inner_lanes.map(|inner| self.diagnostics.nested_lanes(lanes, inner));
        let question = question.map(|asked| self.diagnostics.question_in_lanes(asked, lanes));
        nested.into_iter().chain(question).collect()
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

/// A chain in parentheses. Parentheses around a single part mean nothing and are dropped.
fn grouped(mut chain: DslChain, suffix: PartSuffix, span: Span) -> Option<DslPart> {
    let count = suffix.count.map(|(count, _)| count);
    match chain.stages.as_mut_slice() {
        [] => None,
        [stage] if count.is_none() && stage.alternatives.len() == 1 => stage.alternatives.pop(),
        _ => Some(DslPart { kind: DslPartKind::Group(chain), count, span }),
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
