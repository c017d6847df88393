//! The median and percentiles of measurements.

use std::time::Duration;

/// The median, and the lower of the two in the middle when their number is even.
///
/// # Panics
///
/// When there is no measurement at all.
pub(crate) fn median(values: Vec<Duration>) -> Duration {
    percentile(values, 50)
}

/// The smallest value that this percentage of all values does not exceed.
///
/// # Panics
///
/// When there is no measurement at all.
pub(crate) fn percentile(mut values: Vec<Duration>, percent: usize) -> Duration {
    assert!(!values.is_empty(), "nothing was measured");
    values.sort();
    let rank = (values.len() * percent).div_ceil(100).clamp(1, values.len());
    values[rank - 1]
}

/// The ratio of a time to that of the yardstick.
pub(crate) fn ratio(time: Duration, yardstick: Duration) -> f64 {
    time.as_secs_f64() / yardstick.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_value_counts_and_outliers_do_not() {
        let of =
            |values: &[u64]| median(values.iter().copied().map(Duration::from_micros).collect());
        assert_eq!(of(&[7]), Duration::from_micros(7));
        assert_eq!(of(&[9, 1, 900]), Duration::from_micros(9));
        assert_eq!(of(&[4, 3, 2, 1]), Duration::from_micros(2));
    }

    #[test]
    fn a_percentile_is_the_least_value_that_so_many_do_not_exceed() {
        let of = |most: u64, percent| {
            percentile((1..=most).map(Duration::from_micros).collect(), percent)
        };
        for (most, percent, expected) in [
            (100, 95, 95),
            (20, 95, 19),
            (10, 95, 10),
            (1, 95, 1),
            (4, 50, 2),
            (3, 100, 3),
            (3, 0, 1),
        ] {
            assert_eq!(of(most, percent), Duration::from_micros(expected), "{most} {percent}");
        }
    }

    #[test]
    fn a_ratio_is_time_over_yardstick() {
        let ratio = ratio(Duration::from_micros(300), Duration::from_micros(200));
        assert!((ratio - 1.5).abs() < 1e-9, "{ratio}");
    }
}
