//! The time without progress of an agent, computed from the times of its events.

use std::time::Duration;

/// An announced wait is excused up to this time. An agent that announces a longer one is ended:
/// forkhestra can wait without a process.
pub(super) const MAX_DELAY: Duration = Duration::from_secs(10 * 60);

/// The time of the last progress, and the announced waits since. All times are relative to the
/// start of the agent.
#[derive(Debug, Default)]
pub(super) struct ProgressTimes {
    last_progress: Duration,
    /// How often the agent made progress.
    advances: u64,
    /// Announced waits since the last progress that are over or were replaced.
    waited: Duration,
    /// Start and end of the last announced wait.
    wait: Option<(Duration, Duration)>,
}

impl ProgressTimes {
    pub(super) fn advance(&mut self, now: Duration) {
        let advances = self.advances.saturating_add(1);
        *self = Self { last_progress: now, advances, ..Self::default() };
    }

    pub(super) const fn advances(&self) -> u64 {
        self.advances
    }

    /// Records an announced wait. Waits do not overlap, so the previous one ends here.
    pub(super) fn wait(&mut self, now: Duration, delay: Duration) {
        self.waited = self.waited(now);
        self.wait = Some((now, now.saturating_add(delay.min(MAX_DELAY))));
    }

    /// The time since the last progress without announced waits.
    pub(super) fn since_progress(&self, now: Duration) -> Duration {
        self.since_any_progress(now).saturating_sub(self.waited(now))
    }

    /// The time since the last progress, waits included.
    pub(super) const fn since_any_progress(&self, now: Duration) -> Duration {
        now.saturating_sub(self.last_progress)
    }

    /// The elapsed part of the announced waits.
    fn waited(&self, now: Duration) -> Duration {
        let last =
            self.wait.map_or(Duration::ZERO, |(begin, end)| now.min(end).saturating_sub(begin));
        self.waited.saturating_add(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    /// Announces waits (start and length in seconds) and returns the time without progress.
    fn since_progress(waits: &[(u64, u64)], now: u64) -> u64 {
        let mut times = ProgressTimes::default();
        times.advance(seconds(100));
        for (begin, delay) in waits {
            times.wait(seconds(*begin), seconds(*delay));
        }
        assert_eq!(times.since_any_progress(seconds(now)), seconds(now - 100));
        times.since_progress(seconds(now)).as_secs()
    }

    #[test]
    fn only_time_that_passed_in_an_announced_wait_is_left_out() {
        for (waits, now, expected) in [
            (&[][..], 130, 30),
            // Time before and after a wait counts, time during it does not.
            (&[(110, 30)], 110, 10),
            (&[(110, 30)], 120, 10),
            (&[(110, 30)], 140, 10),
            (&[(110, 30)], 150, 20),
            // A replaced wait was not waited to its end.
            (&[(110, 500), (120, 10)], 140, 20),
            (&[(110, 5), (120, 5)], 130, 20),
            // No wait is excused beyond the limit.
            (&[(110, 3600)], 710, 10),
            (&[(110, 3600)], 3710, 3010),
            (&[(110, u64::MAX)], 1710, 1010),
        ] {
            assert_eq!(since_progress(waits, now), expected, "{waits:?} at {now}");
        }
    }

    #[test]
    fn progress_ends_a_wait() {
        let mut times = ProgressTimes::default();
        times.wait(seconds(0), seconds(600));
        times.advance(seconds(10));
        assert_eq!((times.since_progress(seconds(70)), times.advances()), (seconds(60), 1));
    }
}
