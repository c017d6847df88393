//! When tasks should be done, and whether they are late.

use jiff::Timestamp;
use jiff::civil::Date;
use typeset::text::visible;

use super::time::{self, DAY, distance, relative, to_the_minute};
use crate::TaskStatus;
use crate::document::FrontMatter;

/// When something should be done.
pub(crate) struct DueDisplay {
    pub(crate) text: String,
    /// Whether that is over, and it is not done.
    pub(crate) is_overdue: bool,
}

/// When a task is due, if that is set: a day, or a timestamp.
pub(crate) fn due(task: &FrontMatter, now: Timestamp) -> Option<DueDisplay> {
    let written = task.due_date.as_deref()?;
    let trimmed = written.trim();
    let today = time::day(now);
    // A timestamp also starts with a day, but is more precise.
    let (shown, distance, is_over) = if let Ok(moment) = trimmed.parse::<Timestamp>() {
        (to_the_minute(moment), relative(moment, now), moment < now)
    } else if let Ok(day) = trimmed.parse::<Date>() {
        (trimmed.to_owned(), days_away(day, today), day < today)
    } else {
        return Some(DueDisplay { text: visible(written), is_overdue: false });
    };
    let is_overdue = is_over && task.status != TaskStatus::Done;
    let distance = match (distance.as_str(), distance.strip_suffix(" ago")) {
        _ if !is_overdue => distance,
        (_, Some(length)) => format!("overdue by {length}"),
        ("yesterday", _) => "overdue since yesterday".to_owned(),
        _ => "overdue".to_owned(),
    };
    Some(DueDisplay { text: format!("{shown} ({distance})"), is_overdue })
}

/// Whether a task should be done by now and is not.
pub(crate) fn is_overdue(task: &FrontMatter, now: Timestamp) -> bool {
    due(task, now).is_some_and(|due| due.is_overdue)
}

fn days_away(day: Date, today: Date) -> String {
    let days = today.duration_until(day).as_hours() / 24;
    match days {
        -1 => "yesterday".to_owned(),
        0 => "today".to_owned(),
        1 => "tomorrow".to_owned(),
        _ => {
            let distance = distance(days.abs() * DAY).unwrap_or_default();
            if days < 0 { format!("{distance} ago") } else { format!("in {distance}") }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::samples::{front, now};

    #[test]
    fn a_day_is_over_when_the_next_one_begins() {
        for (text, expected, is_overdue) in [
            ("2026-11-15", "2026-11-15 (today)", false),
            ("2026-11-16", "2026-11-16 (tomorrow)", false),
            ("2026-11-14", "2026-11-14 (overdue since yesterday)", true),
            ("2026-11-12", "2026-11-12 (overdue by 3 days)", true),
            ("2026-12-31", "2026-12-31 (in 46 days)", false),
            ("2026-11-15T11:00:00Z", "2026-11-15 11:00 UTC (overdue by 1 hour)", true),
            ("2026-11-15T11:59:59Z", "2026-11-15 11:59 UTC (overdue)", true),
            ("2026-11-15T18:00:00+01:00", "2026-11-15 17:00 UTC (in 5 hours)", false),
            ("soon", "soon", false),
        ] {
            let task = FrontMatter { due_date: Some(text.to_owned()), ..front("TASK-001", "x") };
            let due = due(&task, now()).expect("it is said");
            assert_eq!((due.text.as_str(), due.is_overdue), (expected, is_overdue));
        }
    }

    #[test]
    fn what_is_done_is_never_late() {
        let mut task =
            FrontMatter { due_date: Some("2026-11-12".to_owned()), ..front("TASK-001", "x") };
        assert!(is_overdue(&task, now()));
        task.status = TaskStatus::Done;
        assert!(!is_overdue(&task, now()));
        let due = due(&task, now()).map(|due| due.text);
        assert_eq!(due.as_deref(), Some("2026-11-12 (3 days ago)"));
        assert!(!is_overdue(&front("TASK-002", "x"), now()));
    }
}
