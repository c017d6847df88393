//! A graph as trees, with each task once.

use std::collections::BTreeSet;

use super::data::TaskGraph;

/// A graph as trees: each task is below the last of its dependencies.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TaskForest {
    /// The parent of each task in the tree, by index.
    pub(super) parents: Vec<Option<usize>>,
    /// Whether each task is in a cycle, or between two.
    pub(super) is_circular: Vec<bool>,
}

impl TaskForest {
    /// Puts each task below the last of its dependencies. A cycle is opened at its lowest id.
    pub(super) fn of(graph: &TaskGraph) -> Self {
        let dependents = graph.dependents();
        let mut open: Vec<usize> = graph.nodes.iter().map(|node| node.needs.len()).collect();
        let mut free: BTreeSet<usize> = (0..open.len()).filter(|index| open[*index] == 0).collect();
        let mut waiting: BTreeSet<usize> = (0..open.len()).filter(|i| open[*i] > 0).collect();
        let mut parents = vec![None; open.len()];
        let mut levels: Vec<Option<usize>> = vec![None; open.len()];
        let mut in_circles = None;
        loop {
            let next = free.pop_first().or_else(|| {
                in_circles.get_or_insert_with(|| circles(graph, &dependents, &waiting));
                waiting.pop_first()
            });
            let Some(index) = next else { break };
            let placed = graph.nodes[index].needs.iter().filter_map(|need| {
                // Of equals the first one counts.
                levels[*need].map(|level| (level, std::cmp::Reverse(*need)))
            });
            let last = placed.max();
            parents[index] = last.map(|(_, need)| need.0);
            levels[index] = Some(last.map_or(0, |(level, _)| level + 1));
            for dependent in &dependents[index] {
                open[*dependent] = open[*dependent].saturating_sub(1);
                if open[*dependent] == 0 && waiting.remove(dependent) {
                    free.insert(*dependent);
                }
            }
        }
        let in_circles = in_circles.unwrap_or_default();
        let is_circular = (0..open.len()).map(|index| in_circles.contains(&index)).collect();
        Self { parents, is_circular }
    }

    /// The children of each task, and the roots.
    pub(super) fn children(&self) -> (Vec<Vec<usize>>, Vec<usize>) {
        let mut children = vec![Vec::new(); self.parents.len()];
        let mut roots = Vec::new();
        for (index, parent) in self.parents.iter().enumerate() {
            match parent {
                Some(parent) => children[*parent].push(index),
                None => roots.push(index),
            }
        }
        (children, roots)
    }
}

/// Of those that wait for ever, those that something of them waits for in turn.
fn circles(
    graph: &TaskGraph,
    dependents: &[Vec<usize>],
    waiting: &BTreeSet<usize>,
) -> BTreeSet<usize> {
    let mut left = waiting.clone();
    let mut ends: Vec<usize> = waiting.iter().copied().collect();
    while let Some(index) = ends.pop() {
        let is_end = !dependents[index].iter().any(|dependent| left.contains(dependent));
        if is_end && left.remove(&index) {
            ends.extend(graph.nodes[index].needs.iter().filter(|need| left.contains(need)));
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::super::sample::{leases, listing, task};
    use super::*;
    use crate::database::StoredFile;
    use crate::document::FrontMatter;

    fn parents(all: &[StoredFile<FrontMatter>]) -> (Vec<Option<usize>>, Vec<bool>) {
        let forest = TaskForest::of(&TaskGraph::new(&listing(all), leases()));
        (forest.parents, forest.is_circular)
    }

    #[test]
    fn a_task_stands_below_what_comes_last_of_all_it_needs() {
        let all = [task("T-1", &[]), task("T-2", &["1"]), task("T-3", &["1", "2"])];
        assert_eq!(parents(&all), (vec![None, Some(0), Some(1)], vec![false; 3]));
        let equal = [task("T-1", &[]), task("T-2", &[]), task("T-3", &["2", "1"])];
        assert_eq!(parents(&equal).0, [None, None, Some(0)]);
    }

    #[test]
    fn a_circle_is_opened_and_what_waits_for_it_is_none() {
        let all = [
            task("T-1", &["3"]),
            task("T-2", &["1"]),
            task("T-3", &["2"]),
            task("T-4", &["3"]),
            task("T-5", &["5"]),
        ];
        let (parents, is_circular) = parents(&all);
        assert_eq!(parents, [None, Some(0), Some(1), Some(2), None]);
        assert_eq!(is_circular, [true, true, true, false, true]);
    }
}
