//! The state of a pump that can be read at any time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The activity of a pump, used to detect idle agents.
#[derive(Debug)]
pub struct PumpGauge {
    origin: Instant,
    bytes: AtomicU64,
    /// Nanoseconds since the origin.
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

    /// The bytes that have arrived since the pump was started, over all its jobs.
    pub fn bytes(&self) -> u64 {
        // Paired with `arrived`: a thread that sees the count also sees `is_blocked`.
        self.bytes.load(Ordering::Acquire)
    }

    /// When the pump last passed on bytes, or when it was started. Time in which it [is
    /// blocked](Self::is_blocked) thus does not count as silence of the agent.
    pub fn last_activity(&self) -> Instant {
        self.origin + Duration::from_nanos(self.last_activity.load(Ordering::Relaxed))
    }

    /// Whether the pump holds bytes right now. If that lasts, the sink or the log is slow and
    /// blocks the agent.
    pub fn is_blocked(&self) -> bool {
        // Paired with the store in `passed_on`: a thread that sees the end also sees its time.
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
