//! Cycles of references.

use std::collections::HashSet;

use crate::document::FrontMatter;
use crate::{IdQuery, TaskId};

use super::TaskIndex;

/// The shortest path of references from some tasks to a target: its ids, the target last. `None` if
/// there is no path. The target need not exist yet.
pub fn way_back(
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
pub fn dependencies(task: &FrontMatter) -> Vec<&str> {
    task.dependencies.iter().map(String::as_str).collect()
}

/// The parent of a task, for [`way_back`].
pub fn parents(task: &FrontMatter) -> Vec<&str> {
    task.parent.iter().map(String::as_str).collect()
}

/// Dependencies and parent.
pub fn all(task: &FrontMatter) -> Vec<&str> {
    task.dependencies.iter().chain(&task.parent).map(String::as_str).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::testing::listed;

    fn way(lines: &[&str], target: &str, from: &[&str]) -> Option<Vec<String>> {
        let all = listed(lines);
        let target = TaskId::parse(target).expect("it is an id");
        let way = way_back(&TaskIndex::new(&all), &target, from, dependencies)?;
        Some(way.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn the_shortest_way_back_is_found() {
        let lines = ["TASK-1 TASK-2", "TASK-2 TASK-3 TASK-4", "TASK-3 task-4", "TASK-4 1"];
        assert_eq!(
            way(&lines, "TASK-1", &["2"]),
            Some(vec!["TASK-2".into(), "TASK-4".into(), "TASK-1".into()])
        );
        assert_eq!(way(&lines, "TASK-1", &["TASK-1"]), Some(vec!["TASK-1".into()]));
    }

    #[test]
    fn no_way_leads_back_from_what_is_not_there_or_from_circles_beside() {
        assert_eq!(way(&["TASK-1", "TASK-2 TASK-9"], "TASK-1", &["TASK-2"]), None);
        assert_eq!(way(&["TASK-1", "TASK-2 TASK-3", "TASK-3 TASK-2"], "TASK-1", &["3"]), None);
        assert_eq!(way(&[], "TASK-1", &["TASK-2", "nonsense"]), None);
    }

    #[test]
    fn what_is_not_there_yet_can_be_led_back_to() {
        assert_eq!(
            way(&["TASK-1 TASK-7"], "TASK-7", &["1"]),
            Some(vec!["TASK-1".into(), "TASK-7".into()])
        );
    }

    #[test]
    fn a_long_chain_is_no_problem() {
        let lines: Vec<String> = (1..=20_000).map(|n| format!("TASK-{n} TASK-{}", n + 1)).collect();
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        assert_eq!(way(&lines, "TASK-20000", &["TASK-1"]).map(|way| way.len()), Some(20_000));
    }
}
