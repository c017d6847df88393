//! What people asked of a run while it went on.

use forkhestra_core::history::{Liveness, MessageRecord, RunHistory};
use forkhestra_core::id::UnitId;
use serde::Serialize;

/// What people asked of a run while it went on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SteeringView {
    /// Since when it stands still; none if it does not.
    pub paused_since: Option<String>,
    /// Since when somebody wants it to end after the iteration at work, or wanted it before it ended.
    pub stop_requested_at: Option<String>,
    /// What somebody had to say to agents, in order.
    pub messages: Vec<MessageView>,
}

/// Something that somebody had to say to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageView {
    /// Its number in the run, from one.
    pub number: u32,
    /// What it says.
    pub text: String,
    /// When it was said.
    pub at: String,
    /// The agent that was told; none while it waits for one.
    pub given: Option<UnitId>,
}

impl SteeringView {
    /// What a history says of it. Of a run that was killed, nothing stands still any more.
    pub fn of(history: &RunHistory, liveness: Liveness) -> Self {
        let steering = &history.steering;
        let paused = steering.paused.filter(|_| liveness == Liveness::Alive);
        Self {
            paused_since: paused.map(|moment| moment.to_string()),
            stop_requested_at: steering.stop_requested.map(|moment| moment.to_string()),
            messages: steering.messages.iter().map(MessageView::of).collect(),
        }
    }
}

impl MessageView {
    fn of(record: &MessageRecord) -> Self {
        Self {
            number: record.number,
            text: record.text.clone(),
            at: record.at.to_string(),
            given: record.given,
        }
    }
}
