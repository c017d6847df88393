//! References between tasks, without cycles.

use std::collections::{HashMap, HashSet};

use crate::actions::ActionError;
use crate::database::{
    DatabaseError, DatabaseWriter, DirectoryListing, StoredFile, TaskScope, TasksConfig,
};
use crate::document::FrontMatter;
use crate::{IdPrefix, IdQuery, TaskId, TaskStatus};

/// Makes references to other tasks.
#[derive(Debug)]
pub(crate) struct ReferenceLinks<'a> {
    index: TaskIndex<'a>,
    config: &'a TasksConfig,
    /// References to missing tasks. Planners create tasks in any order, so these are warnings.
    pub(crate) warnings: Vec<String>,
}

impl<'a> ReferenceLinks<'a> {
    pub(crate) fn new(index: TaskIndex<'a>, config: &'a TasksConfig) -> Self {
        Self { index, config, warnings: Vec::new() }
    }

    /// The dependencies of a task, as files have them. A cycle is refused.
    pub(crate) fn dependencies(
        &mut self,
        id: &TaskId,
        queries: &[IdQuery],
    ) -> Result<Vec<String>, ActionError> {
        let mut written: Vec<String> = Vec::new();
        for query in queries {
            let one = self.written(query)?;
            if query.means(id) {
                return refused(format!("{id} cannot depend on itself"));
            }
            let way = way_back(&self.index, id, &[&one], dependencies);
            if let Some(way) = way {
                let circle = circle(id, &way);
                return refused(format!("{id} cannot depend on {one}: {circle} is a circle"));
            }
            if !written.contains(&one) {
                self.expect(&one, "depends on");
                written.push(one);
            }
        }
        Ok(written)
    }

    /// The parent of a task, as files have it. A cycle is refused.
    pub(crate) fn parent(&mut self, id: &TaskId, query: &IdQuery) -> Result<String, ActionError> {
        let one = self.written(query)?;
        if query.means(id) {
            return refused(format!("{id} cannot be its own parent"));
        }
        if let Some(way) = way_back(&self.index, id, &[&one], parents) {
            let circle = circle(id, &way);
            return refused(format!("{one} cannot be the parent of {id}: {circle} is a circle"));
        }
        self.expect(&one, "is a part of");
        Ok(one)
    }

    /// A reference as files have it: the id of the task, or the id that it would have.
    fn written(&self, query: &IdQuery) -> Result<String, ActionError> {
        let mut meant = self.index.meant(query).map(|task| &task.content.id);
        if let Some(id) = meant.next() {
            return match meant.find(|other| *other != id) {
                Some(other) => {
                    refused(format!("{query} can be {id} or {other}; give the whole id"))
                }
                None => Ok(id.to_string()),
            };
        }
        let ours = &self.config.prefix;
        let named = query.prefix().filter(|prefix| !prefix.eq_ignore_ascii_case(ours.as_str()));
        let prefix = named.and_then(|prefix| IdPrefix::parse(prefix).ok());
        let prefix = prefix.as_ref().unwrap_or(ours);
        Ok(TaskId::new(prefix, query.number(), self.config.zero_padding).to_string())
    }

    fn expect(&mut self, written: &str, relation: &str) {
        if self.index.referred(written).is_empty() {
            self.warnings.push(format!("there is no {written} yet that it {relation}"));
        }
    }
}

/// All tasks, if there are new references; otherwise none are needed.
pub(crate) fn all_tasks_if(
    has_new: bool,
    writer: &DatabaseWriter,
) -> Result<DirectoryListing<FrontMatter>, DatabaseError> {
    match has_new {
        true => {
            writer.database().refuse_unreadable_archive()?;
            writer.database().fronts(TaskScope::All)
        }
        false => Ok(DirectoryListing::default()),
    }
}

fn refused<T>(why: String) -> Result<T, ActionError> {
    Err(ActionError::Refused(why))
}

/// A cycle as text: `TASK-1 → TASK-2 → TASK-1`.
pub(crate) fn circle(id: &TaskId, way: &[TaskId]) -> String {
    let ids = [id].into_iter().chain(way);
    ids.map(TaskId::as_str).collect::<Vec<_>>().join(" → ")
}

/// Whether a task refers to another.
pub(crate) fn refers_to(task: &FrontMatter, id: &TaskId) -> bool {
    task.dependencies.iter().chain(&task.parent).any(|written| id.is_meant_by(written))
}

