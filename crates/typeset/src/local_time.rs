//! Moments in the local time zone.
//!
//! ```
//! use typeset::local_time::LocalZone;
//!
//! let zone = LocalZone::named("CET-1").expect("a zone");
//! assert_eq!(zone.minute(1_794_733_152_987), "2026-11-15 09:59");
//! assert_eq!(zone.name(1_794_733_152_987), "CET");
//! ```

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// The time zone for displayed times.
#[derive(Debug, Clone)]
pub struct LocalZone(TimeZone);

impl LocalZone {
    /// The zone of `TZ`, or else of the system; UTC if neither is known. It reads files, so a
    /// program should call it at most once, and only if it prints a time.
    pub fn system() -> Self {
        Self(TimeZone::try_system().unwrap_or(TimeZone::UTC))
    }

    /// UTC.
    pub const fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    /// The zone of a name such as `Europe/Berlin` or of a rule such as `CET-1`, if there is one.
    pub fn named(name: &str) -> Option<Self> {
        TimeZone::get(name).or_else(|_| TimeZone::posix(name)).ok().map(Self)
    }

    /// A timestamp to the second: `2026-11-15 07:59:12`. Timestamps are milliseconds since 1970.
    pub fn second(&self, moment: i64) -> String {
        let local = self.at(moment);
        format!("{}:{:02}", self.minute(moment), local.second())
    }

    /// A timestamp to the minute: `2026-11-15 07:59`.
    pub fn minute(&self, moment: i64) -> String {
        let local = self.at(moment);
        let (year, month, day) = (local.year(), local.month(), local.day());
        let (hour, minute) = (local.hour(), local.minute());
        format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}")
    }

    /// The first moment of a day such as `2026-11-15`; none if the text is not a date.
    pub fn start_of_day(&self, text: &str) -> Option<i64> {
        let is_plain = text.len() == "0000-00-00".len();
        let date: Date = text.parse().ok().filter(|_| is_plain)?;
        Some(date.to_zoned(self.0.clone()).ok()?.timestamp().as_millisecond())
    }

    /// The day of a timestamp: `2026-11-15`.
    pub fn day(&self, moment: i64) -> String {
        self.date(moment).to_string()
    }

    /// The date of a timestamp.
    pub fn date(&self, moment: i64) -> Date {
        self.at(moment).date()
    }

    /// The abbreviation of the zone at a timestamp: `CET`, `UTC`, `+0330`.
    pub fn name(&self, moment: i64) -> String {
        self.0.to_offset_info(instant(moment)).abbreviation().to_owned()
    }

    fn at(&self, moment: i64) -> DateTime {
        self.0.to_datetime(instant(moment))
    }
}

/// A timestamp outside the calendar becomes its first or last one.
fn instant(moment: i64) -> Timestamp {
    let bound = if moment < 0 { Timestamp::MIN } else { Timestamp::MAX };
    Timestamp::from_millisecond(moment).unwrap_or(bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOMENT: i64 = 1_794_733_152_987;

    #[test]
    fn a_moment_is_shown_in_the_zone() {
        let shown = |zone: &LocalZone| format!("{} {}", zone.second(MOMENT), zone.name(MOMENT));
        assert_eq!(shown(&LocalZone::utc()), "2026-11-15 08:59:12 UTC");
        for (name, expected) in [
            ("CET-1CEST,M3.5.0,M10.5.0/3", "2026-11-15 09:59:12 CET"),
            ("EST5EDT,M3.2.0,M11.1.0", "2026-11-15 03:59:12 EST"),
            ("<+0330>-3:30", "2026-11-15 12:29:12 +0330"),
        ] {
            let zone = LocalZone::named(name).expect("a zone");
            assert_eq!(shown(&zone), expected);
        }
        assert!(LocalZone::named("Nowhere/At_all").is_none());
    }

    /// A time limit may end in thousands of years.
    #[test]
    fn a_moment_outside_the_calendar_is_not_the_epoch() {
        let zone = LocalZone::utc();
        assert!(zone.day(i64::MAX).starts_with("9999-12-"), "{}", zone.day(i64::MAX));
        assert!(zone.day(i64::MIN).starts_with('-'), "{}", zone.day(i64::MIN));
    }

    #[test]
    fn a_day_begins_at_midnight_of_the_zone() {
        let zone = LocalZone::named("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone");
        let begin = zone.start_of_day("2026-11-15").expect("a date");
        assert_eq!(zone.second(begin), "2026-11-15 00:00:00");
        assert_eq!(LocalZone::utc().minute(begin), "2026-11-14 23:00");
        assert_eq!(
            (zone.day(begin), zone.day(begin - 1)),
            ("2026-11-15".into(), "2026-11-14".into())
        );
        for text in ["", "2026-13-01", "2026-02-30", "2026-11-15T10:00", "yesterday", "20261115"] {
            assert_eq!(zone.start_of_day(text), None, "{text}");
        }
    }

    #[test]
    fn summer_time_has_its_own_name() {
        let zone = LocalZone::named("CET-1CEST,M3.5.0,M10.5.0/3").expect("a zone");
        let summer = MOMENT - 150 * 86_400_000;
        assert_eq!(
            (zone.minute(summer).as_str(), zone.name(summer).as_str()),
            ("2026-06-18 10:59", "CEST")
        );
    }
}
