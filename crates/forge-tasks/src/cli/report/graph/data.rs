//! Tasks, and which of them must be done before which.

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
    pub(super) nodes: Vec<GraphNode>,
}

/// A task of a graph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GraphNode {
    pub(super) id: String,
    /// None of a task that does not exist.
    pub(super) known: Option<GraphTask>,
    /// Its dependencies, by index, ordered by id.
    pub(super) needs: Vec<usize>,
}

/// The facts about a task that exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GraphTask {
    pub(super) title: String,
    pub(super) status: TaskStatus,
    pub(super) is_ready: bool,
}

impl TaskGraph {
    /// The tasks that are not archived, and whatever they depend on.
    pub(crate) fn new(all: &DirectoryListing<FrontMatter>, leases: LeaseCheck<'_>) -> Self {
        let index = TaskIndex::new(all);
        let active = all.tasks.iter().filter(|task| task.shelf == TaskDirectory::Tasks);
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
    pub(super) fn dependents(&self) -> Vec<Vec<usize>> {
        let mut dependents = vec![Vec::new(); self.nodes.len()];
        for (index, node) in self.nodes.iter().enumerate() {
            for need in &node.needs {
                dependents[*need].push(index);
            }
        }
        dependents
    }

    /// Every pair of a dependency and its dependent.
    pub(super) fn edges<'a>(&'a self) -> impl Iterator<Item = (&'a GraphNode, &'a GraphNode)> {
        let pairs = |node: &'a GraphNode| iter::repeat(node).zip(&node.needs);
        self.nodes.iter().flat_map(pairs).map(|(node, need)| (&self.nodes[*need], node))
    }
}

impl GraphTask {
    fn of(task: &StoredFile<FrontMatter>, index: &TaskIndex<'_>, leases: LeaseCheck<'_>) -> Self {
        let front = &task.content;
        let is_ready = task.shelf == TaskDirectory::Tasks
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
        let meant = index.referred(written).into_iter().min_by_key(|task| task.shelf);
        meant.map_or(DependencyTarget::Missing(written.trim()), DependencyTarget::Task)
    })
}

impl<'a> DependencyTarget<'a> {
    fn key(self) -> GraphKey<'a> {
        match self {
            Self::Task(task) => (Some(task.shelf), &task.file),
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

#[cfg(test)]
mod tests {
    use super::super::sample::{archived, leases, listing, task};
    use super::*;

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
    fn what_does_not_exist_is_there_once_and_unknown() {
        let all = [task("TASK-003", &["TASK-002", "nonsense"]), task("TASK-004", &["TASK-002"])];
        let graph = TaskGraph::new(&listing(&all), leases());
        assert_eq!(ids(&graph), ["TASK-002", "TASK-003", "TASK-004", "nonsense"]);
        assert_eq!(graph.nodes[0].known, None);
    }

    #[test]
    fn a_task_that_is_not_archived_is_meant_before_one_that_is() {
        let all = [archived("TASK-001"), task("TASK-001", &[]), task("TASK-002", &["1"])];
        assert_eq!(ids(&TaskGraph::new(&listing(&all), leases())), ["TASK-001", "TASK-002"]);
    }
}