/// The shortest path of references from some tasks to a target: its ids, the target last. `None` if
/// there is no path. The target need not exist yet.
pub(crate) fn way_back(
    index: &TaskIndex<'_>,
    target: &TaskId,
    from: &[&str],
    references: fn(&FrontMatter) -> Vec<&str>,
) -> Option<Vec<TaskId>> {
    // Every task with the place of the one that led to it.
    let mut seen: Vec<(&FrontMatter, Option<usize>)> = Vec::new();
    let mut known: HashSet<*const FrontMatter> = HashSet::new();
    let mut next = 0;
    let mut written: Vec<(Option<usize>, &str)> = from.iter().map(|text| (None, *text)).collect();
    loop {
        for (led_by, text) in written.drain(..) {
            if IdQuery::parse(text).is_ok_and(|query| query.means(target)) {
                return Some(way_to(&seen, led_by, target));
            }
            for task in index.referred(text) {
                if known.insert(std::ptr::from_ref(&task.content)) {
                    seen.push((&task.content, led_by));
                }
            }
        }
        let (task, _) = *seen.get(next)?;
        written.extend(references(task).into_iter().map(|text| (Some(next), text)));
        next += 1;
    }
}

fn way_to(
    seen: &[(&FrontMatter, Option<usize>)],
    last: Option<usize>,
    target: &TaskId,
) -> Vec<TaskId> {
    let mut way = vec![target.clone()];
    let mut place = last;
    while let Some(at) = place {
        let (task, led_by) = seen[at];
        way.push(task.id.clone());
        place = led_by;
    }
    way.reverse();
    way
}

/// The dependencies of a task, for [`way_back`].
pub(crate) fn dependencies(task: &FrontMatter) -> Vec<&str> {
    task.dependencies.iter().map(String::as_str).collect()
}

/// The parent of a task, for [`way_back`].
pub(crate) fn parents(task: &FrontMatter) -> Vec<&str> {
    task.parent.iter().map(String::as_str).collect()
}

/// Finds tasks by the references of other tasks.
#[derive(Debug)]
pub struct TaskIndex<'a> {
    tasks: &'a [StoredFile<FrontMatter>],
    by_number: HashMap<u64, Vec<usize>>,
}

impl<'a> TaskIndex<'a> {
    /// Indexes tasks by number. Archived tasks are included, since others may depend on them.
    pub fn new(all: &'a DirectoryListing<FrontMatter>) -> Self {
        let mut by_number: HashMap<u64, Vec<usize>> = HashMap::with_capacity(all.tasks.len());
        for (place, task) in all.tasks.iter().enumerate() {
            by_number.entry(task.content.id.number()).or_default().push(place);
        }
        Self { tasks: &all.tasks, by_number }
    }

