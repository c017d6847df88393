//! Formatting of durations.

use std::time::Duration;

/// Formats a duration with limited precision: `850ms`, `3.2s`, `1m 15s`, `2h 3m`.
pub(crate) fn short_duration(duration: Duration) -> String {
    let seconds = duration.as_secs();
    let milliseconds = duration.subsec_millis();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0) if milliseconds > 0 => format!("{milliseconds}ms"),
        (0, 0, seconds) if seconds > 0 && milliseconds >= 100 => {
            format!("{seconds}.{}s", milliseconds / 100)
        }
        (0, 0, seconds) => format!("{seconds}s"),
        (0, minutes, 0) => format!("{minutes}m"),
        (0, minutes, seconds) => format!("{minutes}m {seconds}s"),
        (hours, 0, _) => format!("{hours}h"),
        (hours, minutes, _) => format!("{hours}h {minutes}m"),
    }
}

/// Formats a duration without fractions, for a running clock.
pub(crate) fn whole_seconds(duration: Duration) -> String {
    short_duration(Duration::from_secs(duration.as_secs()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_human_readable() {
        for (milliseconds, expected) in [
            (0, "0s"),
            (1, "1ms"),
            (850, "850ms"),
            (999, "999ms"),
            (1_000, "1s"),
            (1_099, "1s"),
            (3_250, "3.2s"),
            (4_000, "4s"),
            (59_999, "59.9s"),
            (60_000, "1m"),
            (75_900, "1m 15s"),
            (3_599_999, "59m 59s"),
            (3_600_000, "1h"),
            (7_399_000, "2h 3m"),
            (97_380_000, "27h 3m"),
        ] {
            assert_eq!(
                short_duration(Duration::from_millis(milliseconds)),
                expected,
                "{milliseconds}"
            );
        }
    }

    #[test]
    fn a_clock_has_no_fractions() {
        assert_eq!(whole_seconds(Duration::from_millis(850)), "0s");
        assert_eq!(whole_seconds(Duration::from_millis(3_999)), "3s");
    }
}
