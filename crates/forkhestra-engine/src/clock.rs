//! The clocks of this machine.

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

/// A sleep that is shorter than this is not worth a word.
const WORTH_NOTING: Duration = Duration::from_secs(2);

/// Knows how long the machine has slept.
#[derive(Debug)]
pub(crate) struct SleepClock {
    asleep: Duration,
}

impl SleepClock {
    pub(crate) fn start() -> Self {
        Self { asleep: system::asleep() }
    }

    /// How long the machine has slept since the last time we asked, if it is worth noting.
    pub(crate) fn slept(&mut self) -> Option<Duration> {
        let asleep = system::asleep();
        let since = asleep.saturating_sub(self.asleep);
        (since >= WORTH_NOTING).then(|| {
            self.asleep = asleep;
            since
        })
    }
}

/// What the clocks show.
pub fn now() -> Now {
    let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let milliseconds = i64::try_from(wall.as_millis()).unwrap_or(i64::MAX);
    Now { awake: system::awake(), wall: Timestamp::from_milliseconds(milliseconds) }
}
