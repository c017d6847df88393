//! What can be asked of a run while it goes on, and what it answers.
//!
//! A request is an input of the machine like any other: whatever comes of it is an event, recorded
//! before it is acted upon and before anybody is answered.

use crate::event::LimitChanges;
use crate::id::UnitId;

/// No message may be longer than this: it must fit into a prompt and into an environment variable,
/// together with others.
pub const LONGEST_MESSAGE: usize = 16 * 1024;

/// So many messages may wait for the next agent.
pub const MOST_MESSAGES: usize = 32;

/// All messages that wait may be so long together.
pub const MOST_WAITING: usize = 48 * 1024;

/// And so long as an agent gets them, who is told whose words they are at each line. That has to fit
/// into a variable, or no agent could be started any more; and the longest message fits alone, whatever
/// its lines are.
pub const MOST_TOLD: usize = 96 * 1024;

/// Something that a person wants of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum ControlRequest {
    /// End when the iteration at work is over.
    Stop,
    /// End, and the agent at work too.
    StopNow,
    /// Stand still: agents and clocks.
    Pause,
    /// Go on after a pause.
    Continue,
    /// Tell the next agent something.
    Tell(String),
    /// End the step at work, and go on with the next one.
    Skip,
    /// Change limits from now on.
    Set(LimitChanges),
}

/// What a run answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ControlReply {
    /// It will be so. What it takes has been recorded.
    Accepted(AcceptedRequest),
    /// It will not, and nothing has changed.
    Refused(RefusedRequest),
}

/// What a run will do, or has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AcceptedRequest {
    /// It ends after this iteration; at once if none is at work.
    Stops {
        /// The iteration.
        after: Option<UnitId>,
    },
    /// It is ending, and so is everything it started.
    Ends,
    /// It stands still.
    Paused,
    /// It goes on.
    Continued,
    /// The message waits for the next agent.
    Queued {
        /// Its number, from one.
        number: u32,
    },
    /// The step ends, and the next one begins.
    Skips {
        /// The step.
        step: usize,
    },
    /// The limits have changed.
    Changed,
}

/// Why a run will not do what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RefusedRequest {
    /// It is over.
    #[error("the run is over")]
    Over,
    /// Somebody wants it to end already.
    #[error("the run is ending")]
    Ending,
    /// It does not stand still.
    #[error("the run is not paused")]
    NotPaused,
    /// There is nothing in the message.
    #[error("the message is empty")]
    EmptyMessage,
    /// The message is too long.
    #[error("the message is longer than {} KiB", LONGEST_MESSAGE / 1024)]
    LongMessage,
    /// Too many messages wait already.
    #[error("too many messages wait for the next agent already")]
    ManyMessages,
    /// An agent that repeats it would seem to be done.
    #[error("the message contains a completion marker")]
    HoldsMarker,
    /// No limit is named.
    #[error("no limit is named")]
    NoChange,
    /// A number of iterations was named, but no step that is left loops.
    #[error("no step that is left is a loop")]
    NoLoop,
}