    /// All tasks, in the order of their ids.
    pub fn tasks(&self) -> &'a [StoredFile<FrontMatter>] {
        self.tasks
    }

    /// The tasks with an id. More than one only if ids are not unique.
    pub fn meant(&self, query: &IdQuery) -> impl Iterator<Item = &'a StoredFile<FrontMatter>> {
        let places = self.by_number.get(&query.number()).map(Vec::as_slice).unwrap_or_default();
        let tasks = places.iter().map(|place| &self.tasks[*place]);
        tasks.filter(move |task| query.means(&task.content.id))
    }

    /// The tasks that a written reference means.
    pub fn referred(&self, written: &str) -> Vec<&'a StoredFile<FrontMatter>> {
        IdQuery::parse(written).map(|query| self.meant(&query).collect()).unwrap_or_default()
    }

    /// Whether all tasks of a reference exist and are Done.
    pub fn is_done(&self, written: &str) -> bool {
        let referred = self.referred(written);
        !referred.is_empty() && referred.iter().all(|task| task.content.status == TaskStatus::Done)
    }

    /// The dependencies of a task that are not done, as written in the file.
    pub fn waits_for<'b>(&self, task: &'b FrontMatter) -> Vec<&'b str> {
        let dependencies = task.dependencies.iter().map(String::as_str);
        dependencies.filter(|written| !self.is_done(written)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::testing::TaskBuilder;
    use crate::actions::testing::listing;
    use crate::actions::testing::task;

    fn query(text: &str) -> IdQuery {
        IdQuery::parse(text).expect("it is one")
    }

    /// The references of `TASK-3`, and the warnings; or the refusal.
    fn links(depends_on: &[&str], parent: Option<&str>) -> Result<Vec<String>, String> {
        let all = listing([
            task("TASK-001"),
            task("TASK-002 TASK-3"),
            task("TASK-003").child_of("TASK-1"),
            task("TASK-004").child_of("3"),
            task("BUG-007"),
            task("BUG-008"),
            task("TASK-008"),
        ]);
        let config = TasksConfig::default();
        let mut links = ReferenceLinks::new(TaskIndex::new(&all), &config);
        let id = TaskId::parse("TASK-003").expect("it is an id");
        let queries: Vec<IdQuery> = depends_on.iter().map(|text| query(text)).collect();
        let found = links.dependencies(&id, &queries).and_then(|mut found| {
            found.extend(parent.map(|parent| links.parent(&id, &query(parent))).transpose()?);
            Ok(found)
        });
        let found = found.map_err(|error| error.to_string())?;
        Ok(found.into_iter().chain(links.warnings).collect())
    }

    #[test]
    fn references_are_written_as_the_ids_of_their_tasks() {
        assert_eq!(
            links(&["1", "task-1", "7"], Some("bug-7")),
            Ok(vec!["TASK-001".to_owned(), "BUG-007".to_owned(), "BUG-007".to_owned(),])
        );
    }

    #[test]
    fn a_reference_to_a_missing_task_is_padded_and_a_warning() {
        assert_eq!(
            links(&["task-12", "X-5"], Some("13")),
            Ok(vec![
                "TASK-012".to_owned(),
                "X-005".to_owned(),
                "TASK-013".to_owned(),
                "there is no TASK-012 yet that it depends on".to_owned(),
                "there is no X-005 yet that it depends on".to_owned(),
                "there is no TASK-013 yet that it is a part of".to_owned(),
            ])
        );
    }

    #[test]
    fn cycles_and_ambiguous_numbers_are_refused_with_the_reason() {
        let refusals = [
            (&["3"][..], None, "TASK-003 cannot depend on itself"),
            (&["8"], None, "8 can be BUG-008 or TASK-008; give the whole id"),
            (
                &["1", "2"],
                None,
                "TASK-003 cannot depend on TASK-002: TASK-003 → TASK-002 → TASK-003 is a circle",
            ),
            (&[], Some("TASK-3"), "TASK-003 cannot be its own parent"),
            (
                &[],
                Some("4"),
                "TASK-004 cannot be the parent of TASK-003: TASK-003 → TASK-004 → TASK-003 is a circle",
            ),
        ];
        for (depends_on, parent, refusal) in refusals {
            assert_eq!(links(depends_on, parent), Err(refusal.to_owned()));
        }
    }
}

#[cfg(test)]
mod cycle_tests {
    use super::*;
    use crate::actions::testing::listed;

    fn way(lines: &[&str], target: &str, from: &[&str]) -> Option<Vec<String>> {
        let all = listed(lines);
        let target = TaskId::parse(target).expect("it is an id");
        let way = way_back(&TaskIndex::new(&all), &target, from, dependencies)?;
        Some(way.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn the_shortest_cycle_is_found() {
        let lines = ["TASK-1 TASK-2", "TASK-2 TASK-3 TASK-4", "TASK-3 task-4", "TASK-4 1"];
        assert_eq!(
            way(&lines, "TASK-1", &["2"]),
            Some(vec!["TASK-2".into(), "TASK-4".into(), "TASK-1".into()])
        );
        assert_eq!(way(&lines, "TASK-1", &["TASK-1"]), Some(vec!["TASK-1".into()]));
    }

    #[test]
    fn missing_tasks_and_other_cycles_are_no_cycle_of_the_task() {
        assert_eq!(way(&["TASK-1", "TASK-2 TASK-9"], "TASK-1", &["TASK-2"]), None);
        assert_eq!(way(&["TASK-1", "TASK-2 TASK-3", "TASK-3 TASK-2"], "TASK-1", &["3"]), None);
        assert_eq!(way(&[], "TASK-1", &["TASK-2", "nonsense"]), None);
    }

    #[test]
    fn a_missing_task_can_be_part_of_a_cycle() {
        assert_eq!(
            way(&["TASK-1 TASK-7"], "TASK-7", &["1"]),
            Some(vec!["TASK-1".into(), "TASK-7".into()])
        );
    }

    #[test]
    fn a_cycle_of_twenty_thousand_tasks_is_found() {
        let lines: Vec<String> = (1..=20_000).map(|n| format!("TASK-{n} TASK-{}", n + 1)).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(way(&lines, "TASK-20000", &["TASK-1"]).map(|way| way.len()), Some(20_000));
    }
}
