//! Changing a list in brackets.

use std::ops::Range;

use super::items::{ItemPlan, plan};
use super::splice::Splices;
use crate::document::front::text::{self, Place, Quoting};
use crate::document::front::tree::Node;

/// Changes the items of a list in brackets. Those that stay keep their quotes.
pub(super) fn change(
    yaml: &str,
    range: &Range<usize>,
    old: &[Node<'_>],
    wanted: &[&str],
) -> Option<Splices> {
    let plan = plan(old, wanted);
    let mut splices = Splices::default();
    if !plan.stays.contains(&true) {
        let items: Vec<String> = wanted.iter().map(|item| written(item)).collect();
        splices.replace(range.start + 1..range.end.checked_sub(1)?, items.join(", "));
        return Some(splices);
    }
    delete_items(yaml, old, &plan, &mut splices);
    for (place, item) in &plan.new {
        match plan.stays[..*place].iter().rposition(|stays| *stays) {
            Some(before) => splices.insert(old[before].range.end, format!(", {}", written(item))),
            None => {
                let behind = plan.stays.iter().position(|stays| *stays)?;
                splices.insert(old[behind].range.start, format!("{}, ", written(item)));
            }
        }
    }
    Some(splices)
}

fn written(item: &str) -> String {
    let mut out = String::new();
    text::push(&mut out, item, Place::Brackets, Quoting::USUAL);
    out
}

/// Deletes each item with a comma next to it, but no comment.
fn delete_items(yaml: &str, old: &[Node<'_>], plan: &ItemPlan<'_>, splices: &mut Splices) {
    let has_comment = |gap: Range<usize>| yaml[gap].contains('#');
    let first_that_stays = plan.stays.iter().position(|stays| *stays).unwrap_or(old.len());
    let mut comma_is_behind = false;
    for (at, node) in old.iter().enumerate() {
        let Range { start, end } = node.range;
        if plan.stays[at] {
            comma_is_behind = false;
            continue;
        }
        if at < first_that_stays {
            let next = old[at + 1].range.start;
            let gap_end = if has_comment(end..next) { behind_comma(yaml, end) } else { next };
            splices.delete(start..gap_end);
            continue;
        }
        let previous = old[at - 1].range.end;
        comma_is_behind = comma_is_behind || has_comment(previous..start);
        if comma_is_behind {
            splices.delete(start..behind_comma(yaml, end));
        } else {
            splices.delete(previous..end);
        }
    }
}

/// Where the comma behind an item ends; where the item ends if no comma comes next.
fn behind_comma(yaml: &str, end: usize) -> usize {
    let rest = yaml[end..].trim_start();
    if rest.starts_with(',') { yaml.len() - rest.len() + 1 } else { end }
}
