//! Cycles of dependencies or parents.

use std::collections::{HashMap, HashSet};

use crate::TaskId;
use crate::actions::{TaskIndex, cycle, reference_links};
use crate::database::StoredFile;
use crate::document::FrontMatter;

use super::DatabaseProblem;

/// Finds cycles. A task that is in several is reported once.
pub(super) fn find(
    index: &TaskIndex<'_>,
    references: fn(&FrontMatter) -> Vec<&str>,
    what: &str,
) -> Vec<DatabaseProblem> {
    let mut reported: HashSet<*const FrontMatter> = HashSet::new();
    let mut problems = Vec::new();
    for task in suspects(index, references) {
        if reported.contains(&std::ptr::from_ref(&task.content)) {
            continue;
        }
        let id = &task.content.id;
        let way = cycle::way_back(index, id, &references(&task.content), references);
        let Some(way) = way else { continue };
        let members = index.tasks().iter().filter(|task| way.contains(&task.content.id));
        let members: Vec<&StoredFile<FrontMatter>> = members.collect();
        reported.extend(members.iter().map(|task| std::ptr::from_ref(&task.content)));
        problems.push(DatabaseProblem {
            kind: "cycle",
            ids: members.iter().map(|task| task.content.id.clone()).collect::<Vec<TaskId>>(),
            files: members.iter().map(|task| task.shelf.path_of(&task.file)).collect(),
            message: format!("{id} {what}: {}", reference_links::circle(id, &way)),
        });
    }
    problems
}

/// The tasks that are in a cycle or between two. A valid database has none, which one pass finds
/// out.
fn suspects<'a>(
    index: &TaskIndex<'a>,
    references: fn(&FrontMatter) -> Vec<&str>,
) -> Vec<&'a StoredFile<FrontMatter>> {
    let tasks = index.tasks();
    let place: HashMap<*const FrontMatter, usize> = tasks
        .iter()
        .enumerate()
        .map(|(place, task)| (std::ptr::from_ref(&task.content), place))
        .collect();
    let leads_to: Vec<Vec<usize>> = tasks
        .iter()
        .map(|task| {
            let referred = references(&task.content);
            let referred = referred.iter().flat_map(|written| index.referred(written));
            referred.map(|other| place[&std::ptr::from_ref(&other.content)]).collect()
        })
        .collect();
    let mut is_suspect = vec![true; tasks.len()];
    strip(&leads_to, &mut is_suspect);
    strip(&reversed(&leads_to), &mut is_suspect);
    tasks.iter().zip(is_suspect).filter(|(_, suspect)| *suspect).map(|(task, _)| task).collect()
}

/// Removes tasks that lead to no suspect, until nothing changes.
fn strip(leads_to: &[Vec<usize>], is_suspect: &mut [bool]) {
    let led_from = reversed(leads_to);
    let mut open: Vec<usize> = leads_to
        .iter()
        .map(|others| others.iter().filter(|other| is_suspect[**other]).count())
        .collect();
    let mut cleared: Vec<usize> =
        (0..open.len()).filter(|place| is_suspect[*place] && open[*place] == 0).collect();
    while let Some(place) = cleared.pop() {
        is_suspect[place] = false;
        for other in &led_from[place] {
            open[*other] -= 1;
            if is_suspect[*other] && open[*other] == 0 {
                cleared.push(*other);
            }
        }
    }
}

fn reversed(leads_to: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut reversed = vec![Vec::new(); leads_to.len()];
    for (from, others) in leads_to.iter().enumerate() {
        for other in others {
            reversed[*other].push(from);
        }
    }
    reversed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::testing::listed;

    fn found(lines: &[&str]) -> Vec<String> {
        let all = listed(lines);
        let problems = find(&TaskIndex::new(&all), cycle::dependencies, "depends on itself");
        problems.into_iter().map(|problem| problem.message).collect()
    }

    #[test]
    fn every_cycle_is_reported_once() {
        let lines = [
            "TASK-1",
            "TASK-2 TASK-1 TASK-3",
            "TASK-3 TASK-4",
            "TASK-4 TASK-5",
            "TASK-5 TASK-3",
            "TASK-6 6",
            "TASK-7 TASK-6 TASK-9",
            "TASK-8 TASK-99 nonsense",
        ];
        assert_eq!(
            found(&lines),
            [
                "TASK-3 depends on itself: TASK-3 → TASK-4 → TASK-5 → TASK-3",
                "TASK-6 depends on itself: TASK-6 → TASK-6",
            ]
        );
    }

    #[test]
    fn a_sound_database_has_none_whatever_the_order() {
        let lines: Vec<String> = (1..2_000).map(|n| format!("TASK-{n} TASK-{}", n + 1)).collect();
        assert_eq!(found(&lines.iter().map(String::as_str).collect::<Vec<_>>()), [""; 0]);
    }

    #[test]
    fn two_circles_with_a_way_between_them_are_two() {
        let lines = ["TASK-1 TASK-2", "TASK-2 TASK-1 TASK-3", "TASK-3 TASK-4", "TASK-4 TASK-3"];
        assert_eq!(found(&lines).len(), 2);
    }
}
