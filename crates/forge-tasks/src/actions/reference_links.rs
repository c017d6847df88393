//! References between tasks, without cycles.

use crate::database::TasksConfig;
use crate::document::FrontMatter;
use crate::{IdPrefix, IdQuery, TaskId};

use super::{ActionError, TaskIndex, cycle};

/// Makes references to other tasks.
#[derive(Debug)]
pub(super) struct ReferenceLinks<'a> {
    index: TaskIndex<'a>,
    config: &'a TasksConfig,
    /// References to missing tasks. Planners create tasks in any order, so these are warnings.
    pub(super) warnings: Vec<String>,
}

impl<'a> ReferenceLinks<'a> {
    pub(super) fn new(index: TaskIndex<'a>, config: &'a TasksConfig) -> Self {
        Self { index, config, warnings: Vec::new() }
    }

    /// The dependencies of a task, as files have them. A cycle is refused.
    pub(super) fn dependencies(
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
            let way = cycle::way_back(&self.index, id, &[&one], cycle::dependencies);
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
    pub(super) fn parent(&mut self, id: &TaskId, query: &IdQuery) -> Result<String, ActionError> {
        let one = self.written(query)?;
        if query.means(id) {
            return refused(format!("{id} cannot be its own parent"));
        }
        if let Some(way) = cycle::way_back(&self.index, id, &[&one], cycle::parents) {
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

fn refused<T>(why: String) -> Result<T, ActionError> {
    Err(ActionError::Refused(why))
}

/// A cycle as text: `TASK-1 → TASK-2 → TASK-1`.
pub(super) fn circle(id: &TaskId, way: &[TaskId]) -> String {
    let ids = [id].into_iter().chain(way);
    ids.map(TaskId::as_str).collect::<Vec<_>>().join(" → ")
}

/// Whether a task refers to another.
pub(super) fn refers_to(task: &FrontMatter, id: &TaskId) -> bool {
    task.dependencies.iter().chain(&task.parent).any(|written| id.is_meant_by(written))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::testing::{TaskBuilder, listing, task};

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
    fn references_are_written_as_the_tasks_are_called() {
        assert_eq!(
            links(&["1", "task-1", "7"], Some("bug-7")),
            Ok(vec!["TASK-001".to_owned(), "BUG-007".to_owned(), "BUG-007".to_owned(),])
        );
    }

    #[test]
    fn what_is_not_there_yet_is_written_as_it_will_be_called_and_warned_of() {
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
    fn circles_are_refused_with_the_way() {
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
