//! A graph as a tree for people: below each task are its dependents.

use anstyle::Style;
use typeset::style::{BAD, DIM, GOOD, NAME, WARNING, paint};
use typeset::text::{shortened, visible};
use unicode_width::UnicodeWidthStr;

use crate::cli::report::graph::task_graph::{GraphNode, TaskForest, TaskGraph};
use crate::cli::report::style::{of_status, symbol};
use crate::words;

/// Deeper levels are not indented further.
const DEEPEST: usize = 24;
/// How wide the branch of a level is.
const LEVEL: usize = 3;

/// A line for each task, below its dependency, within the width.
pub(crate) fn render_tree(graph: &TaskGraph, columns: Option<usize>) -> String {
    let forest = TaskForest::of(graph);
    let (children, roots) = forest.children();
    let deepest = columns.map_or(DEEPEST, |columns| deepest(columns).min(DEEPEST));
    let mut text = String::new();
    // A task that does not exist gets a line only if it has dependents.
    let is_worth =
        |index: &usize| graph.nodes[*index].known.is_some() || !children[*index].is_empty();
    let roots = roots.into_iter().filter(is_worth).rev();
    let mut stack: Vec<TreePosition> =
        roots.map(|index| TreePosition { index, ..TreePosition::default() }).collect();
    let mut above = None;
    while let Some(place) = stack.pop() {
        let is_folded = place.depth > deepest;
        let parent = forest.parents[place.index];
        // Where the indentation is limited, the tree only shows the relation to the line above.
        let follows = is_folded && parent == above;
        let row = TreeRow {
            graph,
            index: place.index,
            parent: parent.filter(|_| follows || !is_folded),
            is_circular: forest.is_circular[place.index],
        };
        above = Some(place.index);
        let branch = if follows { place.folded() } else { place.branch() };
        let room = columns.map(|columns| columns.saturating_sub(branch.width()));
        text.push_str(&format!("{}{}\n", paint(DIM, &branch), row.shown(room)));
        let below = place.below(deepest);
        for (position, index) in children[place.index].iter().enumerate().rev() {
            let is_last = position + 1 == children[place.index].len();
            stack.push(TreePosition { index: *index, is_last, ..below.clone() });
        }
    }
    text
}

/// How deep a tree may be so that its branches take no more than a third of a line.
fn deepest(columns: usize) -> usize {
    (columns / 3 / LEVEL).max(1)
}

/// The position of a task in the tree.
#[derive(Debug, Clone, Default)]
struct TreePosition {
    index: usize,
    depth: usize,
    is_last: bool,
    /// The lines that pass by on the left.
    passing: String,
}

impl TreePosition {
    fn branch(&self) -> String {
        match (self.depth, self.is_last) {
            (0, _) => String::new(),
            (_, false) => format!("{}├─ ", self.passing),
            (_, true) => format!("{}└─ ", self.passing),
        }
    }

    /// The branch of a task that needs the one above, where the tree does not grow any more.
    fn folded(&self) -> String {
        format!("{}↳  ", self.passing)
    }

    /// The position of its dependents.
    fn below(&self, deepest: usize) -> Self {
        let passing = match (self.depth, self.is_last) {
            (0, _) => String::new(),
            (depth, _) if depth >= deepest => self.passing.clone(),
            (_, false) => format!("{}│  ", self.passing),
            (_, true) => format!("{}   ", self.passing),
        };
        Self { depth: self.depth + 1, passing, ..Self::default() }
    }
}

/// The separator between the parts of a line.
const GAP: &str = "  ";
/// The length of a title that is kept when the notes after it are cut.
const MIN_TITLE_WIDTH: usize = 10;
/// The minimum length of a cut note.
const MIN_NOTE_WIDTH: usize = 14;

/// A task in a tree.
pub(crate) struct TreeRow<'a> {
    pub(crate) graph: &'a TaskGraph,
    pub(crate) index: usize,
    /// The parent in the tree, if it is visible.
    pub(crate) parent: Option<usize>,
    pub(crate) is_circular: bool,
}

impl TreeRow<'_> {
    /// The line of the task, no wider than this: first its title gives way, then its notes, and
    /// then the title again.
    pub(crate) fn shown(&self, room: Option<usize>) -> String {
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
            notes.push((format!("({also} {})", words::join_with_and(&others)), DIM));
        }
        notes
    }
}

