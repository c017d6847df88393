//! The wait for an agent's provider.

use std::time::Duration;

use crate::event::{AgentOutcome, OutcomeClass};
use crate::limit::{HumanDuration, Limit};
use crate::time::Timestamp;

const FIRST: Duration = Duration::from_secs(30);
const MAX_OVERLOAD_DELAY: Duration = Duration::from_secs(10 * 60);
const MAX_UNKNOWN_RESET_DELAY: Duration = Duration::from_secs(15 * 60);

/// Margin behind a reset time, since limits are not reset everywhere in the same second.
const RESET_MARGIN: Duration = Duration::from_secs(30);

/// The wait from now on, after this many consecutive postponed attempts.
///
/// A usage limit is awaited until its reset, or for a quarter of an hour if the reset is unknown;
/// an overload for half a minute. An attempt that is postponed again after the wait makes the next
/// wait longer, so that a wrong reset time does not make the loop spin.
pub fn provider_wait_time(outcome: &AgentOutcome, postponed: u32, now: Timestamp) -> Duration {
    match (outcome.class, after_reset(outcome)) {
        (OutcomeClass::UsageLimit, Some(reset)) => {
            reset.saturating_since(now).max(doubled(postponed, MAX_UNKNOWN_RESET_DELAY))
        }
        (OutcomeClass::UsageLimit, None) => MAX_UNKNOWN_RESET_DELAY,
        _ => doubled(postponed, MAX_OVERLOAD_DELAY),
    }
}

/// When a usage limit should no longer hold, if known.
pub fn after_reset(outcome: &AgentOutcome) -> Option<Timestamp> {
    outcome.resets.map(|reset| reset.saturating_add(RESET_MARGIN))
}

/// Whether the total wait exceeds the limit.
pub fn is_too_long(waited: Duration, limit: Limit<HumanDuration>) -> bool {
    matches!(limit, Limit::At(limit) if waited > limit.duration())
}

fn doubled(postponed: u32, longest: Duration) -> Duration {
    let factor = 2_u32.checked_pow(postponed.saturating_sub(1)).unwrap_or(u32::MAX);
    FIRST.checked_mul(factor).map_or(longest, |wait| wait.min(longest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_milliseconds(1_000_000);

    fn usage_limit(resets_in: Option<i64>) -> AgentOutcome {
        let reset = |seconds| Timestamp::from_milliseconds(1_000_000 + 1000 * seconds);
        AgentOutcome { resets: resets_in.map(reset), ..AgentOutcome::of(OutcomeClass::UsageLimit) }
    }

    fn seconds(outcome: &AgentOutcome, postponed: impl IntoIterator<Item = u32>) -> Vec<u64> {
        postponed
            .into_iter()
            .map(|postponed| provider_wait_time(outcome, postponed, NOW).as_secs())
            .collect()
    }

    #[test]
    fn a_usage_limit_is_waited_for_until_half_a_minute_after_its_reset() {
        assert_eq!(seconds(&usage_limit(Some(3600)), 1..4), [3630, 3630, 3630]);
    }

    #[test]
    fn a_reset_that_does_not_help_makes_waits_longer() {
        let expected = [30, 60, 120, 240, 480, 900, 900];
        for passed in [-7200, -30, 0] {
            assert_eq!(seconds(&usage_limit(Some(passed)), 1..8), expected, "{passed}");
        }
        assert_eq!(seconds(&usage_limit(Some(0)), [u32::MAX]), [900]);
    }

    #[test]
    fn an_unknown_reset_time_is_waited_for_with_backoff() {
        assert_eq!(seconds(&usage_limit(None), [1, 2, 9]), [900, 900, 900]);
    }

    #[test]
    fn waits_for_an_overload_double_up_to_ten_minutes() {
        let outcome = AgentOutcome::of(OutcomeClass::Overloaded);
        assert_eq!(seconds(&outcome, 1..8), [30, 60, 120, 240, 480, 600, 600]);
    }

    #[test]
    fn a_wait_as_long_as_the_limit_is_not_too_long() {
        let minute = Limit::At(HumanDuration::from_secs(60));
        assert!(!is_too_long(Duration::from_secs(60), minute));
        assert!(is_too_long(Duration::from_millis(60_001), minute));
        assert!(!is_too_long(Duration::MAX, Limit::Off));
    }
}
