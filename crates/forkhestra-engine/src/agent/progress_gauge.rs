//! When an agent last made progress, and whether a tool of it runs. It can be asked at any time.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::progress_times::ProgressTimes;

/// When an agent whose stream is understood last made progress, and whether a tool of it runs.
///
/// Two threads write it, one for each stream of the agent. Each value stands for itself, so nothing
/// depends on the order in which another thread sees them.
#[derive(Debug)]
pub struct ProgressGauge {
    started: Instant,
    is_understood: AtomicBool,
    times: Mutex<ProgressTimes>,
    /// Calls in the stream that have no result yet.
    open_calls: AtomicU32,
    /// Tools that run, of an agent that does not show calls in its stream before they have a result.
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

    /// Time since the last progress without the time in waits that the agent announced: those are known,
    /// and they end by themselves. Of a single wait at most 10 minutes are left out.
    pub fn since_progress(&self) -> Duration {
        self.times().since_progress(self.started.elapsed())
    }

    /// Time since the last progress, waits included.
    pub(super) fn since_any_progress(&self) -> Duration {
        self.times().since_any_progress(self.started.elapsed())
    }

    pub(super) fn mark_understood(&self) {
        self.is_understood.store(true, Ordering::Relaxed);
    }

    /// The agent makes progress now.
    pub(super) fn advance(&self) {
        self.times().advance(self.started.elapsed());
    }

    /// The agent says that it waits for so long before it asks again.
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
