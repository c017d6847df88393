//! Linux: CLOCK_MONOTONIC stops while the host sleeps, CLOCK_BOOTTIME does not.

use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

/// How long the host has been awake since it was booted.
pub(super) fn awake() -> Duration {
    duration(clock_gettime(ClockId::Monotonic))
}

/// How long the host has been asleep since it was booted.
pub(super) fn asleep() -> Duration {
    duration(clock_gettime(ClockId::Boottime)).saturating_sub(awake())
}

fn duration(time: Timespec) -> Duration {
    Duration::try_from(time).unwrap_or_default()
}
