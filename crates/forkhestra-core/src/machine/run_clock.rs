//! The run's own clock, which stands still while the run is paused.

use std::time::Duration;

use crate::time::Timestamp;

/// A moment, as the caller's clocks show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Time the machine has been awake, counted from anywhere.
    pub awake: Duration,
    /// The calendar.
    pub wall: Timestamp,
}

/// Turns the caller's clock into the time a run has been running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RunClock {
    /// The run had run for `elapsed` at the moment `since`.
    Running { elapsed: Duration, since: Duration },
    /// The run has run for `elapsed` and stands still.
    Paused { elapsed: Duration },
}

impl RunClock {
    pub(super) const fn start(elapsed: Duration, now: Now) -> Self {
        Self::Running { elapsed, since: now.awake }
    }

    /// How long the run has been running, in whole milliseconds, as it is recorded.
    pub(super) fn elapsed(&self, now: Now) -> Duration {
        match self {
            Self::Running { elapsed, since } => {
                whole_milliseconds(*elapsed + now.awake.saturating_sub(*since))
            }
            Self::Paused { elapsed } => *elapsed,
        }
    }

    /// When the run will have run for so long; never, as long as it stands still. Rounded up to the
    /// milliseconds we count in, so that what is due is due when somebody comes to look.
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
