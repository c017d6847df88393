//! Timestamps for people: in the local time zone, and relative to now.

use std::sync::OnceLock;

use jiff::Timestamp;
use jiff::civil::Date;
use typeset::local_time::LocalZone;
use typeset::text::visible;

use crate::words;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
pub(super) const DAY: i64 = 24 * HOUR;

/// A timestamp from a file, for people: `2026-11-15 11:00 CET (2 hours ago)`. Any other text is
/// unchanged.
pub(crate) fn written(moment: &str, now: Timestamp) -> String {
    match moment.trim().parse() {
        Ok(parsed) => spoken(parsed, now),
        Err(_) => visible(moment),
    }
}

/// A timestamp for people: `2026-11-15 11:00 CET (2 hours ago)`.
pub(crate) fn spoken(moment: Timestamp, now: Timestamp) -> String {
    format!("{} ({})", to_the_minute(moment), relative(moment, now))
}

pub(super) fn to_the_minute(moment: Timestamp) -> String {
    let moment = moment.as_millisecond();
    format!("{} {}", zone().minute(moment), zone().name(moment))
}

/// The local day of a moment.
pub(super) fn day(moment: Timestamp) -> Date {
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
    let parts = parts.map(|(number, unit)| count(number, unit));
    Some(parts.collect::<Vec<_>>().join(" "))
}

/// A duration in its largest unit, rounded down; `None` if it is too short.
pub(super) fn distance(seconds: i64) -> Option<String> {
    let unit = |length: i64, name: &str| Some(count(seconds / length, name));
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

fn count(number: i64, name: &str) -> String {
    words::count(usize::try_from(number).unwrap_or(usize::MAX), name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::samples::{moment, now};

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
