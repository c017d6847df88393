//! The view of the operator's requests to a run.

use forkhestra_core::history::{Liveness, MessageRecord, RunHistory};
use serde::Serialize;

/// The operator's requests to a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SteeringView {
    /// `None` if the run is not paused.
    pub paused_since: Option<String>,
    /// When a stop after the current iteration was requested, also for a run that has ended since.
    pub stop_requested_at: Option<String>,
    /// The operator's messages, in order.
    pub messages: Vec<MessageRecord>,
}

impl SteeringView {
    /// The view of a history. A killed run is never paused.
    pub fn of(history: &RunHistory, liveness: Liveness) -> Self {
        let steering = &history.steering;
        let paused = steering.paused.filter(|_| liveness == Liveness::Alive);
        Self {
            paused_since: paused.map(|timestamp| timestamp.to_string()),
            stop_requested_at: steering.stop_requested.map(|timestamp| timestamp.to_string()),
            messages: steering.messages.clone(),
        }
    }
}
