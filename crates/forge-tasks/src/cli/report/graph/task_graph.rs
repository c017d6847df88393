//! Tasks, and which of them must be done before which; also as trees.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::iter;

use crate::actions::{LeaseCheck, TaskIndex, TaskReadiness, readiness};
use crate::database::{DirectoryListing, StoredFile, TaskDirectory};
use crate::document::FrontMatter;
use crate::{TaskId, TaskStatus};

/// Tasks, and which of them must be done before which.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TaskGraph {
    /// In the order of the ids.
    pub(crate) nodes: Vec<GraphNode>,
}

/// A task of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GraphNode {
    pub(crate) id: String,
    /// None of a task that does not exist.
    pub(crate) known: Option<GraphTask>,
    /// Its dependencies, by index, ordered by id.
    pub(crate) needs: Vec<usize>,
}

/// The facts about a task that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GraphTask {
    pub(crate) title: String,
    pub(crate) status: TaskStatus,
    pub(crate) is_ready: bool,
}

impl TaskGraph {
    /// The tasks that are not archived, and whatever they depend on.
    pub(crate) fn new(all: &DirectoryListing<FrontMatter>, leases: LeaseCheck<'_>) -> Self {
        let index = TaskIndex::new(all);
        let active = all.tasks.iter().filter(|task| task.directory == TaskDirectory::Tasks);
        let mut found: Vec<DependencyTarget<'_>> = active
            .flat_map(|task| iter::once(DependencyTarget::Task(task)).chain(needs(task, &index)))
            .collect();
        found.sort_by(DependencyTarget::compare);
        found.dedup_by_key(|found| found.key());
        let places: BTreeMap<GraphKey<'_>, usize> =
            found.iter().enumerate().map(|(place, found)| (found.key(), place)).collect();
        let node = |found: &DependencyTarget<'_>| match *found {
            DependencyTarget::Missing(name) => {
                GraphNode { id: name.to_owned(), known: None, needs: Vec::new() }
            }
            DependencyTarget::Task(task) => {
                // Dependencies of archived tasks are irrelevant, and may be missing.
                let needs = needs(task, &index);
                let needs = needs.filter_map(|need| places.get(&need.key()).copied());
                let needs: BTreeSet<usize> = needs.collect();
                GraphNode {
                    id: task.content.id.to_string(),
                    known: Some(GraphTask::of(task, &index, leases)),
                    needs: needs.into_iter().collect(),
                }
            }
        };
        Self { nodes: found.iter().map(node).collect() }
    }

    /// For each task, by index, its dependents.
    pub(crate) fn dependents(&self) -> Vec<Vec<usize>> {
        let mut dependents = vec![Vec::new(); self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            for need in &node.needs {
                dependents[*need].push(index);
            }
        }
        dependents
    }

    /// Every pair of a dependency and its dependent.
    pub(crate) fn edges<'a>(&'a self) -> impl Iterator<Item = (&'a GraphNode, &'a GraphNode)> {
        let pairs = |node: &'a GraphNode| iter::repeat(node).zip(&node.needs);
        self.nodes.iter().flat_map(pairs).map(|(node, need)| (&self.nodes[*need], node))
    }
}

impl GraphTask {
    fn of(task: &StoredFile<FrontMatter>, index: &TaskIndex<'_>, leases: LeaseCheck<'_>) -> Self {
        let front = &task.content;
        let is_ready = task.directory == TaskDirectory::Tasks
            && readiness(front, index, leases) == TaskReadiness::Ready;
        Self { title: front.title.clone(), status: front.status, is_ready }
    }
}

/// The target of a dependency.
#[derive(Clone, Copy)]
enum DependencyTarget<'a> {
    /// A task.
    Task(&'a StoredFile<FrontMatter>),
    /// Nothing: this is how it is written.
    Missing(&'a str),
}

/// The identity of a node: the file of a task, or the text of a reference.
type GraphKey<'a> = (Option<TaskDirectory>, &'a str);

/// The dependencies of a task. A reference means an active task before an archived one.
fn needs<'a>(
    task: &'a StoredFile<FrontMatter>,
    index: &TaskIndex<'a>,
) -> impl Iterator<Item = DependencyTarget<'a>> {
    task.content.dependencies.iter().map(|written| {
        let meant = index.referred(written).into_iter().min_by_key(|task| task.directory);
        meant.map_or(DependencyTarget::Missing(written.trim()), DependencyTarget::Task)
    })
}

