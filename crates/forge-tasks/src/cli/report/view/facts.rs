//! The front matter of a task, one line for each field.

use anstyle::Style;
use jiff::Timestamp;
use typeset::style::{BAD, DIM, WARNING, paint};
use typeset::styled_line::StyledLine;
use typeset::text::visible;
use unicode_width::UnicodeWidthStr;

use super::{ViewContext, ViewWidth};
use crate::TaskStatus;
use crate::cli::report::due::due;
use crate::cli::report::relations::{RelatedTask, TaskRelations, shortlist};
use crate::cli::report::style::{of_status, symbol};
use crate::cli::report::time::{self, spoken};
use crate::document::{FrontMatter, TaskLease};

const PLAIN: Style = Style::new();
/// The gap between a name and its value.
const GAP: usize = 2;

/// A line for each fact, or more where it does not fit.
pub(super) fn facts(front: &FrontMatter, around: &ViewContext, room: ViewWidth) -> String {
    let facts = all(front, around);
    let width = facts.iter().map(|(name, _)| name.width()).max().unwrap_or(0) + GAP;
    let mut text = String::new();
    for (name, fact) in facts {
        let lines = room.behind(width).broken(&fact);
        let below = format!("\n{}", " ".repeat(width));
        let gap = " ".repeat(width - name.width());
        text.push_str(&format!("{}{gap}{}\n", paint(DIM, name), lines.join(&below)));
    }
    text
}

fn all(front: &FrontMatter, around: &ViewContext) -> Vec<(&'static str, StyledLine)> {
    let plain = |text: &str| StyledLine::painted(text, PLAIN);
    let mut facts = Vec::new();
    if let (Some(lease), TaskStatus::InProgress) = (&front.lease, front.status) {
        facts.push(("Claimed", plain(&claimed(front, lease, around.now))));
    }
    if !front.labels.is_empty() {
        facts.push(("Labels", plain(&visible(&front.labels.join(", ")))));
    }
    facts.extend(related(&around.relations));
    if let Some(due) = due(front, around.now) {
        let is_late = due.is_overdue && !around.is_archived;
        facts.push(("Due", StyledLine::painted(&due.text, if is_late { BAD } else { PLAIN })));
    }
    for (name, moment) in [("Created", &front.created_at), ("Updated", &front.updated_at)] {
        let spoken = moment.iter().map(|moment| time::written(moment, around.now));
        facts.extend(spoken.map(|moment| (name, plain(&moment))));
    }
    facts.push(("File", plain(&visible(&around.file))));
    facts
}

/// The relations to other tasks.
fn related(relations: &TaskRelations) -> Vec<(&'static str, StyledLine)> {
    let TaskRelations { dependencies, parent, parts, needed_by } = relations;
    let all = [
        ("Depends on", relatives(dependencies)),
        ("Needed by", relatives(needed_by)),
        ("Part of", relatives(parent.as_slice())),
        ("Parts", relatives(parts)),
    ];
    all.into_iter().filter(|(_, line)| !line.is_empty()).collect()
}

/// `TASK-001 ●, TASK-002 (does not exist)`.
fn relatives(all: &[RelatedTask]) -> StyledLine {
    let (shown, more) = shortlist(all);
    let mut line = StyledLine::default();
    for RelatedTask { name, status } in shown {
        let comma = if line.is_empty() { "" } else { ", " };
        line.append(&format!("{comma}{} ", visible(name)), PLAIN);
        match status {
            Some(status) => line.append(symbol(*status), of_status(*status)),
            None => line.append("(does not exist)", WARNING),
        }
    }
    if more > 0 {
        line.append(&format!(" and {more} more"), DIM);
    }
    line
}

/// The claimant and the lease.
fn claimed(front: &FrontMatter, lease: &TaskLease, now: Timestamp) -> String {
    let who = front.assignee.as_deref().map(|name| format!("by {}, ", visible(name)));
    let until = match lease.until {
        Some(until) if until > now => format!("until {}", spoken(until, now)),
        Some(until) => format!("ran out {}", spoken(until, now)),
        None => "ran out".to_owned(),
    };
    let run = lease.run.as_deref().map(|run| format!(", for run {}", visible(run)));
    format!("{}{until}{}", who.unwrap_or_default(), run.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::samples::{front, moment, now};

    #[test]
    fn a_lease_that_ran_out_says_so() {
        let claimed = |lease| claimed(&front("TASK-001", "x"), &lease, now());
        let until = Some(moment("2026-11-15T11:00:00Z"));
        let gone = claimed(TaskLease { until, run: None });
        assert_eq!(gone, "ran out 2026-11-15 11:00 UTC (1 hour ago)");
        assert_eq!(claimed(TaskLease::default()), "ran out");
    }

    #[test]
    fn a_flood_of_relatives_is_cut() {
        let all = (0..20).map(|number| RelatedTask {
            name: format!("T-{number}"),
            status: (number == 0).then_some(TaskStatus::Done),
        });
        let line = relatives(&all.collect::<Vec<_>>()).styled();
        let line = anstream::adapter::strip_str(&line).to_string();
        assert!(line.starts_with("T-0 ●, T-1 (does not exist), T-2"), "{line}");
        assert!(line.ends_with("T-11 (does not exist) and 8 more"), "{line}");
    }
}
