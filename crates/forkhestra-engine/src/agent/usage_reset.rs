//! Parses the reset time of a usage limit from messages of agents.

use std::ffi::OsString;

use forkhestra_core::time::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use jiff::{SignedDuration, Timestamp as Instant, ToSpan as _};

/// The time and zone in which a message was printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResetContext {
    pub now: Timestamp,
    /// The offset of the local time from UTC, in seconds.
    pub utc_offset: i32,
}

impl ResetContext {
    /// A time in the zone of the variable `TZ`; in UTC if the zone is unknown.
    pub(crate) fn in_zone(now: Timestamp, zone: Option<&OsString>) -> Self {
        let named = zone.and_then(|zone| zone.to_str()).filter(|zone| !zone.is_empty());
        let zone = match named.map(|name| name.trim_start_matches(':')) {
            Some(name) => TimeZone::get(name).or_else(|_| TimeZone::posix(name)).ok(),
            None => Some(TimeZone::system()),
        };
        let instant = Instant::from_millisecond(now.milliseconds()).unwrap_or_default();
        Self { now, utc_offset: zone.map_or(0, |zone| zone.to_offset(instant).seconds()) }
    }
}

/// Phrases that are followed by a time.
const TIME_PREFIXES: [&str; 3] = ["resets at ", "resets ", "try again at "];

/// Phrases that are followed by a duration.
const DURATION_PREFIXES: [&str; 4] = ["reset after ", "resets in ", "retry in ", "try again in "];

/// Parses a reset time, as in `resets Nov 19, 4:23am (UTC)`, `try again at 6:05 PM.` or `retry in
/// 34.5s`. A time without a zone is local.
pub(super) fn resets(text: &str, context: ResetContext) -> Option<Timestamp> {
    // The phrase may begin a sentence. Lower-casing ASCII letters keeps all offsets.
    let small = text.to_ascii_lowercase();
    let after = |words: &[&str]| {
        let found = words.iter().find_map(|word| Some(small.find(word)? + word.len()));
        found.map(|end| text[end..].to_owned())
    };
    if let Some(passed) = after(&DURATION_PREFIXES).and_then(|rest| duration(&rest)) {
        return Some(context.now.saturating_add(passed.try_into().ok()?));
    }
    let rest = after(&TIME_PREFIXES)?;
    let offset = if zone_is_utc(&rest) { 0 } else { context.utc_offset };
    let offset = Offset::from_seconds(offset).ok()?;
    let now = Instant::from_millisecond(context.now.milliseconds()).ok()?;
    let instant =
        offset.to_timestamp(next(&ResetClue::read(&rest)?, offset.to_datetime(now))?).ok()?;
    Some(Timestamp::from_milliseconds(instant.as_millisecond()))
}

/// The parts of a time in a text.
#[derive(Debug, Default)]
struct ResetClue {
    year: Option<i16>,
    month: Option<i8>,
    day: Option<i8>,
    time: Time,
}

impl ResetClue {
    /// Parses `Nov 20th, 2026 3:12 AM`, of which only the time is required.
    fn read(text: &str) -> Option<Self> {
        let mut clue = Self::default();
        let separators = |character: char| character.is_whitespace() || character == ',';
        let words: Vec<&str> =
            text.split(separators).filter(|word| !word.is_empty()).take(6).collect();
        for (at, word) in words.iter().enumerate() {
            let next = words.get(at + 1).copied().unwrap_or_default();
            if let Some(time) = time(word, next) {
                clue.time = time;
                return Some(clue);
            }
            if let Some(month) = month(word) {
                clue.month = Some(month);
            } else if let Ok(year) = word.parse::<i16>()
                && year >= 2000
            {
                clue.year = Some(year);
            } else {
                let digits = word.trim_end_matches(|character: char| character.is_alphabetic());
                clue.day = digits.parse().ok();
                clue.day?;
            }
        }
        None
    }
}

