//! One task for a person.

use anstyle::Style;
use jiff::Timestamp;
use typeset::style::{DIM, NAME, WARNING, paint};
use typeset::table::{Cell, aligned};
use typeset::text::{visible, visible_lines};

use super::style::{of_priority, of_status, symbol};
use super::time::{self, due, spoken};
use crate::Status;
use crate::document::{Criterion, Front, Lease, Task};

/// What is shown beside what the file of a task says.
#[derive(Debug)]
pub(crate) struct Surroundings {
    /// The file, as the user would name it.
    pub(crate) file: String,
    pub(crate) is_archived: bool,
    pub(crate) now: Timestamp,
    /// How far each dependency is, in the order of the task; none for what does not exist.
    pub(crate) dependencies: Vec<Option<Status>>,
}

/// Everything about a task.
pub(crate) fn view(task: &Task, around: &Surroundings) -> String {
    let Task { front, body, .. } = task;
    let mut text = heading(front, around);
    text.push_str(&facts(front, around));
    text.push_str(&section("Description", body.description.as_deref()));
    text.push_str(&section("Implementation plan", body.plan.as_deref()));
    text.push_str(&criteria(&body.criteria));
    text.push_str(&section("Implementation notes", body.notes.as_deref()));
    text
}

fn heading(front: &Front, around: &Surroundings) -> String {
    let title = format!("{}  {}", front.id, visible(&front.title));
    let state = format!("{} {}", symbol(front.status), front.status);
    let mut words = vec![paint(of_status(front.status), &state)];
    words.extend(front.priority.map(|it| paint(of_priority(it), &format!("{it} priority"))));
    words.extend(front.assignee.as_deref().map(visible));
    words.extend(around.is_archived.then(|| paint(DIM, "archived")));
    format!("{}\n{}\n\n", paint(NAME, &title), words.join(" · "))
}

fn facts(front: &Front, around: &Surroundings) -> String {
    let mut rows = Vec::new();
    let mut push = |name: &str, value: String, style: Style| {
        rows.push(vec![Cell::painted(name, DIM), Cell::painted(value, style)]);
    };
    let plain = Style::new();
    if let (Some(lease), Status::InProgress) = (&front.lease, front.status) {
        push("Claimed", claimed(front, lease, around.now), plain);
    }
    if !front.labels.is_empty() {
        push("Labels", visible(&front.labels.join(", ")), plain);
    }
    if !front.dependencies.is_empty() {
        push("Depends on", dependencies(front, around), plain);
    }
    if let Some(parent) = &front.parent {
        push("Part of", visible(parent), plain);
    }
    if let Some(written) = &front.due_date {
        let due = due(written, around.now);
        let is_late = due.is_over && front.status != Status::Done;
        push("Due", due.text, if is_late { WARNING } else { plain });
    }
    for (name, moment) in [("Created", &front.created_at), ("Updated", &front.updated_at)] {
        if let Some(moment) = moment {
            push(name, time::written(moment, around.now), plain);
        }
    }
    push("File", visible(&around.file), plain);
    aligned(&rows)
}

/// Who has taken it, and for how long.
fn claimed(front: &Front, lease: &Lease, now: Timestamp) -> String {
    let who = front.assignee.as_deref().map(|name| format!("by {}, ", visible(name)));
    let until = match lease.until {
        Some(until) if until > now => format!("until {}", spoken(until, now)),
        Some(until) => format!("ran out {}", spoken(until, now)),
        None => "ran out".to_owned(),
    };
    let run = lease.run.as_deref().map(|run| format!(", for run {}", visible(run)));
    format!("{}{until}{}", who.unwrap_or_default(), run.unwrap_or_default())
}

fn dependencies(front: &Front, around: &Surroundings) -> String {
    let states = around.dependencies.iter().copied().map(Some).chain(std::iter::repeat(None));
    let shown = front.dependencies.iter().zip(states).map(|(name, state)| {
        let name = visible(name);
        match state {
            Some(Some(status)) => {
                format!("{name} {}", paint(of_status(status), symbol(status)))
            }
            Some(None) => format!("{name} {}", paint(WARNING, "(does not exist)")),
            None => name,
        }
    });
    shown.collect::<Vec<_>>().join(", ")
}

fn section(title: &str, text: Option<&str>) -> String {
    let Some(text) = text.filter(|text| !text.trim().is_empty()) else { return String::new() };
    let lines = visible_lines(text.trim_end());
    let lines = lines.iter().map(|line| format!("  {line}").trim_end().to_owned() + "\n");
    format!("\n{}\n{}", paint(NAME, title), lines.collect::<String>())
}

fn criteria(criteria: &[Criterion]) -> String {
    if criteria.is_empty() {
        return String::new();
    }
    let checked = criteria.iter().filter(|criterion| criterion.checked).count();
    let count = format!("({checked} of {})", criteria.len());
    let title = format!("{} {}", paint(NAME, "Acceptance criteria"), paint(DIM, &count));
    format!("\n{title}\n{}", criteria.iter().map(criterion).collect::<String>())
}

