//! Formatting of times in the local time zone.

use std::sync::OnceLock;

use forkhestra_core::time::Timestamp;
use typeset::local_time::LocalZone;

/// To the minute, without the zone: `2026-11-15 07:59`.
pub(crate) fn to_the_minute(timestamp: Timestamp) -> String {
    zone().minute(timestamp.milliseconds())
}

/// The day: `2026-11-15`.
pub(crate) fn day(timestamp: Timestamp) -> String {
    zone().day(timestamp.milliseconds())
}

/// The first moment of a day such as `2026-11-15`; none if the text is not a date.
pub(crate) fn start_of_day(text: &str) -> Option<Timestamp> {
    zone().start_of_day(text).map(Timestamp::from_milliseconds)
}

/// To the second, without the zone: `2026-11-15 07:59:12`.
pub(crate) fn to_the_second(timestamp: Timestamp) -> String {
    zone().second(timestamp.milliseconds())
}

/// To the minute, with the zone: `2026-11-15 07:59 CET`.
pub(crate) fn minute_in_zone(timestamp: Timestamp) -> String {
    format!("{} {}", to_the_minute(timestamp), zone_name(timestamp))
}

/// To the second, with the zone: `2026-11-15 07:59:12 CET`.
pub(crate) fn second_in_zone(timestamp: Timestamp) -> String {
    format!("{} {}", to_the_second(timestamp), zone_name(timestamp))
}

/// The time of day with the zone, `07:59 CET`, with the date if `other` is on a different day.
pub(crate) fn time_in_zone(timestamp: Timestamp, other: Timestamp) -> String {
    format!("{} {}", time_with_day(timestamp, other), zone_name(timestamp))
}

/// A time span with the zone: `2026-11-15 08:10 to 16:12 CET` if the day is the same.
pub(crate) fn span(from: Timestamp, to: Timestamp) -> String {
    format!("{} to {}", to_the_minute(from), time_in_zone(to, from))
}

/// The name of the zone at a time: `CET`.
pub(crate) fn zone_name(timestamp: Timestamp) -> String {
    zone().name(timestamp.milliseconds())
}

fn time_with_day(timestamp: Timestamp, other: Timestamp) -> String {
    let (text, other) = (to_the_minute(timestamp), to_the_minute(other));
    match (text.split_once(' '), other.split_once(' ')) {
        (Some((day, time)), Some((same, _))) if day == same => time.to_owned(),
        _ => text,
    }
}

/// The local zone, determined at first use.
fn zone() -> &'static LocalZone {
    static ZONE: OnceLock<LocalZone> = OnceLock::new();
    // Unit tests must not depend on the zone of the machine.
    ZONE.get_or_init(|| if cfg!(test) { LocalZone::utc() } else { LocalZone::system() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timestamp(text: &str) -> Timestamp {
        Timestamp::parse(text).expect("a moment")
    }

    #[test]
    fn times_are_shortened_to_what_matters() {
        let moment = timestamp("2026-11-15T07:59:12.987Z");
        assert_eq!(to_the_minute(moment), "2026-11-15 07:59");
        assert_eq!(to_the_second(moment), "2026-11-15 07:59:12");
        assert_eq!(minute_in_zone(moment), "2026-11-15 07:59 UTC");
        assert_eq!(second_in_zone(moment), "2026-11-15 07:59:12 UTC");
    }

    #[test]
    fn another_day_is_named() {
        let morning = timestamp("2026-11-15T07:59:12.987Z");
        assert_eq!(time_in_zone(morning, timestamp("2026-11-15T23:00:00Z")), "07:59 UTC");
        assert_eq!(
            time_in_zone(morning, timestamp("2026-11-14T23:00:00Z")),
            "2026-11-15 07:59 UTC"
        );
        let evening = timestamp("2026-11-14T22:10:00Z");
        assert_eq!(span(evening, morning), "2026-11-14 22:10 to 2026-11-15 07:59 UTC");
    }
}
