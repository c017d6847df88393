//! A task in a tree.

use anstyle::Style;
use typeset::style::{BAD, DIM, GOOD, NAME, WARNING, paint};
use typeset::text::{shortened, visible};
use unicode_width::UnicodeWidthStr;

use super::data::{GraphNode, TaskGraph};
use crate::cli::report::style::{of_status, symbol};
use crate::words;

/// The separator between the parts of a line.
const GAP: &str = "  ";
/// The length of a title that is kept when the notes after it are cut.
const FAIR_TITLE: usize = 10;
/// The minimum length of a cut note.
const SHORTEST_NOTE: usize = 14;

/// A task in a tree.
pub(super) struct TreeRow<'a> {
    pub(super) graph: &'a TaskGraph,
    pub(super) index: usize,
    /// The parent in the tree, if it is visible.
    pub(super) parent: Option<usize>,
    pub(super) is_circular: bool,
}

impl TreeRow<'_> {
    /// The line of the task, no wider than this: first its title gives way, then its notes, and
    /// then the title again.
    pub(super) fn shown(&self, room: Option<usize>) -> String {
        let node = &self.graph.nodes[self.index];
        let id = visible(&node.id);
        let (sign, title) = match &node.known {
            Some(known) => (
                paint(of_status(known.status), symbol(known.status)),
                (visible(&known.title), Style::new()),
            ),
            None => (paint(WARNING, "?"), ("does not exist".to_owned(), WARNING)),
        };
        let notes = self.notes(node);
        let head = format!("{sign} {}", paint(NAME, &id));
        let room = room.map(|room| room.saturating_sub(id.width() + "? ".len()));
        format!("{head}{}", fitting(title, notes, room))
    }

    /// Facts that the position in the tree does not show.
    fn notes(&self, node: &GraphNode) -> Vec<(String, Style)> {
        let mut notes = Vec::new();
        if node.known.as_ref().is_some_and(|known| known.is_ready) {
            notes.push(("← ready".to_owned(), GOOD));
        }
        if self.is_circular {
            notes.push(("↻ in a circle".to_owned(), BAD));
        }
        let others = node.needs.iter().filter(|need| Some(**need) != self.parent);
        let others: Vec<String> = others.map(|need| other(&self.graph.nodes[*need])).collect();
        if !others.is_empty() {
            let also = if self.parent.is_some() { "also needs" } else { "needs" };
            notes.push((format!("({also} {})", words::all_of(&others)), DIM));
        }
        notes
    }
}

/// The title and its notes, with a gap before each, as far as they fit.
fn fitting(title: (String, Style), notes: Vec<(String, Style)>, room: Option<usize>) -> String {
    let painted = |(text, style): (String, Style)| format!("{GAP}{}", paint(style, &text));
    let Some(room) = room else { return [title].into_iter().chain(notes).map(painted).collect() };
    let (title, title_style) = title;
    let mut for_notes = room.saturating_sub(GAP.len() + title.width().min(FAIR_TITLE));
    let mut for_title = room.saturating_sub(GAP.len());
    let mut behind = String::new();
    for (whole, style) in notes {
        let note = shortened(&whole, for_notes.saturating_sub(GAP.len()));
        if note == whole || note.width() >= SHORTEST_NOTE {
            let taken = GAP.len() + note.width();
            for_notes = for_notes.saturating_sub(taken);
            for_title = for_title.saturating_sub(taken);
            behind.push_str(&painted((note, style)));
        }
    }
    painted((shortened(&title, for_title), title_style)) + &behind
}

fn other(node: &GraphNode) -> String {
    let id = visible(&node.id);
    if node.known.is_some() { id } else { format!("{id}, which does not exist") }
}
