//! The progress and the running tools of an agent. They can be read at any time.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::progress_times::ProgressTimes;

/// The last progress and the running tools of an agent whose stream is understood.
///
/// Two threads write it, one for each stream of the agent. The values are independent, so the order
/// in which another thread sees them does not matter.
#[derive(Debug)]
pub struct ProgressGauge {
    started: Instant,
    is_understood: AtomicBool,
    times: Mutex<ProgressTimes>,
    /// Calls in the stream without a result.
    open_calls: AtomicU32,
    /// Running tools of an agent whose stream reports calls only with their results.
    reported_tools: AtomicU32,
}

impl Default for ProgressGauge {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            is_understood: AtomicBool::new(false),
            times: Mutex::default(),
            open_calls: AtomicU32::new(0),
            reported_tools: AtomicU32::new(0),
        }
    }
}

impl ProgressGauge {
    /// Whether anything was understood. Until then the agent may be any program.
    pub fn is_understood(&self) -> bool {
        self.is_understood.load(Ordering::Relaxed)
    }

    /// Whether a tool runs.
    pub fn is_tool_running(&self) -> bool {
        [&self.open_calls, &self.reported_tools]
            .iter()
            .any(|tools| tools.load(Ordering::Relaxed) > 0)
    }

    /// How often the agent made progress.
    pub fn advances(&self) -> u64 {
        self.times().advances()
    }

    /// The time since the last progress without the waits that the agent announced, which end by
    /// themselves. Of a single wait at most 10 minutes are excluded.
    pub fn since_progress(&self) -> Duration {
        self.times().since_progress(self.started.elapsed())
    }

    /// The time since the last progress, waits included.
    pub(super) fn since_any_progress(&self) -> Duration {
        self.times().since_any_progress(self.started.elapsed())
    }

    pub(super) fn mark_understood(&self) {
        self.is_understood.store(true, Ordering::Relaxed);
    }

    /// Records progress.
    pub(super) fn advance(&self) {
        self.times().advance(self.started.elapsed());
    }

    /// Records a wait that the agent announced before a retry.
    pub(super) fn wait(&self, delay: Duration) {
        self.times().wait(self.started.elapsed(), delay);
    }

    pub(super) fn set_open_calls(&self, calls: usize) {
        self.open_calls.store(u32::try_from(calls).unwrap_or(u32::MAX), Ordering::Relaxed);
    }

    pub(super) fn set_reported_tools(&self, tools: u32) {
        self.reported_tools.store(tools, Ordering::Relaxed);
    }

    fn times(&self) -> MutexGuard<'_, ProgressTimes> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
