//! How many tasks there are, and how far they are.

use typeset::style::{DIM, paint};

use crate::document::Front;
use crate::{Status, words};

/// `12 tasks: 3 to do (2 ready), 1 in progress, 8 done`.
pub(crate) fn summary(tasks: &[&Front], ready: usize) -> String {
    let parts: Vec<String> =
        Status::ALL.into_iter().filter_map(|status| part(tasks, status, ready)).collect();
    let parts = if parts.is_empty() { String::new() } else { format!(": {}", parts.join(", ")) };
    paint(DIM, &format!("{}{parts}", words::count(tasks.len(), "task"))) + "\n"
}

/// What is said of one status; nothing if no task has it.
fn part(tasks: &[&Front], status: Status, ready: usize) -> Option<String> {
    let number = tasks.iter().filter(|task| task.status == status).count();
    let name = status.name().to_lowercase();
    match (number, status) {
        (0, _) => None,
        (_, Status::ToDo) if ready > 0 => Some(format!("{number} {name} ({ready} ready)")),
        _ => Some(format!("{number} {name}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::samples::front;

    fn said(states: &[Status], ready: usize) -> String {
        let with = |status: &Status| Front { status: *status, ..front("TASK-001", "x") };
        let fronts: Vec<Front> = states.iter().map(with).collect();
        let text = summary(&fronts.iter().collect::<Vec<_>>(), ready);
        anstream::adapter::strip_str(&text).to_string()
    }

    #[test]
    fn only_states_that_occur_are_counted() {
        use Status::{Blocked, Done, InProgress, ToDo};
        for (states, ready, expected) in [
            (&[][..], 0, "0 tasks\n"),
            (&[Done], 0, "1 task: 1 done\n"),
            (&[ToDo, ToDo, ToDo], 2, "3 tasks: 3 to do (2 ready)\n"),
            (&[ToDo], 0, "1 task: 1 to do\n"),
            (
                &[Done, Blocked, InProgress, ToDo],
                0,
                "4 tasks: 1 to do, 1 in progress, 1 blocked, 1 done\n",
            ),
        ] {
            assert_eq!(said(states, ready), expected);
        }
    }
}