fn criterion(criterion: &Criterion) -> String {
    let Criterion { index, checked, text } = criterion;
    let mark = if *checked { paint(of_status(Status::Done), "☑") } else { "☐".to_owned() };
    let number = format!("#{index} ");
    let indent = " ".repeat("  ☐ ".chars().count() + number.len());
    format!("  {mark} {number}{}\n", visible_lines(text).join(&format!("\n{indent}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Priority;
    use crate::cli::samples::{front, full, moment, now, task};

    fn around() -> Surroundings {
        Surroundings {
            file: "forge/tasks/TASK-003 - Write the parser.md".to_owned(),
            is_archived: false,
            now: now(),
            dependencies: vec![Some(Status::Done), None],
        }
    }

    fn shown(task: &Task, around: &Surroundings) -> String {
        anstream::adapter::strip_str(&view(task, around)).to_string()
    }

    #[test]
    fn everything_about_a_task_is_shown() {
        let mut task = full();
        let run = Some("abcd1234".to_owned());
        task.front.lease = Some(Lease { until: Some(moment("2026-11-15T13:10:00Z")), run });
        insta::assert_snapshot!(shown(&task, &around()), @r"
        TASK-003  Write the parser
        ◐ In Progress · high priority · builder

        Claimed     by builder, until 2026-11-15 13:10 UTC (in 1 hour), for run abcd1234
        Labels      core, parser
        Depends on  TASK-001 ●, TASK-002 (does not exist)
        Part of     TASK-000
        Due         2026-12-31 (in 46 days)
        Created     2026-11-15 10:00 UTC (2 hours ago)
        Updated     2026-11-15 11:30 UTC (30 minutes ago)
        File        forge/tasks/TASK-003 - Write the parser.md

        Description
          Reads front matter.
          Never panics.

        Implementation plan
          1. Split
          2. Read

        Acceptance criteria (1 of 2)
          ☑ #1 Reads CRLF
          ☐ #2 Keeps every byte
               of unknown keys

        Implementation notes
          Uses `C:\new` paths.
        ");
    }

    #[test]
    fn a_bare_task_is_shown_in_a_few_lines() {
        let around = Surroundings { is_archived: true, dependencies: Vec::new(), ..around() };
        insta::assert_snapshot!(shown(&task(front("TASK-003", "Bare")), &around), @"
        TASK-003  Bare
        ○ To Do · archived

        Created  2026-11-15 10:00 UTC (2 hours ago)
        Updated  2026-11-15 11:30 UTC (30 minutes ago)
        File     forge/tasks/TASK-003 - Write the parser.md
        ");
    }

    #[test]
    fn nothing_that_a_terminal_obeys_gets_out() {
        let mut task = full();
        let evil = "\u{1b}[2J\u{9b}31m\u{7}".to_owned();
        let front = &mut task.front;
        front.title = evil.clone();
        (front.assignee, front.parent) = (Some(evil.clone()), Some(evil.clone()));
        (front.due_date, front.created_at) = (Some(evil.clone()), Some(evil.clone()));
        (front.labels, front.dependencies) = (vec![evil.clone()], vec![evil.clone()]);
        front.lease = Some(Lease { until: None, run: Some(evil.clone()) });
        let body = &mut task.body;
        (body.description, body.plan) = (Some(evil.clone()), Some(evil.clone()));
        body.notes = Some(evil.clone());
        body.criteria[0].text = evil.clone();
        // The escapes of our own colours would hide those of others.
        let text = view(&task, &Surroundings { file: evil, ..around() });
        let ours = regexless_strip(&text);
        assert!(!ours.contains(|c: char| c.is_control() && c != '\n'), "{ours:?}");
    }

    /// Removes colours and nothing else.
    fn regexless_strip(text: &str) -> String {
        let mut parts = text.split("\u{1b}[");
        let mut left = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (code, rest) = part.split_once('m').expect("every escape of ours is a colour");
            assert!(code.bytes().all(|byte| byte.is_ascii_digit() || byte == b';'), "{part:?}");
            left.push_str(rest);
        }
        left
    }

    #[test]
    fn a_lease_that_ran_out_says_so() {
        let claimed = |lease| claimed(&front("TASK-001", "x"), &lease, now());
        let until = Some(moment("2026-11-15T11:00:00Z"));
        let gone = claimed(Lease { until, run: None });
        assert_eq!(gone, "ran out 2026-11-15 11:00 UTC (1 hour ago)");
        assert_eq!(claimed(Lease::default()), "ran out");
    }

    #[test]
    fn only_what_is_late_and_not_done_is_marked() {
        let late = |status, due: &str| {
            let mut front = front("TASK-001", "x");
            front.status = status;
            front.priority = Some(Priority::Low);
            front.due_date = Some(due.to_owned());
            view(&task(front), &around()).contains(&WARNING.to_string())
        };
        assert!(late(Status::ToDo, "2026-11-14"));
        assert!(!late(Status::Done, "2026-11-14"));
        assert!(!late(Status::ToDo, "2026-11-15"));
    }
}
