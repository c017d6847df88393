//! What can be asked of a pump at any time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a pump is doing, for those who wonder whether an agent is idle.
#[derive(Debug)]
pub struct PumpGauge {
    origin: Instant,
    bytes: AtomicU64,
    /// Nanoseconds after the origin.
    last_activity: AtomicU64,
    is_blocked: AtomicBool,
}

impl PumpGauge {
    pub(super) fn new() -> Self {
        Self {
            origin: Instant::now(),
            bytes: AtomicU64::new(0),
            last_activity: AtomicU64::new(0),
            is_blocked: AtomicBool::new(false),
        }
    }

    /// How many bytes have arrived since the pump was started, over all its jobs.
    pub fn bytes(&self) -> u64 {
        // Paired with `arrived`: who sees bytes also sees that they are in hand.
        self.bytes.load(Ordering::Acquire)
    }

    /// When the pump last got rid of bytes that had arrived, or when it was started. Time in which
    /// it [is blocked](Self::is_blocked) is thus no silence of the agent.
    pub fn last_activity(&self) -> Instant {
        self.origin + Duration::from_nanos(self.last_activity.load(Ordering::Relaxed))
    }

    /// Whether the pump has bytes in hand right now. If that lasts, the outlet or the log does not
    /// take them, and it is we who hold the agent up.
    pub fn is_blocked(&self) -> bool {
        // Paired with the store in `passed_on`: who sees the end also sees when it was.
        self.is_blocked.load(Ordering::Acquire)
    }

    pub(super) fn arrived(&self, bytes: usize) {
        self.is_blocked.store(true, Ordering::Relaxed);
        self.bytes.fetch_add(bytes as u64, Ordering::Release);
    }

    pub(super) fn passed_on(&self) {
        let nanoseconds = u64::try_from(self.origin.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.last_activity.store(nanoseconds, Ordering::Relaxed);
        self.is_blocked.store(false, Ordering::Release);
    }
}
