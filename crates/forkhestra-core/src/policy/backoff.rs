//! The wait after crashes.

use std::time::Duration;

const FIRST: Duration = Duration::from_secs(1);
const MAX_DELAY: Duration = Duration::from_secs(60);

/// The wait after this many consecutive crashes: none, one second, then doubled for each further
/// one, up to a minute. A crash does not stop a loop, but the loop must not spin.
pub fn backoff(crashes: u32) -> Duration {
    match crashes.checked_sub(1) {
        None => Duration::ZERO,
        Some(doublings) => 2_u32.checked_pow(doublings).map_or(MAX_DELAY, |factor| {
            FIRST.checked_mul(factor).map_or(MAX_DELAY, |delay| delay.min(MAX_DELAY))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_minute() {
        let seconds: Vec<u64> = (0..10).map(|crashes| backoff(crashes).as_secs()).collect();
        assert_eq!(seconds, [0, 1, 2, 4, 8, 16, 32, 60, 60, 60]);
        assert_eq!(backoff(u32::MAX), MAX_DELAY);
    }
}
