//! The relations of a task.

use crate::actions::TaskIndex;
use crate::database::{DirectoryListing, StoredFile};
use crate::document::FrontMatter;
use crate::{TaskId, TaskStatus, words};

/// The most names that are printed.
const MAX_NAMES: usize = 12;

/// The relations of a task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TaskRelations {
    /// Its dependencies, in the order of the file.
    pub(crate) dependencies: Vec<RelatedTask>,
    pub(crate) parent: Option<RelatedTask>,
    /// The tasks that are a part of it.
    pub(crate) parts: Vec<RelatedTask>,
    /// The tasks that depend on it.
    pub(crate) needed_by: Vec<RelatedTask>,
}

/// Another task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RelatedTask {
    /// Its id, or the text of the reference if there is no such task.
    pub(crate) name: String,
    /// `None` if it does not exist.
    pub(crate) status: Option<TaskStatus>,
}

impl TaskRelations {
    /// Finds the relations of a task, also to archived tasks.
    pub(crate) fn of<T>(
        task: &StoredFile<T>,
        front: &FrontMatter,
        all: &DirectoryListing<FrontMatter>,
    ) -> Self {
        let index = TaskIndex::new(all);
        let referred = |written: &String| RelatedTask::referred(written, &index);
        let others = || all.tasks.iter().filter(|other| !other.is_same_file(task));
        let those = |is_one: &dyn Fn(&FrontMatter) -> bool| {
            let found = others().map(|other| &other.content).filter(|other| is_one(other));
            found.map(RelatedTask::known).collect::<Vec<_>>()
        };
        Self {
            dependencies: front.dependencies.iter().map(referred).collect(),
            parent: front.parent.as_ref().map(referred),
            parts: those(&|other| other.parent.iter().any(|it| front.id.is_meant_by(it))),
            needed_by: those(&|other| other.dependencies.iter().any(|it| front.id.is_meant_by(it))),
        }
    }

    /// A sentence with the tasks that refer to this one, for its removal; `None` if there are none.
    pub(crate) fn dependents(&self, id: &TaskId) -> Option<String> {
        let waiting = clause(&self.needed_by, ["depends on", "depend on"]);
        let parts = clause(&self.parts, ["is a part of", "are parts of"]);
        match (waiting, parts) {
            (None, None) => None,
            (Some(one), None) | (None, Some(one)) => Some(format!("{one} {id}")),
            (Some(waiting), Some(parts)) => Some(format!("{waiting} {id}, and {parts} it")),
        }
    }
}

impl RelatedTask {
    fn known(front: &FrontMatter) -> Self {
        Self { name: front.id.to_string(), status: Some(front.status) }
    }

    /// The task that a reference means: an active one before an archived one.
    fn referred(written: &str, index: &TaskIndex<'_>) -> Self {
        let meant = index.referred(written).into_iter().min_by_key(|task| task.directory);
        match meant {
            Some(task) => Self::known(&task.content),
            None => Self { name: written.trim().to_owned(), status: None },
        }
    }
}

/// The first names, and how many more there are.
pub(crate) fn shortlist(relatives: &[RelatedTask]) -> (&[RelatedTask], usize) {
    let shown = &relatives[..relatives.len().min(MAX_NAMES)];
    (shown, relatives.len() - shown.len())
}

fn clause(relatives: &[RelatedTask], [one, several]: [&str; 2]) -> Option<String> {
    let (shown, more) = shortlist(relatives);
    let mut names: Vec<String> = shown.iter().map(|relative| relative.name.clone()).collect();
    names.extend((more > 0).then(|| format!("{more} more")));
    match names.len() {
        0 => None,
        1 => Some(format!("{} {one}", names[0])),
        _ => Some(format!("{} {several}", words::join_with_and(&names))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::samples::{front, id, stored, words};

    fn task(name: &str, dependencies: &[&str], parent: Option<&str>) -> StoredFile<FrontMatter> {
        let parent = parent.map(str::to_owned);
        let front = FrontMatter { dependencies: words(dependencies), parent, ..front(name, "x") };
        stored(&format!("{name}.md"), front)
    }

    fn relations(tasks: Vec<StoredFile<FrontMatter>>) -> TaskRelations {
        let all = DirectoryListing { tasks, broken: Vec::new() };
        TaskRelations::of(&all.tasks[0], &all.tasks[0].content, &all)
    }

    #[test]
    fn relatives_are_found_in_both_directions() {
        let found = relations(vec![
            task("TASK-001", &["2", "TASK-9"], Some("3")),
            task("TASK-002", &[], Some("task-1")),
            task("TASK-003", &["1", "TASK-001"], None),
            task("TASK-004", &["TASK-002"], Some("TASK-008")),
        ]);
        let relative = |name: &str, status| RelatedTask { name: name.to_owned(), status };
        let known = |name| relative(name, Some(TaskStatus::ToDo));
        let expected = TaskRelations {
            dependencies: vec![known("TASK-002"), relative("TASK-9", None)],
            parent: Some(known("TASK-003")),
            parts: vec![known("TASK-002")],
            needed_by: vec![known("TASK-003")],
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn tasks_that_lose_a_relation_are_named() {
        let said = |tasks| relations(tasks).dependents(&id("TASK-001"));
        let one = || task("TASK-001", &["1"], Some("1"));
        assert_eq!(said(vec![one()]), None);
        let tasks = vec![one(), task("TASK-002", &["1"], None)];
        assert_eq!(said(tasks).as_deref(), Some("TASK-002 depends on TASK-001"));
        let tasks = vec![
            one(),
            task("TASK-002", &["1"], None),
            task("TASK-003", &["1"], None),
            task("TASK-004", &[], Some("1")),
        ];
        let expected = "TASK-002 and TASK-003 depend on TASK-001, and TASK-004 is a part of it";
        assert_eq!(said(tasks).as_deref(), Some(expected));
        let many = (2..22).map(|number| task(&format!("TASK-{number:03}"), &[], Some("1")));
        let said = said([one()].into_iter().chain(many).collect()).expect("there are parts");
        assert!(said.ends_with("TASK-013 and 8 more are parts of TASK-001"), "{said}");
    }
}