/// A time may have passed by this many minutes: an agent retries for a while before it fails, and
/// then the run must not wait for another day.
const PASSED: i64 = 15;

/// The next time that a clue may mean, or one that has just passed.
fn next(clue: &ResetClue, now: DateTime) -> Option<DateTime> {
    let latest = now.checked_sub(PASSED.minutes()).ok()?;
    let at = |date: Date| date.to_datetime(clue.time);
    let is_meant = |candidate: &DateTime| *candidate > latest;
    let (Some(month), Some(day)) = (clue.month, clue.day) else {
        let day = |days: i64| Some(at(now.date().checked_add(days.days()).ok()?));
        return (-1..=1).filter_map(day).find(is_meant);
    };
    let in_year = |year| Date::new(year, month, day).ok().map(at);
    match clue.year {
        Some(year) => in_year(year),
        None => {
            let year = now.year();
            (year.checked_sub(1)?..=year.checked_add(1)?).filter_map(in_year).find(is_meant)
        }
    }
}

/// Parses `6:05 PM`, `7:03pm`, `3am` or `18:05`.
fn time(word: &str, next: &str) -> Option<Time> {
    let word = word.trim_end_matches('.').to_ascii_lowercase();
    let next = next.trim_end_matches(['.', ')']).to_ascii_lowercase();
    let (clock, half) = match (word.strip_suffix("am"), word.strip_suffix("pm")) {
        (Some(clock), _) => (clock, Some("am")),
        (_, Some(clock)) => (clock, Some("pm")),
        _ => (&*word, Some(&*next).filter(|next| matches!(*next, "am" | "pm"))),
    };
    let (hour, minute) = match (clock.split_once(':'), half) {
        (Some((hour, minute)), _) => (hour.parse::<i8>().ok()?, minute.parse::<i8>().ok()?),
        (None, Some(_)) => (clock.parse().ok()?, 0),
        (None, None) => return None,
    };
    let hour = match half {
        Some(_) if !(1..=12).contains(&hour) => return None,
        Some("am") => hour % 12,
        Some(_) => hour % 12 + 12,
        None => hour,
    };
    Time::new(hour, minute, 0, 0).ok()
}

fn month(word: &str) -> Option<i8> {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let beginning = word.get(..3)?.to_ascii_lowercase();
    let at = MONTHS.iter().position(|month| *month == beginning)?;
    i8::try_from(at + 1).ok()
}

fn zone_is_utc(text: &str) -> bool {
    text.contains("(UTC)") || text.contains("(GMT)")
}