/// The title and its notes, with a gap before each, as far as they fit.
fn fitting(title: (String, Style), notes: Vec<(String, Style)>, room: Option<usize>) -> String {
    let painted = |(text, style): (String, Style)| format!("{GAP}{}", paint(style, &text));
    let Some(room) = room else { return [title].into_iter().chain(notes).map(painted).collect() };
    let (title, title_style) = title;
    let mut for_notes = room.saturating_sub(GAP.len() + title.width().min(MIN_TITLE_WIDTH));
    let mut for_title = room.saturating_sub(GAP.len());
    let mut behind = String::new();
    for (whole, style) in notes {
        let note = shortened(&whole, for_notes.saturating_sub(GAP.len()));
        if note == whole || note.width() >= MIN_NOTE_WIDTH {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::report::graph::sample::graph;
    use crate::cli::report::graph::sample::leases;
    use crate::cli::report::graph::sample::listing;
    use crate::cli::report::graph::sample::task;

    fn shown(graph: &TaskGraph) -> String {
        shown_in(graph, None)
    }

    fn shown_in(graph: &TaskGraph, columns: Option<usize>) -> String {
        anstream::adapter::strip_str(&render_tree(graph, columns)).to_string()
    }

    /// Tasks that each need the one before.
    fn chain(length: usize) -> TaskGraph {
        let name = |number: usize| format!("T-{number}");
        let all = (1..=length).map(|number| match number {
            1 => task(&name(1), &[]),
            _ => task(&name(number), &[&name(number - 1)]),
        });
        TaskGraph::new(&listing(&all.collect::<Vec<_>>()), leases())
    }

    #[test]
    fn every_task_is_shown_once_below_a_dependency() {
        insta::assert_snapshot!(shown(&graph()), @r#"
        ● TASK-001  Title of TASK-001
        ├─ ◐ TASK-002  Title of TASK-002
        │  └─ ○ TASK-004  Title of TASK-004  (also needs TASK-003)
        └─ ○ TASK-003  Title of TASK-003  ← ready
        ○ TASK-005  Title of TASK-005  ↻ in a circle  (needs TASK-006)
        └─ ○ TASK-006  Title of TASK-006  ↻ in a circle
           └─ ○ TASK-008  Title of TASK-008
        ○ TASK-009  Title of TASK-009  ← ready
        ? TASK-099  does not exist
        └─ ✗ TASK-007  Say "hi" to <b> #1 `x` \ \u{1b}[2J\nyou
        "#);
    }

    #[test]
    fn the_indentation_of_a_long_chain_is_limited() {
        let shown = shown(&chain(5_000));
        assert_eq!(shown.lines().count(), 5_000);
        let longest = shown.lines().map(|line| line.chars().count()).max();
        assert!(longest.is_some_and(|longest| longest < 120), "{longest:?}");
        let last = shown.lines().last().expect("there are lines");
        assert!(last.ends_with(" ↳  ○ T-5000  Title of T-5000"), "{last}");
    }

    #[test]
    fn branches_take_no_more_than_a_third_of_the_width() {
        insta::assert_snapshot!(shown_in(&chain(7), Some(36)), @"
        ○ T-1  Title of T-1  ← ready
        └─ ○ T-2  Title of T-2
           └─ ○ T-3  Title of T-3
              └─ ○ T-4  Title of T-4
                 └─ ○ T-5  Title of T-5
                 ↳  ○ T-6  Title of T-6
                 ↳  ○ T-7  Title of T-7
        ");
    }

    #[test]
    fn dependencies_below_the_deepest_level_are_named() {
        let name = |number: usize| format!("T-{number}");
        let needs = [0, 1, 2, 3, 4, 5, 6, 6, 8];
        let all = needs.iter().enumerate().map(|(index, need)| {
            let needs = if *need == 0 { Vec::new() } else { vec![name(*need)] };
            task(&name(index + 1), &needs.iter().map(String::as_str).collect::<Vec<_>>())
        });
        let graph = TaskGraph::new(&listing(&all.collect::<Vec<_>>()), leases());
        insta::assert_snapshot!(shown_in(&graph, Some(45)), @"
        ○ T-1  Title of T-1  ← ready
        └─ ○ T-2  Title of T-2
           └─ ○ T-3  Title of T-3
              └─ ○ T-4  Title of T-4
                 └─ ○ T-5  Title of T-5
                    └─ ○ T-6  Title of T-6
                    ↳  ○ T-7  Title of T-7
                    └─ ○ T-8  Title of …  (needs T-6)
                    ↳  ○ T-9  Title of T-9
        ");
    }

    #[test]
    fn titles_and_notes_are_cut_to_the_width_of_a_terminal() {
        insta::assert_snapshot!(shown_in(&graph(), Some(40)), @r#"
        ● TASK-001  Title of TASK-001
        ├─ ◐ TASK-002  Title of TASK-002
        │  └─ ○ TASK-004  Title of TASK-004
        └─ ○ TASK-003  Title of TASK-0…  ← ready
        ○ TASK-005  Title of TAS…  ↻ in a circle
        └─ ○ TASK-006  Title of …  ↻ in a circle
           └─ ○ TASK-008  Title of TASK-008
        ○ TASK-009  Title of TASK-009  ← ready
        ? TASK-099  does not exist
        └─ ✗ TASK-007  Say "hi" to <b> #1 `x` \…
        "#);
        for columns in 24..120 {
            let text = shown_in(&graph(), Some(columns));
            let widest = text.lines().map(UnicodeWidthStr::width).max();
            assert!(widest.is_some_and(|widest| widest <= columns), "{columns}:\n{text}");
        }
    }

    #[test]
    fn a_missing_task_without_tasks_below_it_has_no_line() {
        let all = [task("T-1", &[]), task("T-2", &["T-1", "T-9"])];
        let shown = shown(&TaskGraph::new(&listing(&all), leases()));
        insta::assert_snapshot!(shown, @"
        ○ T-1  Title of T-1  ← ready
        └─ ○ T-2  Title of T-2  (also needs T-9, which does not exist)
        ");
    }

    #[test]
    fn an_empty_graph_is_an_empty_text() {
        assert_eq!(shown(&TaskGraph::default()), "");
    }
}
