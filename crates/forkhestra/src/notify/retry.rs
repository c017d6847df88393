//! Retry policy for the delivery of notifications.

use std::time::Duration;

/// The result of a delivery attempt.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DeliveryAttempt {
    Delivered,
    /// May succeed later: the reason, and the delay that the service requests.
    Retry(String, Option<Duration>),
    /// Will never succeed.
    Failed(String),
}

/// Pauses after each attempt but the last.
const RETRY_DELAYS: [Duration; 3] =
    [Duration::from_secs(1), Duration::from_secs(4), Duration::from_secs(16)];

/// Upper bound for the delay that a service requests.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(60);

/// The pause after this many attempts; `None` if there is no further attempt.
pub(super) fn pause_after(attempts: usize, wanted: Option<Duration>) -> Option<Duration> {
    let own_delay = *RETRY_DELAYS.get(attempts.checked_sub(1)?)?;
    Some(wanted.map_or(own_delay, |wanted| wanted.min(MAX_RETRY_AFTER)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_four_attempts_and_retry_after_is_obeyed() {
        let seconds = Duration::from_secs;
        let pauses: Vec<_> = (1..=4).map(|attempts| pause_after(attempts, None)).collect();
        assert_eq!(pauses, [Some(seconds(1)), Some(seconds(4)), Some(seconds(16)), None]);
        assert_eq!(pause_after(1, Some(seconds(7))), Some(seconds(7)));
        assert_eq!(pause_after(3, Some(seconds(0))), Some(seconds(0)));
        assert_eq!(pause_after(2, Some(seconds(3600))), Some(seconds(60)));
        assert_eq!(pause_after(4, Some(seconds(1))), None);
    }
}
