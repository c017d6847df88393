//! Linux has a clock that stops while the machine sleeps, and one that does not.

use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

/// How long the machine has been awake.
pub(super) fn awake() -> Duration {
    duration(clock_gettime(ClockId::Monotonic))
}

/// How long the machine has been asleep since it was started.
pub(super) fn asleep() -> Duration {
    duration(clock_gettime(ClockId::Boottime)).saturating_sub(awake())
}

fn duration(time: Timespec) -> Duration {
    Duration::try_from(time).unwrap_or_default()
}