/// Parses `5h3m12s` or `34.5s`, followed by any text.
fn duration(text: &str) -> Option<SignedDuration> {
    let word = text.split_whitespace().next()?;
    let (mut sum, mut rest) = (0.0, word);
    while let Some(end) = rest.find(|character: char| character.is_ascii_alphabetic()) {
        let number: f64 = rest[..end].parse().ok()?;
        let unit_end = rest[end..]
            .find(|character: char| !character.is_ascii_alphabetic())
            .map_or(rest.len(), |length| end + length);
        let seconds = match &rest[end..unit_end] {
            "d" => 86_400.0,
            "h" => 3600.0,
            "m" | "min" => 60.0,
            "s" | "sec" => 1.0,
            "ms" => 0.001,
            _ => return None,
        };
        sum += number * seconds;
        rest = &rest[unit_end..];
    }
    (sum > 0.0).then(|| SignedDuration::try_from_secs_f64(sum).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_names_or_rules() {
        let winter = Timestamp::parse("2026-11-15T12:00:00.000Z").expect("a moment");
        let summer = Timestamp::parse("2026-07-15T12:00:00.000Z").expect("a moment");
        for (zone, at, offset) in [
            ("UTC", winter, 0),
            ("EST5EDT,M3.2.0,M11.1.0", winter, -5 * 3600),
            ("EST5EDT,M3.2.0,M11.1.0", summer, -4 * 3600),
            ("IST-5:30", winter, 19_800),
            ("nowhere at all", winter, 0),
        ] {
            let context = ResetContext::in_zone(at, Some(&zone.into()));
            assert_eq!(context.utc_offset, offset, "{zone}");
        }
    }

    fn read(text: &str, utc_offset: i32) -> Option<String> {
        read_at("2026-11-15T17:30:20.000Z", text, utc_offset)
    }

    fn read_at(now: &str, text: &str, utc_offset: i32) -> Option<String> {
        let now = Timestamp::parse(now).expect("a moment");
        resets(text, ResetContext { now, utc_offset }).map(|reset| reset.to_string())
    }

    #[test]
    fn resets_are_read_from_agent_messages() {
        for (text, offset, expected) in [
            (
                "You've hit your 5-hour limit · resets 7:03pm (UTC)",
                3600,
                "2026-11-15T19:03:00.000Z",
            ),
            ("resets 3am (UTC)", 0, "2026-11-16T03:00:00.000Z"),
            ("resets 5:30pm (UTC)", 0, "2026-11-15T17:30:00.000Z"),
            ("resets 5:16pm (UTC)", 0, "2026-11-15T17:16:00.000Z"),
            ("resets 5:15pm (UTC)", 0, "2026-11-16T17:15:00.000Z"),
            ("resets Nov 15, 5:16pm (UTC)", 0, "2026-11-15T17:16:00.000Z"),
            ("resets Nov 15, 5:15pm (UTC)", 0, "2027-11-15T17:15:00.000Z"),
            ("resets 7:03pm (Europe/Berlin)", 3600, "2026-11-15T18:03:00.000Z"),
            ("weekly limit · resets Nov 19, 4:23am (UTC)", 0, "2026-11-19T04:23:00.000Z"),
            ("resets Jan 2, 12am (UTC)", 0, "2027-01-02T00:00:00.000Z"),
            ("or try again at 6:05 PM.", 0, "2026-11-15T18:05:00.000Z"),
            ("You’ve hit your usage limit. Try again at 6:05 PM.", 0, "2026-11-15T18:05:00.000Z"),
            ("or try again at 6:05 PM.", -18_000, "2026-11-15T23:05:00.000Z"),
            ("or try again at 12:10 AM.", 3600, "2026-11-15T23:10:00.000Z"),
            ("or try again at Nov 20th, 2026 3:12 AM.", 0, "2026-11-20T03:12:00.000Z"),
            ("quota will reset after 5h3m12s.", 0, "2026-11-15T22:33:32.000Z"),
            ("Please retry in 34.5s.", 0, "2026-11-15T17:30:54.500Z"),
        ] {
            assert_eq!(read(text, offset).as_deref(), Some(expected), "{text} ({offset})");
        }
    }

    #[test]
    fn a_reset_that_just_passed_may_be_of_yesterday_or_last_year() {
        for (text, expected) in [
            ("resets 11:50pm (UTC)", "2026-12-31T23:50:00.000Z"),
            ("resets 11:40pm (UTC)", "2027-01-01T23:40:00.000Z"),
            ("resets Dec 31, 11:50pm (UTC)", "2026-12-31T23:50:00.000Z"),
            ("resets Dec 31, 11:40pm (UTC)", "2027-12-31T23:40:00.000Z"),
            ("resets 12am (UTC)", "2027-01-01T00:00:00.000Z"),
            // The next leap year.
            ("resets Feb 29, 3am (UTC)", "2028-02-29T03:00:00.000Z"),
        ] {
            let found = read_at("2027-01-01T00:00:30.000Z", text, 0);
            assert_eq!(found.as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_texts_name_no_reset() {
        for text in [
            "",
            "Try again later.",
            "try again at",
            "try again at once",
            "resets soon",
            "resets 25:00",
            "resets 13pm",
            "resets Feb 30, 3am",
            "retry in a while",
            "retry in -5s",
        ] {
            assert_eq!(read(text, 0), None, "{text}");
        }
    }
}
