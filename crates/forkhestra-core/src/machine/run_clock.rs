//! The run's own clock, which stops while the run is paused.

use std::time::Duration;

use crate::time::Timestamp;

/// A point in time on the caller's clocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Time the host has been awake, from an arbitrary origin.
    pub awake: Duration,
    /// Wall-clock time.
    pub wall: Timestamp,
}

/// Converts the caller's clock into the time a run has been running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RunClock {
    /// The run had run for `elapsed` at the awake time `since`.
    Running { elapsed: Duration, since: Duration },
    /// The run has run for `elapsed` and is paused.
    Paused { elapsed: Duration },
}

impl RunClock {
    pub(super) const fn start(elapsed: Duration, now: Now) -> Self {
        Self::Running { elapsed, since: now.awake }
    }

    /// How long the run has been running, in whole milliseconds, as recorded.
    pub(super) fn elapsed(&self, now: Now) -> Duration {
        match self {
            Self::Running { elapsed, since } => {
                whole_milliseconds(*elapsed + now.awake.saturating_sub(*since))
            }
            Self::Paused { elapsed } => *elapsed,
        }
    }

    /// When the run will have run for `target`; never while it is paused. Rounded up to whole
    /// milliseconds, so that the deadline has passed when the caller wakes.
    pub(super) fn awake_at(&self, target: Duration) -> Option<Duration> {
        let target = whole_milliseconds(target + Duration::from_nanos(999_999));
        match self {
            Self::Running { elapsed, since } => Some(*since + target.saturating_sub(*elapsed)),
            Self::Paused { .. } => None,
        }
    }

    pub(super) fn pause(&mut self, now: Now) {
        *self = Self::Paused { elapsed: self.elapsed(now) };
    }

    pub(super) fn resume(&mut self, now: Now) {
        *self = Self::start(self.elapsed(now), now);
    }

    pub(super) const fn is_paused(&self) -> bool {
        matches!(self, Self::Paused { .. })
    }
}

pub(super) fn whole_milliseconds(duration: Duration) -> Duration {
    Duration::new(duration.as_secs(), duration.subsec_millis() * 1_000_000)
}
