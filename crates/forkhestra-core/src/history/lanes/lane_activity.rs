//! What a lane does.

use std::time::Duration;

use crate::history::RunActivity;
use crate::id::{LaneNumber, UnitId};

/// What a lane does, and with which iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneActivity {
    pub number: LaneNumber,
    /// What its agent or its checks do.
    pub activity: RunActivity,
    /// Its current or last iteration.
    pub unit: Option<UnitId>,
    /// Since when its work waits for its landing, on the run's clock.
    pub queued: Option<Duration>,
    /// Consecutive refusals of the work that it holds.
    pub refusals: u32,
}

impl LaneActivity {
    pub(super) const fn idle(number: LaneNumber) -> Self {
        Self { number, activity: RunActivity::Idle, unit: None, queued: None, refusals: 0 }
    }

    /// Whether its agent runs.
    pub const fn has_running_agent(&self) -> bool {
        matches!(self.activity, RunActivity::AgentRunning { .. })
    }
}
