//! The clocks of the host: current time and time asleep.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use forkhestra_core::machine::Now;
use forkhestra_core::time::Timestamp;

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
mod other;
#[cfg(not(target_os = "linux"))]
use other as system;

/// Shorter sleeps are not reported.
const MIN_REPORTED_SLEEP: Duration = Duration::from_secs(2);

/// Measures how long the host has been suspended.
#[derive(Debug)]
pub(crate) struct SleepClock {
    asleep: Duration,
}

impl SleepClock {
    pub(crate) fn start() -> Self {
        Self { asleep: system::asleep() }
    }

    /// The time the host was suspended since the last report, if it is at least [`MIN_REPORTED_SLEEP`].
    pub(crate) fn slept(&mut self) -> Option<Duration> {
        let asleep = system::asleep();
        let since = asleep.saturating_sub(self.asleep);
        (since >= MIN_REPORTED_SLEEP).then(|| {
            self.asleep = asleep;
            since
        })
    }
}

/// The current time of the awake clock and of the wall clock.
pub fn now() -> Now {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let milliseconds = i64::try_from(wall.as_millis()).unwrap_or(i64::MAX);
    Now { awake: system::awake(), wall: Timestamp::from_milliseconds(milliseconds) }
}
