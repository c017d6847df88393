//! Changing the items of a list, in brackets or with a line for each item.

use std::ops::Range;

use super::splices::{Splices, line_end, new_line};
use crate::document::Newline;
use crate::document::front::edit::front_entry::{FrontEntry, end_of};
use crate::document::front::front_value::RawValue;
use crate::document::front::quoting::{QuoteStyle, TextPosition, push_text};
use crate::document::front::yaml_node::YamlNode;

/// Changes the items of a list in brackets. Those that stay keep their quotes.
pub(super) fn change_flow_list(
    yaml: &str,
    range: &Range<usize>,
    old: &[YamlNode<'_>],
    wanted: &[&str],
    splices: &mut Splices,
) -> Option<()> {
    let plan = plan(old, wanted);
    if !plan.stays.contains(&true) {
        let items: Vec<String> = wanted.iter().map(|item| written(item)).collect();
        splices.replace(range.start + 1..range.end.checked_sub(1)?, items.join(", "));
        return Some(());
    }
    delete_items(yaml, old, &plan, splices);
    for (place, item) in &plan.new {
        match plan.stays[..*place].iter().rposition(|stays| *stays) {
            Some(before) => splices.insert(old[before].range.end, format!(", {}", written(item))),
            None => {
                let behind = plan.stays.iter().position(|stays| *stays)?;
                splices.insert(old[behind].range.start, format!("{}, ", written(item)));
            }
        }
    }
    Some(())
}

fn written(item: &str) -> String {
    let mut out = String::new();
    push_text(&mut out, item, TextPosition::Brackets, QuoteStyle::Double);
    out
}

/// Deletes each item with a comma next to it, but no comment.
fn delete_items(yaml: &str, old: &[YamlNode<'_>], plan: &ItemPlan<'_>, splices: &mut Splices) {
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

/// The end of the comma after an item, or of the item if no comma follows.
fn behind_comma(yaml: &str, end: usize) -> usize {
    let rest = yaml[end..].trim_start();
    if rest.starts_with(',') { yaml.len() - rest.len() + 1 } else { end }
}

/// Changes the items of a list of lines. Those that stay keep their lines.
pub(super) fn change_block_list(
    yaml: &str,
    entry: &FrontEntry<'_>,
    old: &[YamlNode<'_>],
    wanted: &[&str],
    newline: Newline,
    splices: &mut Splices,
) -> Option<()> {
    let places = places(yaml, entry, old)?;
    let plan = plan(old, wanted);
    for (place, stays) in places.iter().zip(&plan.stays) {
        if !stays {
            splices.delete(place.lines.clone());
        }
    }
    if wanted.is_empty() && !plan.stays.contains(&true) {
        splices.insert(entry.behind_colon, " []".to_owned());
    }
    let first = places.first()?;
    for (place, item) in &plan.new {
        let at = match plan.stays[..*place].iter().rposition(|stays| *stays) {
            Some(before) => places[before].lines.end,
            None => first.lines.start,
        };
        let mut line = format!("{}- ", first.indent);
        push_text(&mut line, item, TextPosition::Line, QuoteStyle::Double);
        splices.insert(at, new_line(yaml, at, &line, newline));
    }
    Some(())
}

struct ItemPlace<'a> {
    /// The text before the hyphen.
    indent: &'a str,
    lines: Range<usize>,
}

/// Finds the lines of all items: each begins with the next hyphen, since nothing but comments and
/// blank lines is between two items.
fn places<'a>(
    yaml: &'a str,
    entry: &FrontEntry<'_>,
    old: &[YamlNode<'_>],
) -> Option<Vec<ItemPlace<'a>>> {
    let mut position = line_end(yaml, entry.behind_colon);
    let mut places = Vec::with_capacity(old.len());
    for node in old {
        let (start, indent) = loop {
            let end = line_end(yaml, position);
            let line = &yaml[position..end];
            let content = line.trim_start_matches(' ');
            if content.starts_with('-') {
                break (position, &line[..line.len() - content.len()]);
            }
            let is_nothing = content.trim_end().is_empty() || content.starts_with('#');
            if !is_nothing || end == position {
                return None;
            }
            position = end;
        };
        position = end_of(yaml, node).max(line_end(yaml, start));
        places.push(ItemPlace { indent, lines: start..position });
    }
    Some(places)
}

/// Which items of a list stay, and which are new.
#[derive(Debug, PartialEq, Eq)]
struct ItemPlan<'a> {
    /// For each old item, whether it stays.
    stays: Vec<bool>,
    /// The new items, each with the number of old ones that come before it.
    new: Vec<(usize, &'a str)>,
}

/// Keeps the old items that are wanted and in order. A new item is inserted after the one that
/// precedes it.
fn plan<'a>(old: &[YamlNode<'_>], wanted: &[&'a str]) -> ItemPlan<'a> {
    let texts: Vec<RawValue<'_>> = old.iter().map(YamlNode::raw_value).collect();
    // Items without a text do not count, so they do no harm.
    let mut stays: Vec<bool> = texts.iter().map(|value| *value == RawValue::Nothing).collect();
    let mut new = Vec::new();
    let mut position = 0;
    for item in wanted {
        let is_item = |value: &RawValue<'_>| matches!(value, RawValue::Text(text) if text == item);
        match texts[position..].iter().position(is_item) {
            Some(found) => {
                stays[position + found] = true;
                position += found + 1;
            }
            None => new.push((position, *item)),
        }
    }
    ItemPlan { stays, new }
}
