//! Fallback with one clock: time asleep is not distinguished from time awake.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// The time since the first call.
pub(super) fn awake() -> Duration {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    ORIGIN.get_or_init(Instant::now).elapsed()
}

/// Always zero: the time asleep is unknown.
pub(super) fn asleep() -> Duration {
    Duration::ZERO
}
