//! The parsed stream of a simulated agent.

use std::time::Duration;

use super::samples::marker_match;
use crate::cost::Spend;
use crate::event::{AgentActivity, AgentOutcome, OutcomeClass, StreamSummary};
use crate::id::UnitId;
use crate::machine::Input;
use crate::quota::{QuotaReading, QuotaWindow};
use crate::time::Timestamp;

/// A parsed stream. Times are milliseconds after the start of its agent.
#[derive(Debug, Clone)]
pub(crate) struct SimulatedStream {
    pub(crate) class: OutcomeClass,
    pub(crate) tool_calls: u32,
    /// In how many seconds a usage limit is reset.
    pub(crate) resets_in: Option<u64>,
    /// When it concludes, with a marker if the agent claims completion at its end.
    pub(crate) concludes_at: Option<u64>,
    pub(crate) goes_on_at: Option<u64>,
    /// When it reports that the agent cannot succeed.
    pub(crate) futile_at: Option<(u64, OutcomeClass)>,
    /// The total spend by time.
    pub(crate) spends: Vec<(u64, Spend)>,
    /// How full the windows of the account are.
    pub(crate) quotas: Vec<SimulatedQuota>,
}

/// How full a window of the account is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SimulatedQuota {
    pub(crate) reported_at: u64,
    pub(crate) window: QuotaWindow,
    pub(crate) used: u16,
    /// In how many seconds after the start of the agent the window ends.
    pub(crate) resets_in: u64,
}

impl SimulatedStream {
    /// A stream that ends in this way, after some work.
    pub(crate) fn of(class: OutcomeClass) -> Self {
        Self {
            class,
            tool_calls: 1,
            resets_in: None,
            concludes_at: None,
            goes_on_at: None,
            futile_at: None,
            spends: Vec::new(),
            quotas: Vec::new(),
        }
    }

    pub(crate) fn summary(&self, now: Timestamp) -> StreamSummary {
        let reset = |seconds| now.saturating_add(Duration::from_secs(seconds));
        StreamSummary {
            outcome: AgentOutcome {
                resets: self.resets_in.map(reset),
                ..AgentOutcome::of(self.class)
            },
            activity: AgentActivity { tool_calls: self.tool_calls, ..AgentActivity::default() },
        }
    }

    /// The inputs from the stream while its agent runs, and when.
    pub(crate) fn facts(&self, unit: UnitId, is_done: bool, now: Timestamp) -> Vec<(u64, Input)> {
        let mut facts = Vec::new();
        let spent = |(at, spend): &(u64, Spend)| (*at, Input::Spent { unit, spend: *spend });
        facts.extend(self.spends.iter().map(spent));
        facts.extend(self.quotas.iter().map(|quota| {
            let SimulatedQuota { reported_at, window, used, resets_in } = *quota;
            let resets = now.saturating_add(Duration::from_secs(resets_in));
            (
                reported_at,
                Input::QuotaReported { unit, reading: QuotaReading { window, used, resets } },
            )
        }));
        if let Some(at) = self.concludes_at {
            facts.push((at, Input::Concluded { unit, marker_match: is_done.then(marker_match) }));
        }
        facts.extend(self.goes_on_at.map(|at| (at, Input::WentOn { unit })));
        if let Some((at, class)) = self.futile_at {
            facts.push((at, Input::Futile { unit, outcome: AgentOutcome::of(class) }));
        }
        facts
    }
}
