//! Control requests to a running run, and its replies.
//!
//! A request is an input of the machine like any other: its consequence is an event, recorded
//! before it is acted upon and before the reply is sent.

use serde::{Deserialize, Serialize};

use crate::event::LimitChanges;
use crate::id::{LaneNumber, UnitId};

/// Longest operator message in bytes: it must fit into a prompt and into an environment variable,
/// together with others.
pub const MAX_MESSAGE_BYTES: usize = 16 * 1024;

/// Most messages that may wait for the next agent.
pub const MAX_MESSAGES: usize = 32;

/// Longest total of all waiting messages in bytes.
pub const MAX_QUEUED_BYTES: usize = 48 * 1024;

/// Longest text of all waiting messages as an agent gets them, with a prefix on each line. It has
/// to fit into an environment variable, or no agent could be started any more. The longest single
/// message fits, whatever its lines are.
pub const MAX_DELIVERED_BYTES: usize = 96 * 1024;

/// An operator's request to a run.
#[derive(Debug, Clone, PartialEq)]
pub enum ControlRequest {
    /// End after the current iteration.
    Stop,
    /// End now, including the running agent.
    StopNow,
    /// Pause agents and clocks.
    Pause,
    Continue,
    /// Send a message to the next agent.
    Tell {
        text: String,
        /// The lane whose next agent gets it; the next agent of any lane if none.
        lane: Option<LaneNumber>,
    },
    /// End the current step and begin the next one.
    Skip,
    /// End the repeated group around the current step, and continue after it.
    SkipGroup,
    Set(LimitChanges),
    /// Answer a question.
    Answer(AnswerRequest),
}

impl ControlRequest {
    /// A message to the next agent.
    pub fn tell(text: impl Into<String>) -> Self {
        Self::Tell { text: text.into(), lane: None }
    }
}

/// A person's answer to a question, with the step that asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerRequest {
    pub step: usize,
    /// The number of the question, which tells two questions of the same step apart; any if none.
    pub question: Option<u32>,
    pub approves: bool,
    /// A comment for the next agent.
    pub text: Option<String>,
}

/// A run's reply to a [`ControlRequest`]. The JSON forms of its content are part of the protocol of
/// the control socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControlReply {
    /// The request is accepted, and its consequence is recorded.
    Accepted(AcceptedRequest),
    /// The request is refused, and nothing has changed.
    Refused(RefusedRequest),
}

/// What a run will do, or has done, for an accepted request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AcceptedRequest {
    /// It ends after this iteration; at once if none is running.
    Stops {
        after: Option<UnitId>,
    },
    /// It ends now, with everything it started.
    Ends,
    Paused,
    Continued,
    Queued {
        /// One-based.
        number: u32,
    },
    Skips {
        step: usize,
    },
    /// The steps of a group that have not ended.
    SkipsGroup {
        first_step: usize,
        last_step: usize,
    },
    Changed,
    Answered {
        step: usize,
        approved: bool,
    },
}

/// Why a run refuses a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum RefusedRequest {
    #[error("the run is over")]
    Over,
    /// The run is already being ended.
    #[error("the run is ending")]
    Ending,
    #[error("the run is not paused")]
    NotPaused,
    #[error("the message is empty")]
    EmptyMessage,
    #[error("the message is longer than {} KiB", MAX_MESSAGE_BYTES / 1024)]
    LongMessage,
    #[error("too many messages wait for the next agent already")]
    ManyMessages,
    /// An agent that repeats the message would print a completion marker.
    #[error("the message contains a completion marker")]
    HoldsMarker,
    /// A message was meant for a lane that the current stage does not have.
    #[error("the run has no such lane now")]
    NoLane,
    #[error("no limit is named")]
    NoChange,
    /// A number of iterations was given, but no remaining step loops.
    #[error("no step that is left is a loop")]
    NoLoop,
    #[error("the current step is in no repeated group")]
    NoGroup,
    /// A number of rounds was given, but no remaining group is repeated.
    #[error("no repeated group remains")]
    NoRounds,
    /// A limit of groups was given, but no group remains.
    #[error("no group remains")]
    NoGroupLimits,
    #[error("no question is open")]
    NotAsking,
    #[error("another question is open")]
    OtherQuestion,
    #[error("the question was answered already")]
    AnsweredAlready,
    /// The client is a process that the run started, such as an agent.
    #[error("a process that the run started cannot steer it")]
    FromWithin,
}
