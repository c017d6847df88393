//! How long the guard waits for a runner that was requested to end.

use std::time::{Duration, Instant};

use forkhestra_core::event::CancelCause;

/// The timeout after the first request. The runner's agents and final hooks have grace periods;
/// this is longer than all of them together.
const AFTER_ONE: Duration = Duration::from_secs(120);

/// The timeout after a second request. A runner then ends at once, unless it is blocked in a write
/// to a reader that does not read.
const AFTER_TWO: Duration = Duration::from_secs(2);

/// The requests to end and their timeout.
#[derive(Debug, Default)]
pub(super) struct GuardTimeout {
    /// The strongest request, which the runner reports as well.
    by: Option<CancelCause>,
    again: bool,
    since: Option<Instant>,
}

impl GuardTimeout {
    /// Records a request to end. Further requests after the second do not extend the timeout.
    pub(super) fn end_requested(&mut self, by: CancelCause, now: Instant) {
        let insists = by.is_urgent_after(self.by);
        if self.by.is_none() || (insists && !self.again) {
            self.since = Some(now);
        }
        self.again |= insists;
        self.by = self.by.max(Some(by));
    }

    /// Restarts the timeout after all processes were stopped.
    pub(super) fn restart(&mut self, now: Instant) {
        self.since = self.since.map(|_| now);
    }

    /// The time by which the runner must have ended.
    pub(super) fn deadline(&self) -> Option<Instant> {
        Some(self.since? + if self.again { AFTER_TWO } else { AFTER_ONE })
    }

    /// Returns the cause of the request once after the timeout has expired.
    pub(super) fn take_expired(&mut self, now: Instant) -> Option<CancelCause> {
        if self.deadline()? > now {
            return None;
        }
        self.since = None;
        self.again = true;
        self.by
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_waits_for_what_nobody_asked_for() {
        let mut impatience = GuardTimeout::default();
        impatience.restart(Instant::now());
        assert_eq!(impatience.deadline(), None);
        assert_eq!(impatience.take_expired(Instant::now()), None);
    }

    #[test]
    fn asking_twice_shortens_the_wait_and_asking_more_often_does_not_lengthen_it() {
        let start = Instant::now();
        let second = start + Duration::from_secs(1);
        let mut impatience = GuardTimeout::default();
        impatience.end_requested(CancelCause::Interrupt, start);
        assert_eq!(impatience.deadline(), Some(start + AFTER_ONE));
        impatience.end_requested(CancelCause::Interrupt, second);
        impatience.end_requested(CancelCause::Interrupt, second + AFTER_TWO / 2);
        assert_eq!(impatience.deadline(), Some(second + AFTER_TWO));
    }

    #[test]
    fn a_terminal_that_is_closed_does_not_insist() {
        let start = Instant::now();
        let mut impatience = GuardTimeout::default();
        impatience.end_requested(CancelCause::Hangup, start);
        impatience.end_requested(CancelCause::Hangup, start + AFTER_TWO);
        assert_eq!(impatience.deadline(), Some(start + AFTER_ONE));
    }

    #[test]
    fn it_is_over_once_and_by_the_strongest_request() {
        let start = Instant::now();
        let mut impatience = GuardTimeout::default();
        impatience.end_requested(CancelCause::Terminate, start);
        impatience.end_requested(CancelCause::Interrupt, start);
        assert_eq!(impatience.take_expired(start), None);
        assert_eq!(impatience.take_expired(start + AFTER_TWO), Some(CancelCause::Terminate));
        assert_eq!(impatience.take_expired(start + AFTER_TWO), None);
        assert_eq!(impatience.deadline(), None);
    }

    #[test]
    fn a_pause_costs_no_time() {
        let start = Instant::now();
        let later = start + Duration::from_secs(3600);
        let mut impatience = GuardTimeout::default();
        impatience.end_requested(CancelCause::Hangup, start);
        impatience.restart(later);
        assert_eq!(impatience.take_expired(later), None);
        assert_eq!(impatience.take_expired(later + AFTER_ONE), Some(CancelCause::Hangup));
    }
}
