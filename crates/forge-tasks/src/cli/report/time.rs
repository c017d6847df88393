//! Timestamps and due dates for people: in the local time zone, and relative to now.

use std::sync::OnceLock;

use jiff::Timestamp;
use jiff::civil::Date;
use typeset::local_time::LocalZone;
use typeset::text::visible;

use crate::document::FrontMatter;
use crate::{TaskStatus, words};

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
pub(crate) const DAY: i64 = 24 * HOUR;

/// A timestamp from a file, for people: `2026-11-15 11:00 CET (2 hours ago)`. Any other text is
/// unchanged.
pub(crate) fn written(moment: &str, now: Timestamp) -> String {
    match moment.trim().parse() {
        Ok(parsed) => shown_time(parsed, now),
        Err(_) => visible(moment),
    }
}

/// A timestamp for people: `2026-11-15 11:00 CET (2 hours ago)`.
pub(crate) fn shown_time(moment: Timestamp, now: Timestamp) -> String {
    format!("{} ({})", to_the_minute(moment), relative(moment, now))
}

pub(crate) fn to_the_minute(moment: Timestamp) -> String {
    let moment = moment.as_millisecond();
    format!("{} {}", zone().minute(moment), zone().name(moment))
}

/// The local day of a moment.
pub(crate) fn day(moment: Timestamp) -> Date {
    zone().date(moment.as_millisecond())
}

/// The local zone, found when the first time is shown.
fn zone() -> &'static LocalZone {
    static ZONE: OnceLock<LocalZone> = OnceLock::new();
    // Tests in this process must not depend on the zone of the machine.
    ZONE.get_or_init(|| if cfg!(test) { LocalZone::utc() } else { LocalZone::system() })
}

/// How far away a moment is: `2 hours ago`, `in 1 hour 59 minutes`.
pub(crate) fn relative(moment: Timestamp, now: Timestamp) -> String {
    let seconds = moment.as_second() - now.as_second();
    let distance = if seconds < 0 { distance(-seconds) } else { time_left(seconds) };
    match distance {
        None => "just now".to_owned(),
        Some(distance) if seconds < 0 => format!("{distance} ago"),
        Some(distance) => format!("in {distance}"),
    }
}

/// The time left, rounded up, so that a new lease of two hours shows two hours. From a minute up to
/// a week it has two units.
fn time_left(seconds: i64) -> Option<String> {
    let up_to = |unit: i64| (seconds + unit - 1) / unit * unit;
    let (left, large, small) = match seconds {
        0..MINUTE => return distance(seconds),
        _ if up_to(MINUTE) < DAY => (up_to(MINUTE), (HOUR, "hour"), (MINUTE, "minute")),
        _ if up_to(HOUR) < 7 * DAY => (up_to(HOUR), (DAY, "day"), (HOUR, "hour")),
        _ => return distance(up_to(DAY)),
    };
    let parts = [(left / large.0, large.1), (left % large.0 / small.0, small.1)];
    let parts = parts.into_iter().filter(|(number, _)| *number > 0);
    let parts = parts.map(|(number, unit)| count_units(number, unit));
    Some(parts.collect::<Vec<_>>().join(" "))
}

/// A duration in its largest unit, rounded down; `None` if it is too short.
pub(crate) fn distance(seconds: i64) -> Option<String> {
    let unit = |length: i64, name: &str| Some(count_units(seconds / length, name));
    match seconds {
        0..10 => None,
        10..MINUTE => unit(1, "second"),
        MINUTE..HOUR => unit(MINUTE, "minute"),
        HOUR..DAY => unit(HOUR, "hour"),
        _ if seconds < 60 * DAY => unit(DAY, "day"),
        _ if seconds < 730 * DAY => unit(DAY * 30, "month"),
        _ => unit(DAY * 365, "year"),
    }
}

fn count_units(number: i64, name: &str) -> String {
    words::count(usize::try_from(number).unwrap_or(usize::MAX), name)
}

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
    let today = day(now);
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
    use crate::cli::samples::moment;
    use crate::cli::samples::now;

    #[test]
    fn moments_are_relative_to_now() {
        for (text, expected) in [
            ("2026-11-15T12:00:00Z", "just now"),
            ("2026-11-15T11:59:51Z", "just now"),
            ("2026-11-15T11:59:50Z", "10 seconds ago"),
            ("2026-11-15T11:59:00Z", "1 minute ago"),
            ("2026-11-15T10:00:01Z", "1 hour ago"),
            ("2026-11-15T10:00:00Z", "2 hours ago"),
            ("2026-11-14T12:00:00Z", "1 day ago"),
            ("2026-10-01T12:00:00Z", "45 days ago"),
            ("2026-08-01T12:00:00Z", "3 months ago"),
            ("2020-11-15T12:00:00Z", "6 years ago"),
            ("2026-11-15T12:00:09Z", "just now"),
            ("2026-11-15T12:00:30Z", "in 30 seconds"),
            ("2026-11-15T12:29:01Z", "in 30 minutes"),
            ("2026-11-15T13:00:00Z", "in 1 hour"),
            ("2026-11-15T13:30:00Z", "in 1 hour 30 minutes"),
            ("2026-11-15T13:58:59Z", "in 1 hour 59 minutes"),
            ("2026-11-15T13:59:59Z", "in 2 hours"),
            ("2026-11-16T11:59:59Z", "in 1 day"),
            ("2026-11-17T15:59:59Z", "in 2 days 4 hours"),
            ("2026-11-22T11:59:59Z", "in 7 days"),
            ("2026-11-25T13:00:00Z", "in 11 days"),
            ("9999-12-30T12:00:00Z", "in 7978 years"),
        ] {
            assert_eq!(relative(moment(text), now()), expected, "{text}");
        }
    }

    #[test]
    fn a_moment_in_a_file_is_shown_to_the_minute_and_anything_else_as_it_is() {
        let shown = written("2026-11-15T10:05:07.123Z", now());
        assert_eq!(shown, "2026-11-15 10:05 UTC (1 hour ago)");
        assert_eq!(
            written("2026-11-15T12:05:00+02:00", now()),
            "2026-11-15 10:05 UTC (1 hour ago)"
        );
        assert_eq!(written("last \u{1b}week", now()), "last \\u{1b}week");
    }
}

#[cfg(test)]
mod due_tests {
    use super::*;
    use crate::cli::samples::front;
    use crate::cli::samples::now;

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
