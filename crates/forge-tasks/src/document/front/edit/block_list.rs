//! Changing a list with a line for each item.

use std::ops::Range;

use super::entry::{Entry, end_of};
use super::items::plan;
use super::lines;
use super::splice::Splices;
use crate::document::Newline;
use crate::document::front::text::{self, Place, Quoting};
use crate::document::front::tree::Node;

/// Changes the items of a list of lines. Those that stay keep their lines.
pub(super) fn change(
    yaml: &str,
    entry: &Entry<'_>,
    old: &[Node<'_>],
    wanted: &[&str],
    newline: Newline,
) -> Option<Splices> {
    let places = places(yaml, entry, old)?;
    let plan = plan(old, wanted);
    let mut splices = Splices::default();
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
        text::push(&mut line, item, Place::Line, Quoting::USUAL);
        splices.insert(at, lines::new(yaml, at, &line, newline));
    }
    Some(splices)
}

struct ItemPlace<'a> {
    /// What is before the hyphen.
    indent: &'a str,
    lines: Range<usize>,
}

/// Finds the lines of all items: each begins with the next hyphen, since nothing but comments and
/// blank lines is between two items.
fn places<'a>(yaml: &'a str, entry: &Entry<'_>, old: &[Node<'_>]) -> Option<Vec<ItemPlace<'a>>> {
    let mut position = lines::end(yaml, entry.behind_colon);
    let mut places = Vec::with_capacity(old.len());
    for node in old {
        let (start, indent) = loop {
            let end = lines::end(yaml, position);
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
        position = end_of(yaml, node).max(lines::end(yaml, start));
        places.push(ItemPlace { indent, lines: start..position });
    }
    Some(places)
}
