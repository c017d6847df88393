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
            files: members.iter().map(|task| task.path()).collect(),
            message: format!("{id} {what}: {}", reference_links::circle(id, &way)),
        });
    }
    problems
}

/// The tasks that are in a cycle or depend on one. A valid database has none, which one pass finds
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
    let mut led_from: Vec<Vec<usize>> = vec![Vec::new(); tasks.len()];
    let mut open = vec![0; tasks.len()];
    for (from, task) in tasks.iter().enumerate() {
        for other in references(&task.content).iter().flat_map(|written| index.referred(written)) {
            led_from[place[&std::ptr::from_ref(&other.content)]].push(from);
            open[from] += 1;
        }
    }
    let mut cleared: Vec<usize> = (0..tasks.len()).filter(|place| open[*place] == 0).collect();
    while let Some(place) = cleared.pop() {
        for other in &led_from[place] {
            open[*other] -= 1;
            if open[*other] == 0 {
                cleared.push(*other);
            }
        }
    }
    tasks.iter().zip(open).filter(|(_, open)| *open > 0).map(|(task, _)| task).collect()
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
