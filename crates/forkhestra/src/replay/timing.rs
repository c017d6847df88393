//! The timing of a replay.

use std::thread;
use std::time::{Duration, Instant};

use forkhestra_core::plan::ReplaySpeed;

/// Waits until output is due that was printed at `at` after the agent's start.
pub(super) fn wait_until(began: Instant, at: Duration, speed: ReplaySpeed) {
    thread::sleep(due(at, speed).saturating_sub(began.elapsed()));
}

/// When output is due that was printed at `at` after the agent's start.
pub(super) fn due(at: Duration, speed: ReplaySpeed) -> Duration {
    match speed {
        ReplaySpeed::Max => Duration::ZERO,
        ReplaySpeed::Hundredths(hundredths) => at.saturating_mul(100) / hundredths.get(),
    }
}
