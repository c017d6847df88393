//! The current time and the time zone for display.

use forkhestra_core::time::Timestamp;
use typeset::local_time::LocalZone;

/// The current time and the time zone for display.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LocalClock<'a> {
    pub(crate) now: Timestamp,
    zone: &'a LocalZone,
}

impl<'a> LocalClock<'a> {
    pub(crate) const fn new(now: Timestamp, zone: &'a LocalZone) -> Self {
        Self { now, zone }
    }

    /// Date and time: `2026-11-15 07:59 CET`.
    pub(crate) fn day_and_time(self, timestamp: Timestamp) -> String {
        format!("{} {}", self.minute(timestamp), self.zone_name(timestamp))
    }

    /// The time, `07:59 CET`, with the date if it is not today.
    pub(crate) fn time(self, timestamp: Timestamp) -> String {
        let (text, today) = (self.minute(timestamp), self.minute(self.now));
        let time = match (text.split_once(' '), today.split_once(' ')) {
            (Some((day, time)), Some((same, _))) if day == same => time,
            _ => &text,
        };
        format!("{time} {}", self.zone_name(timestamp))
    }

    fn minute(self, timestamp: Timestamp) -> String {
        self.zone.minute(timestamp.milliseconds())
    }

    fn zone_name(self, timestamp: Timestamp) -> String {
        self.zone.name(timestamp.milliseconds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_local_and_another_day_is_named() {
        let at = |text| Timestamp::parse(text).expect("a moment");
        let morning = at("2026-11-15T23:59:12Z");
        for (zone, now, expected) in [
            ("UTC0", "2026-11-15T01:00:00Z", "23:59 UTC"),
            ("UTC0", "2026-11-14T23:00:00Z", "2026-11-15 23:59 UTC"),
            ("CET-1", "2026-11-16T09:00:00Z", "00:59 CET"),
            ("EST5", "2026-11-16T01:00:00Z", "18:59 EST"),
        ] {
            let zone = LocalZone::named(zone).expect("a zone");
            assert_eq!(LocalClock::new(at(now), &zone).time(morning), expected);
        }
        let zone = LocalZone::named("CET-1").expect("a zone");
        let clock = LocalClock::new(morning, &zone);
        assert_eq!(clock.day_and_time(morning), "2026-11-16 00:59 CET");
    }
}
