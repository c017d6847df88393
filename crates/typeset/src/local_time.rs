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

/// A timestamp outside the calendar becomes the epoch.
fn instant(moment: i64) -> Timestamp {
    Timestamp::from_millisecond(moment).unwrap_or_default()
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
