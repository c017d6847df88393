//! Moments for people: in UTC, and how long ago.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use typeset::text::visible;

use crate::words;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;

/// A moment as it is written in a file, for a person: `2026-11-15 10:00 UTC (2 hours ago)`. What is no
/// moment stays as it is.
pub(crate) fn written(moment: &str, now: Timestamp) -> String {
    match moment.trim().parse() {
        Ok(parsed) => spoken(parsed, now),
        Err(_) => visible(moment),
    }
}

/// A moment for a person: `2026-11-15 10:00 UTC (2 hours ago)`.
pub(crate) fn spoken(moment: Timestamp, now: Timestamp) -> String {
    format!("{} ({})", to_the_minute(moment), relative(moment, now))
}

fn to_the_minute(moment: Timestamp) -> String {
    let time = TimeZone::UTC.to_datetime(moment);
    let (hour, minute) = (time.hour(), time.minute());
    format!("{} {hour:02}:{minute:02} UTC", time.date())
}

/// How far away a moment is: `2 hours ago`, `in 3 days`.
pub(crate) fn relative(moment: Timestamp, now: Timestamp) -> String {
    let seconds = moment.as_second() - now.as_second();
    match distance(seconds.abs()) {
        None => "just now".to_owned(),
        Some(distance) if seconds < 0 => format!("{distance} ago"),
        Some(distance) => format!("in {distance}"),
    }
}

/// A length of time in its largest unit, rounded down; none if it is not worth saying.
fn distance(seconds: i64) -> Option<String> {
    let unit = |length: i64, name: &str| {
        let number = usize::try_from(seconds / length).unwrap_or(usize::MAX);
        Some(words::count(number, name))
    };
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

/// When something should be done, and whether that is over.
pub(crate) struct Due {
    pub(crate) text: String,
    pub(crate) is_over: bool,
}

/// Reads when something should be done: a day, or a moment.
pub(crate) fn due(written: &str, now: Timestamp) -> Due {
    let trimmed = written.trim();
    let today = TimeZone::UTC.to_datetime(now).date();
    // A moment also begins with a day, but says more.
    if let Ok(moment) = trimmed.parse::<Timestamp>() {
        return Due { text: spoken(moment, now), is_over: moment < now };
    }
    match trimmed.parse::<Date>() {
        Ok(day) => {
            Due { text: format!("{trimmed} ({})", days_away(day, today)), is_over: day < today }
        }
        Err(_) => Due { text: visible(written), is_over: false },
    }
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
    use crate::cli::samples::{moment, now};

    #[test]
    fn moments_are_told_from_now() {
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
            ("2026-11-15T13:30:00Z", "in 1 hour"),
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

    #[test]
    fn a_day_is_over_when_the_next_one_begins() {
        for (text, expected, is_over) in [
            ("2026-11-15", "2026-11-15 (today)", false),
            ("2026-11-16", "2026-11-16 (tomorrow)", false),
            ("2026-11-14", "2026-11-14 (yesterday)", true),
            ("2026-11-12", "2026-11-12 (3 days ago)", true),
            ("2026-12-31", "2026-12-31 (in 46 days)", false),
            ("2026-11-15T11:00:00Z", "2026-11-15 11:00 UTC (1 hour ago)", true),
            ("2026-11-15T18:00:00+01:00", "2026-11-15 17:00 UTC (in 5 hours)", false),
            ("soon", "soon", false),
        ] {
            let due = due(text, now());
            assert_eq!((due.text.as_str(), due.is_over), (expected, is_over));
        }
    }
}
