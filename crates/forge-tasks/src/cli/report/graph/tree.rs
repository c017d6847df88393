//! A graph for a person: below each task is what waits for it.

use typeset::style::{BAD, DIM, GOOD, NAME, WARNING, paint};
use typeset::text::visible;

use super::data::{Graph, Node};
use super::forest::Forest;
use crate::cli::report::style::{of_status, symbol};
use crate::words;

/// Deeper trees do not grow to the right any more: nobody has a screen for them.
const DEEPEST: usize = 24;

/// A line for each task, below what it needs.
pub(super) fn render(graph: &Graph) -> String {
    let forest = Forest::of(graph);
    let (children, roots) = forest.children();
    let mut text = String::new();
    // What does not exist is worth a line only if something stands below it.
    let is_worth =
        |index: &usize| graph.nodes[*index].known.is_some() || !children[*index].is_empty();
    let roots = roots.into_iter().filter(is_worth).rev();
    let mut stack: Vec<Place> = roots.map(|index| Place { index, ..Place::default() }).collect();
    while let Some(place) = stack.pop() {
        let parent = forest.parents[place.index].filter(|_| place.depth <= DEEPEST);
        let notes = notes(graph, place.index, parent, forest.is_circular[place.index]);
        let branch = place.branch();
        text.push_str(&paint(DIM, &branch));
        text.push_str(&format!("{}{notes}\n", task(&graph.nodes[place.index])));
        let below = place.below();
        for (position, index) in children[place.index].iter().enumerate().rev() {
            let is_last = position + 1 == children[place.index].len();
            stack.push(Place { index: *index, is_last, ..below.clone() });
        }
    }
    text
}

/// Where a task stands.
#[derive(Debug, Clone, Default)]
struct Place {
    index: usize,
    depth: usize,
    is_last: bool,
    /// The lines that pass by on the left.
    passing: String,
}

impl Place {
    fn branch(&self) -> String {
        match (self.depth, self.is_last) {
            (0, _) => String::new(),
            (_, false) => format!("{}├─ ", self.passing),
            (_, true) => format!("{}└─ ", self.passing),
        }
    }

    /// Where what waits for it stands.
    fn below(&self) -> Self {
        let passing = match (self.depth, self.is_last) {
            (0, _) => String::new(),
            (depth, _) if depth >= DEEPEST => self.passing.clone(),
            (_, false) => format!("{}│  ", self.passing),
            (_, true) => format!("{}   ", self.passing),
        };
        Self { depth: self.depth + 1, passing, ..Self::default() }
    }
}

fn task(node: &Node) -> String {
    let id = paint(NAME, &visible(&node.id));
    match &node.known {
        Some(known) => {
            let sign = paint(of_status(known.status), symbol(known.status));
            format!("{sign} {id}  {}", visible(&known.title))
        }
        None => format!("{} {id}  {}", paint(WARNING, "?"), paint(WARNING, "does not exist")),
    }
}

/// What the place of a task does not say.
fn notes(graph: &Graph, index: usize, parent: Option<usize>, is_circular: bool) -> String {
    let node = &graph.nodes[index];
    let mut notes = String::new();
    if node.known.as_ref().is_some_and(|known| known.is_ready) {
        notes.push_str(&format!("  {}", paint(GOOD, "← ready")));
    }
    let others: Vec<String> = node
        .needs
        .iter()
        .filter(|need| Some(**need) != parent)
        .map(|need| other(&graph.nodes[*need]))
        .collect();
    if !others.is_empty() {
        let also = if parent.is_some() { "also needs" } else { "needs" };
        notes.push_str(&paint(DIM, &format!("  ({also} {})", words::all_of(&others))));
    }
    if is_circular {
        notes.push_str(&format!("  {}", paint(BAD, "↻ in a circle")));
    }
    notes
}

fn other(node: &Node) -> String {
    let id = visible(&node.id);
    if node.known.is_some() { id } else { format!("{id}, which does not exist") }
}

#[cfg(test)]
mod tests {
    use super::super::sample::{graph, listing, task};
    use super::*;

    fn shown(graph: &Graph) -> String {
        anstream::adapter::strip_str(&render(graph)).to_string()
    }

    #[test]
    fn every_task_stands_once_below_what_it_needs() {
        insta::assert_snapshot!(shown(&graph()), @r#"
        ● TASK-001  Title of TASK-001
        ├─ ◐ TASK-002  Title of TASK-002
        │  └─ ○ TASK-004  Title of TASK-004  (also needs TASK-003)
        └─ ○ TASK-003  Title of TASK-003  ← ready
        ○ TASK-005  Title of TASK-005  (needs TASK-006)  ↻ in a circle
        └─ ○ TASK-006  Title of TASK-006  ↻ in a circle
           └─ ○ TASK-008  Title of TASK-008
        ○ TASK-009  Title of TASK-009  ← ready
        ? TASK-099  does not exist
        └─ ✗ TASK-007  Say "hi" to <b> #1 `x` \ \u{1b}[2J\nyou
        "#);
    }

    #[test]
    fn a_long_chain_does_not_grow_out_of_the_screen() {
        let name = |number: usize| format!("T-{number}");
        let all: Vec<_> = (1..=5_000)
            .map(|number| match number {
                1 => task(&name(1), &[]),
                _ => task(&name(number), &[&name(number - 1)]),
            })
            .collect();
        let shown = shown(&Graph::new(&listing(&all)));
        assert_eq!(shown.lines().count(), 5_000);
        let longest = shown.lines().map(|line| line.chars().count()).max();
        assert!(longest.is_some_and(|longest| longest < 120), "{longest:?}");
        let last = shown.lines().last().expect("there are lines");
        assert!(last.ends_with("T-5000  Title of T-5000  (needs T-4999)"), "{last}");
    }

    #[test]
    fn what_does_not_exist_has_no_line_of_its_own_if_nothing_stands_below_it() {
        let all = [task("T-1", &[]), task("T-2", &["T-1", "T-9"])];
        let shown = shown(&Graph::new(&listing(&all)));
        insta::assert_snapshot!(shown, @"
        ○ T-1  Title of T-1  ← ready
        └─ ○ T-2  Title of T-2  (also needs T-9, which does not exist)
        ");
    }

    #[test]
    fn nothing_is_shown_as_nothing() {
        assert_eq!(shown(&Graph::default()), "");
    }
}
