//! How often somebody is tried to be reached, and when again.

use std::time::Duration;

/// What came of trying to reach somebody.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum DeliveryAttempt {
    /// They were told.
    Delivered,
    /// It may work the next time; why it did not, and when they want to be asked again, if they say so.
    Retry(String, Option<Duration>),
    /// It will never work.
    Failed(String),
}

/// How long to wait after each attempt but the last.
const PAUSES: [Duration; 3] =
    [Duration::from_secs(1), Duration::from_secs(4), Duration::from_secs(16)];

/// Nobody is waited for longer, whatever they say.
const LONGEST: Duration = Duration::from_secs(60);

/// How long to wait after so many attempts, if it is worth another one.
pub(super) fn pause_after(attempts: usize, wanted: Option<Duration>) -> Option<Duration> {
    let ours = *PAUSES.get(attempts.checked_sub(1)?)?;
    Some(wanted.map_or(ours, |wanted| wanted.min(LONGEST)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_four_attempts_and_whoever_names_a_time_is_obeyed() {
        let seconds = Duration::from_secs;
        let pauses: Vec<_> = (1..=4).map(|attempts| pause_after(attempts, None)).collect();
        assert_eq!(pauses, [Some(seconds(1)), Some(seconds(4)), Some(seconds(16)), None]);
        assert_eq!(pause_after(1, Some(seconds(7))), Some(seconds(7)));
        assert_eq!(pause_after(3, Some(seconds(0))), Some(seconds(0)));
        assert_eq!(pause_after(2, Some(seconds(3600))), Some(seconds(60)));
        assert_eq!(pause_after(4, Some(seconds(1))), None);
    }
}
