//! How long the guard waits for a runner that was requested to end.

use std::time::{Duration, Instant};

use forkhestra_core::event::CancelCause;

/// The timeout after the first request. The runner's agents and final hooks have grace periods;
/// this is longer than all of them together.
const FIRST_REQUEST_TIMEOUT: Duration = Duration::from_secs(120);

/// The timeout after a second request. A runner then ends at once, unless it is blocked in a write
/// to a reader that does not read.
const SECOND_REQUEST_TIMEOUT: Duration = Duration::from_secs(2);

/// The requests to end and their timeout.
#[derive(Debug, Default)]
pub(super) struct GuardTimeout {
    /// The strongest request, which the runner reports as well.
    cause: Option<CancelCause>,
    is_repeated: bool,
    since: Option<Instant>,
}

impl GuardTimeout {
    /// Records a request to end. Further requests after the second do not extend the timeout.
    pub(super) fn end_requested(&mut self, by: CancelCause, now: Instant) {
        let is_repeated = by.is_urgent_after(self.cause);
        if self.cause.is_none() || (is_repeated && !self.is_repeated) {
            self.since = Some(now);
        }
        self.is_repeated |= is_repeated;
        self.cause = self.cause.max(Some(by));
    }

    /// Restarts the timeout after all processes were stopped.
    pub(super) fn restart(&mut self, now: Instant) {
        self.since = self.since.map(|_| now);
    }

    /// The time by which the runner must have ended.
    pub(super) fn deadline(&self) -> Option<Instant> {
        Some(
            self.since?
                + if self.is_repeated { SECOND_REQUEST_TIMEOUT } else { FIRST_REQUEST_TIMEOUT },
        )
    }

    /// Returns the cause of the request once after the timeout has expired.
    pub(super) fn take_expired(&mut self, now: Instant) -> Option<CancelCause> {
        if self.deadline()? > now {
            return None;
        }
        self.since = None;
        self.is_repeated = true;
        self.cause
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guard_timeout_starts_only_after_a_request() {
        let mut guard_timeout = GuardTimeout::default();
        guard_timeout.restart(Instant::now());
        assert_eq!(guard_timeout.deadline(), None);
        assert_eq!(guard_timeout.take_expired(Instant::now()), None);
    }

    #[test]
    fn a_second_request_shortens_the_timeout_and_further_ones_do_not_lengthen_it() {
        let start = Instant::now();
        let second = start + Duration::from_secs(1);
        let mut guard_timeout = GuardTimeout::default();
        guard_timeout.end_requested(CancelCause::Interrupt, start);
        assert_eq!(guard_timeout.deadline(), Some(start + FIRST_REQUEST_TIMEOUT));
        guard_timeout.end_requested(CancelCause::Interrupt, second);
        guard_timeout.end_requested(CancelCause::Interrupt, second + SECOND_REQUEST_TIMEOUT / 2);
        assert_eq!(guard_timeout.deadline(), Some(second + SECOND_REQUEST_TIMEOUT));
    }

    #[test]
    fn a_repeated_hangup_does_not_shorten_the_timeout() {
        let start = Instant::now();
        let mut guard_timeout = GuardTimeout::default();
        guard_timeout.end_requested(CancelCause::Hangup, start);
        guard_timeout.end_requested(CancelCause::Hangup, start + SECOND_REQUEST_TIMEOUT);
        assert_eq!(guard_timeout.deadline(), Some(start + FIRST_REQUEST_TIMEOUT));
    }

    #[test]
    fn the_timeout_expires_once_with_the_strongest_cause() {
        let start = Instant::now();
        let mut guard_timeout = GuardTimeout::default();
        guard_timeout.end_requested(CancelCause::Terminate, start);
        guard_timeout.end_requested(CancelCause::Interrupt, start);
        assert_eq!(guard_timeout.take_expired(start), None);
        assert_eq!(
            guard_timeout.take_expired(start + SECOND_REQUEST_TIMEOUT),
            Some(CancelCause::Terminate)
        );
        assert_eq!(guard_timeout.take_expired(start + SECOND_REQUEST_TIMEOUT), None);
        assert_eq!(guard_timeout.deadline(), None);
    }

    #[test]
    fn a_pause_stops_the_guard_timeout() {
        let start = Instant::now();
        let later = start + Duration::from_secs(3600);
        let mut guard_timeout = GuardTimeout::default();
        guard_timeout.end_requested(CancelCause::Hangup, start);
        guard_timeout.restart(later);
        assert_eq!(guard_timeout.take_expired(later), None);
        assert_eq!(
            guard_timeout.take_expired(later + FIRST_REQUEST_TIMEOUT),
            Some(CancelCause::Hangup)
        );
    }
}
