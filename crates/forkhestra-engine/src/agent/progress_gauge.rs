//! When an agent last made progress, and whether a tool of it runs. It can be asked at any time.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// When an agent whose stream is understood last made progress, and whether a tool of it runs.
///
/// Two threads write it, one for each stream of the agent. Each value stands for itself, so nothing
/// depends on the order in which another thread sees them.
#[derive(Debug)]
pub struct ProgressGauge {
    started: Instant,
    is_understood: AtomicBool,
    /// Milliseconds after the start.
    last_progress: AtomicU64,
    /// Milliseconds since the last progress in which the agent waits as it has said.
    announced_waits: AtomicU64,
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
            last_progress: AtomicU64::new(0),
            announced_waits: AtomicU64::new(0),
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

    /// Time since the last progress, but for waits that the agent has announced: those are known, and
    /// they end by themselves.
    pub fn since_progress(&self) -> Duration {
        let waits = Duration::from_millis(self.announced_waits.load(Ordering::Relaxed));
        self.since_any_progress().saturating_sub(waits)
    }

    /// Time since the last progress, waits included.
    pub(super) fn since_any_progress(&self) -> Duration {
        let last = Duration::from_millis(self.last_progress.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(last)
    }

    pub(super) fn understand(&self) {
        self.is_understood.store(true, Ordering::Relaxed);
    }

    /// The agent makes progress now.
    pub(super) fn advance(&self) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_progress.store(now, Ordering::Relaxed);
        self.announced_waits.store(0, Ordering::Relaxed);
    }

    /// The agent says that it waits for so long before it asks again.
    pub(super) fn wait(&self, delay: Duration) {
        let delay = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        let waits = self.announced_waits.load(Ordering::Relaxed);
        self.announced_waits.store(waits.saturating_add(delay), Ordering::Relaxed);
    }

    pub(super) fn set_open_calls(&self, calls: usize) {
        self.open_calls.store(u32::try_from(calls).unwrap_or(u32::MAX), Ordering::Relaxed);
    }

    pub(super) fn set_reported_tools(&self, tools: u32) {
        self.reported_tools.store(tools, Ordering::Relaxed);
    }
}
