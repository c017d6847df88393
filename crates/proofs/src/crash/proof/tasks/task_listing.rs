//! The visible state of tasks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use super::task_project::TaskProject;

/// Members that change with every command, or contain the file itself.
const IGNORED: [&str; 3] = ["createdAt", "updatedAt", "rawContent"];

/// All tasks by label, with all their members.
#[derive(Debug, PartialEq)]
pub(super) struct TaskListing {
    tasks: BTreeMap<String, Value>,
    /// The highest task number.
    highest: u64,
}

impl TaskListing {
    /// Lists all tasks. None of them may be broken.
    pub(super) fn of(program: &Path, project: &TaskProject) -> Result<Self, String> {
        let all = listed(program, project, &["list", "--all", "--json"])?;
        let active = listed(program, project, &["list", "--json"])?;
        let mut snapshot = Self { tasks: BTreeMap::new(), highest: 0 };
        for mut task in all {
            let number = task["id"].as_str().and_then(number_of).ok_or("a task has no number")?;
            snapshot.highest = snapshot.highest.max(number);
            let is_active = active.iter().any(|other| other["rawContent"] == task["rawContent"]);
            let label = task["labels"][0].as_str().unwrap_or_default().to_owned();
            let object = task.as_object_mut().ok_or("a task is no object")?;
            IGNORED.iter().for_each(|key| drop(object.remove(*key)));
            object.insert("isActive".to_owned(), Value::Bool(is_active));
            if snapshot.tasks.insert(label.clone(), task).is_some() {
                return Err(format!("the task `{label}` is there twice"));
            }
        }
        Ok(snapshot)
    }

    /// Tasks that are neither old nor new.
    pub(super) fn complaints(&self, old: &Self, new: &Self) -> Vec<String> {
        let labels = old.tasks.keys().chain(new.tasks.keys()).chain(self.tasks.keys());
        let labels: BTreeSet<&String> = labels.collect();
        labels
            .into_iter()
            .filter(|label| {
                let found = self.tasks.get(*label);
                found != old.tasks.get(*label) && found != new.tasks.get(*label)
            })
            .map(|label| match self.tasks.get(label) {
                Some(task) => format!("the task `{label}` is neither old nor new: {task}"),
                None => format!("the task `{label}` is lost"),
            })
            .collect()
    }

    /// Members of tasks that are neither old nor new.
    pub(super) fn complaints_of_parts(&self, old: &Self, new: &Self) -> Vec<String> {
        let part = |of: &Self, label: &str, key: &String| of.tasks.get(label)?.get(key).cloned();
        let mut problems = Vec::new();
        for (label, task) in &self.tasks {
            let torn = task.as_object().into_iter().flatten().filter(|(key, found)| {
                let is_of = |other: &Self| part(other, label, key).as_ref() == Some(*found);
                !is_of(old) && !is_of(new)
            });
            problems.extend(torn.map(|(key, found)| {
                format!("`{key}` of the task `{label}` is neither old nor new: {found}")
            }));
        }
        problems
    }

    /// The same listing with labels in place of ids. Every id must belong to one task.
    pub(super) fn without_numbers(&self) -> Result<Self, String> {
        let mut labels: BTreeMap<&str, &str> = BTreeMap::new();
        for (label, task) in &self.tasks {
            let id = task["id"].as_str().unwrap_or_default();
            if labels.insert(id, label).is_some() {
                return Err(format!("several tasks are {id}"));
            }
        }
        let labelled = |id: &mut Value| {
            if let Some(label) = id.as_str().and_then(|id| labels.get(id)) {
                *id = Value::from(*label);
            }
        };
        let mut tasks = self.tasks.clone();
        for task in tasks.values_mut() {
            labelled(&mut task["id"]);
            labelled(&mut task["parent"]);
            task["dependencies"].as_array_mut().into_iter().flatten().for_each(labelled);
        }
        Ok(Self { tasks, highest: 0 })
    }

    pub(super) fn highest(&self) -> u64 {
        self.highest
    }
}

fn listed(program: &Path, project: &TaskProject, arguments: &[&str]) -> Result<Vec<Value>, String> {
    let output = project.run(program, arguments).map_err(|error| error.to_string())?;
    if !output.status.success() || !output.stderr.is_empty() {
        return Err(format!("tasks cannot be read: {}", String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("a list is no JSON: {error}"))
}

/// The number in an id.
pub(super) fn number_of(id: &str) -> Option<u64> {
    id.trim().rsplit_once('-')?.1.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn snapshot(tasks: &[(&str, Value)]) -> TaskListing {
        let tasks = tasks.iter().map(|(label, task)| ((*label).to_owned(), task.clone())).collect();
        TaskListing { tasks, highest: 0 }
    }

    #[test]
    fn each_task_may_be_old_or_new_and_nothing_else() {
        let old = snapshot(&[("a", json!(1)), ("b", json!(1))]);
        let new = snapshot(&[("a", json!(2)), ("c", json!(2))]);
        for fine in [
            snapshot(&[("a", json!(1)), ("b", json!(1))]),
            snapshot(&[("a", json!(2))]),
            snapshot(&[("a", json!(1)), ("b", json!(1)), ("c", json!(2))]),
        ] {
            assert_eq!(fine.complaints(&old, &new), [""; 0]);
        }
        assert_eq!(snapshot(&[]).complaints(&old, &new), ["the task `a` is lost"]);
        let torn = snapshot(&[("a", json!(3)), ("b", json!(2)), ("c", json!(1)), ("d", json!(1))]);
        assert_eq!(torn.complaints(&old, &new).len(), 4);
    }

    #[test]
    fn each_part_may_be_old_or_new_and_nothing_else() {
        let one = |a: u32, b: u32| snapshot(&[("x", json!({"a": a, "b": b}))]);
        let problems = |found: TaskListing| found.complaints_of_parts(&one(1, 1), &one(2, 2));
        assert_eq!(problems(one(1, 2)), [""; 0]);
        assert_eq!(problems(one(1, 3)), ["`b` of the task `x` is neither old nor new: 3"]);
    }

    #[test]
    fn numbers_matter_only_in_what_they_refer_to() {
        let two = |base: &str, top: &str, parent: &str| {
            snapshot(&[
                ("base", json!({"id": base, "dependencies": [], "parent": null})),
                ("top", json!({"id": top, "dependencies": [base, "X-9"], "parent": parent})),
            ])
        };
        let bare = |snapshot: TaskListing| snapshot.without_numbers();
        assert_eq!(bare(two("X-1", "X-2", "X-1")), bare(two("X-3", "X-4", "X-3")));
        assert_ne!(bare(two("X-1", "X-2", "X-1")), bare(two("X-3", "X-4", "X-1")));
        assert_eq!(bare(two("X-1", "X-1", "X-1")), Err("several tasks are X-1".to_owned()));
    }

    #[test]
    fn the_number_of_an_id_is_behind_its_last_hyphen() {
        assert_eq!(number_of("FE-TASK-012\n"), Some(12));
        assert_eq!(number_of("TASK"), None);
    }
}
