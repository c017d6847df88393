//! Merging criteria, by their numbers.
//!
//! A check counts for the text that it was given to. If the other side replaced the text, the
//! criterion is as open as it is there.

use std::collections::HashMap;

use crate::document::body::merge::body_chunks::BodySide;
use crate::document::body::{BodyEdit, Criterion};

/// What the merge of criteria changes in our version.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CriteriaMerge {
    /// Removals, additions and checks of our criteria.
    pub(super) edits: Vec<BodyEdit>,
    /// The checks of added criteria, by the numbers that they get.
    pub(super) checks: Vec<BodyEdit>,
    /// Criteria of ours whose lines change, by number.
    pub(super) replaced: Vec<(u32, CriterionChange)>,
    /// The texts and checks of the result.
    pub(super) expected: Vec<(String, bool)>,
}

/// What becomes of the lines of a criterion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CriterionChange {
    /// Their lines replace ours.
    Theirs(String),
    /// Both have changed the text.
    Conflict(String),
}

impl CriteriaMerge {
    /// Whether a person has to decide about a criterion.
    pub(super) fn has_conflict(&self) -> bool {
        self.replaced.iter().any(|(_, change)| matches!(change, CriterionChange::Conflict(_)))
    }

    pub(super) fn of(
        base: Option<&BodySide<'_>>,
        ours: &BodySide<'_>,
        theirs: &BodySide<'_>,
    ) -> Self {
        let none = HashMap::new();
        let base = base.map_or(none, by_number);
        let (our_map, their_map) = (by_number(ours), by_number(theirs));
        let mut merge = Self::default();
        // Added ones of theirs that are ours as well.
        let mut same: Vec<u32> = Vec::new();
        for own in &ours.body.criteria {
            let number = own.index;
            match (base.get(&number), their_map.get(&number)) {
                (Some(base), Some(other)) => merge.of_both(base, own, other, theirs),
                (Some(base), None) if own.text == base.text => {
                    merge.edits.push(BodyEdit::RemoveCriterion(number));
                }
                (Some(_), None) => merge.keep(own, own.checked),
                (None, _) => {
                    let mut added = theirs.body.criteria.iter();
                    let twin = added.find(|other| {
                        !base.contains_key(&other.index)
                            && other.text == own.text
                            && !same.contains(&other.index)
                    });
                    same.extend(twin.map(|twin| twin.index));
                    merge.keep(own, own.checked || twin.is_some_and(|twin| twin.checked));
                }
            }
        }
        let highest = our_map.keys().max().copied().unwrap_or_default();
        let added = theirs.body.criteria.iter().filter(|other| match base.get(&other.index) {
            // We removed it. A text that they have changed since survives that.
            Some(base) => !our_map.contains_key(&other.index) && other.text != base.text,
            None => !same.contains(&other.index),
        });
        for (other, number) in added.zip(highest.saturating_add(1)..) {
            merge.edits.push(BodyEdit::AddCriterion(other.text.clone()));
            if other.checked {
                merge.checks.push(BodyEdit::Check(number, true));
            }
            merge.expected.push((other.text.clone(), other.checked));
        }
        merge
    }

    /// Merges a criterion that all three versions have.
    fn of_both(
        &mut self,
        base: &Criterion,
        own: &Criterion,
        other: &Criterion,
        theirs: &BodySide<'_>,
    ) {
        let number = own.index;
        if own.text == other.text {
            let checked = if own.checked == base.checked { other.checked } else { own.checked };
            // A text that is new on both sides has no check from before.
            let checked =
                if own.text == base.text { checked } else { own.checked || other.checked };
            self.keep(own, checked);
        } else if other.text == base.text {
            self.keep(own, own.checked);
        } else {
            let lines = lines_of(theirs, number);
            self.expected.push((other.text.clone(), other.checked));
            self.replaced.push(if own.text == base.text {
                (number, CriterionChange::Theirs(lines))
            } else {
                (number, CriterionChange::Conflict(lines))
            });
        }
    }

    fn keep(&mut self, own: &Criterion, checked: bool) {
        if own.checked != checked {
            self.edits.push(BodyEdit::Check(own.index, checked));
        }
        self.expected.push((own.text.clone(), checked));
    }
}

fn by_number<'a>(side: &'a BodySide<'_>) -> HashMap<u32, &'a Criterion> {
    side.body.criteria.iter().map(|criterion| (criterion.index, criterion)).collect()
}

/// The lines of a criterion with line feeds.
fn lines_of(side: &BodySide<'_>, number: u32) -> String {
    let lines = &side.layout.lines;
    let found = side.list.numbers.iter().position(|other| *other == number);
    let item = found.map(|at| &side.list.items[at]);
    let text =
        item.map(|item| &side.text[lines.start(item.lines.start)..lines.start(item.lines.end)]);
    let mut text = text.unwrap_or_default().replace("\r\n", "\n");
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}