impl<'a> DependencyTarget<'a> {
    fn key(self) -> GraphKey<'a> {
        match self {
            Self::Task(task) => (Some(task.directory), &task.file),
            Self::Missing(name) => (None, name),
        }
    }

    /// By id; references without a valid id come last.
    fn compare(&self, other: &Self) -> Ordering {
        let (id, other_id) = (self.id(), other.id());
        let by_id = id.is_none().cmp(&other_id.is_none()).then_with(|| id.cmp(&other_id));
        by_id.then_with(|| self.key().cmp(&other.key()))
    }

    fn id(self) -> Option<TaskId> {
        match self {
            Self::Task(task) => Some(task.content.id.clone()),
            Self::Missing(name) => TaskId::parse(name).ok(),
        }
    }
}

/// A graph as trees: each task is below the last of its dependencies.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TaskForest {
    /// The parent of each task in the tree, by index.
    pub(crate) parents: Vec<Option<usize>>,
    /// Whether each task is in a cycle, or between two.
    pub(crate) is_circular: Vec<bool>,
}

impl TaskForest {
    /// Puts each task below the last of its dependencies. A cycle is opened at its lowest id.
    pub(crate) fn of(graph: &TaskGraph) -> Self {
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
    pub(crate) fn children(&self) -> (Vec<Vec<usize>>, Vec<usize>) {
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
    use super::*;
    use crate::cli::report::graph::sample::archived;
    use crate::cli::report::graph::sample::leases;
    use crate::cli::report::graph::sample::listing;
    use crate::cli::report::graph::sample::task;

    fn edges(graph: &TaskGraph) -> Vec<String> {
        graph.edges().map(|(need, node)| format!("{} > {}", need.id, node.id)).collect()
    }

    fn ids(graph: &TaskGraph) -> Vec<&str> {
        graph.nodes.iter().map(|node| node.id.as_str()).collect()
    }

    #[test]
    fn dependencies_are_found_however_they_are_written() {
        let all = [task("TASK-001", &[]), task("TASK-002", &["1", "task-1", "TASK-0001"])];
        let graph = TaskGraph::new(&listing(&all), leases());
        assert_eq!(edges(&graph), ["TASK-001 > TASK-002"]);
        let ready =
            graph.nodes.iter().map(|node| node.known.as_ref().is_some_and(|it| it.is_ready));
        assert_eq!(ready.collect::<Vec<_>>(), [true, false]);
    }

    #[test]
    fn archived_tasks_are_there_only_if_something_depends_on_them() {
        let all = [archived("TASK-001"), archived("TASK-002"), task("TASK-003", &["2"])];
        assert_eq!(ids(&TaskGraph::new(&listing(&all), leases())), ["TASK-002", "TASK-003"]);
    }

    #[test]
    fn a_missing_dependency_is_one_unknown_node() {
        let all = [task("TASK-003", &["TASK-002", "nonsense"]), task("TASK-004", &["TASK-002"])];
        let graph = TaskGraph::new(&listing(&all), leases());
        assert_eq!(ids(&graph), ["TASK-002", "TASK-003", "TASK-004", "nonsense"]);
        assert_eq!(graph.nodes[0].known, None);
    }

    #[test]
    fn a_reference_means_an_active_task_before_an_archived_one() {
        let all = [archived("TASK-001"), task("TASK-001", &[]), task("TASK-002", &["1"])];
        assert_eq!(ids(&TaskGraph::new(&listing(&all), leases())), ["TASK-001", "TASK-002"]);
    }
}

#[cfg(test)]
mod forest_tests {
    use super::*;
    use crate::cli::report::graph::sample::leases;
    use crate::cli::report::graph::sample::listing;
    use crate::cli::report::graph::sample::task;
    use crate::database::StoredFile;
    use crate::document::FrontMatter;

    fn parents(all: &[StoredFile<FrontMatter>]) -> (Vec<Option<usize>>, Vec<bool>) {
        let forest = TaskForest::of(&TaskGraph::new(&listing(all), leases()));
        (forest.parents, forest.is_circular)
    }

    #[test]
    fn the_parent_of_a_task_is_its_deepest_dependency() {
        let all = [task("T-1", &[]), task("T-2", &["1"]), task("T-3", &["1", "2"])];
        assert_eq!(parents(&all), (vec![None, Some(0), Some(1)], vec![false; 3]));
        let equal = [task("T-1", &[]), task("T-2", &[]), task("T-3", &["2", "1"])];
        assert_eq!(parents(&equal).0, [None, None, Some(0)]);
    }

    #[test]
    fn a_cycle_is_cut_open_and_tasks_behind_it_are_not_circular() {
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
