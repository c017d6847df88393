//! The criteria of a body: which lines they have, and which numbers.

use std::collections::HashSet;
use std::ops::Range;

use super::item::{CriterionGrammar, ListItemHead};
use super::layout::BodyLayout;
use super::lines::{BodyLines, Kind};
use super::{BodySection, continuation, escape, line_form};

/// The criteria of a body.
#[derive(Debug)]
pub(super) struct CriterionList {
    pub(super) items: Vec<CriterionItem>,
    /// The number of each criterion.
    pub(super) numbers: Vec<u32>,
    pub(super) grammar: CriterionGrammar,
}

/// A criterion.
#[derive(Debug)]
pub(super) struct CriterionItem {
    pub(super) head: ListItemHead,
    pub(super) lines: Range<usize>,
}

impl CriterionList {
    /// Finds the criteria: those between markers or, without markers, those of the section.
    pub(super) fn of(layout: &BodyLayout<'_>) -> Self {
        let mut items = Vec::new();
        for block in &layout.blocks {
            find(&layout.lines, block.clone(), CriterionGrammar::Boxed, &mut items);
        }
        let mut grammar = CriterionGrammar::Boxed;
        if layout.blocks.is_empty()
            && let Some(place) = layout.section(BodySection::Criteria)
        {
            grammar = CriterionGrammar::Any;
            find(&layout.lines, place.text.clone(), grammar, &mut items);
        }
        let numbers = numbers(&items);
        Self { items, numbers, grammar }
    }
}

impl CriterionItem {
    /// The text of the criterion.
    pub(super) fn text(&self, lines: &BodyLines<'_>) -> String {
        let first = escape::read_line(lines, self.lines.start);
        let rest: Vec<_> =
            (self.lines.start + 1..self.lines.end).map(|at| escape::read_line(lines, at)).collect();
        continuation::join(&first[self.head.text..], &rest)
    }

    /// Whether a line with this indentation, which is not an item itself, continues this one.
    ///
    /// Bullets are at one of two levels, so that a line belongs to the same criterion whichever
    /// other one is removed.
    fn goes_on_with(&self, indentation: usize) -> bool {
        indentation > if self.is_deep() { 2 } else { 0 }
    }

    fn is_deep(&self) -> bool {
        is_deep(&self.head)
    }
}

fn is_deep(head: &ListItemHead) -> bool {
    head.indent() >= 2
}

fn find(
    lines: &BodyLines<'_>,
    range: Range<usize>,
    grammar: CriterionGrammar,
    items: &mut Vec<CriterionItem>,
) {
    // Whether the last item may continue. One of an earlier block may not.
    let mut is_open = false;
    for at in range {
        let line = lines.content(at);
        let kind = lines.kind(at);
        let last = items.last_mut().filter(|_| is_open);
        if kind == Kind::Inside {
            // Fenced code is one with the line that opens it.
            if let Some(last) = last {
                last.lines.end = at + 1;
            }
            continue;
        }
        if line_form::is_blank(line) {
            continue;
        }
        let head = if kind == Kind::Text { ListItemHead::read(line, grammar) } else { None };
        let nested =
            |head: &ListItemHead| is_deep(head) && last.as_ref().is_some_and(|it| !it.is_deep());
        if let Some(head) = head.filter(|head| !nested(head)) {
            items.push(CriterionItem { head, lines: at..at + 1 });
            is_open = true;
        } else if let Some(last) = last
            && last.goes_on_with(line_form::indentation(line))
        {
            last.lines.end = at + 1;
        } else {
            is_open = false;
        }
    }
}

/// A written number counts, unless an earlier item has the same. All others get the next ones after
/// the highest, in order.
fn numbers(items: &[CriterionItem]) -> Vec<u32> {
    let mut seen = HashSet::new();
    let written: Vec<Option<u32>> = items
        .iter()
        .map(|item| item.head.number.as_ref().map(|number| number.value))
        .map(|number| number.filter(|value| seen.insert(*value)))
        .collect();
    let highest = seen.iter().max().copied().unwrap_or_default();
    let missing = u32::try_from(items.len() - seen.len()).unwrap_or(u32::MAX);
    if highest.checked_add(missing).is_none() {
        // No number is left after the highest: the file has a very high one. Count from 1.
        return (1..).take(items.len()).collect();
    }
    let mut last = highest;
    let mut next = || {
        last += 1;
        last
    };
    written.into_iter().map(|number| number.unwrap_or_else(&mut next)).collect()
}
