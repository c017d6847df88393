//! The ways things end. Each is a closed set of its own, since nothing ends as a mere yes or no.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent_outcome::AgentOutcome;
use super::iteration_report::{ClaimRefusal, CompletionSignal};
use super::wire::{
    BecauseWhy, BlockedBy, BlockedTasks, CancelledBy, CompletedBy, EndOfIncomplete, ExitCode,
    FailedEnd, ForIterations, HookCommand, SignalNumber, words,
};

/// How a process ended: `{"kind":"exited","code":0}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AgentEnd {
    /// By itself.
    #[serde(with = "ExitCode::<i32>")]
    Exited(i32),
    /// By a signal.
    #[serde(with = "SignalNumber::<i32>")]
    Signaled(i32),
    /// It could not be started.
    NotStarted {
        /// Why.
        reason: String,
        // So it is if the machine was out of processes or of memory.
        /// Whether it is worth trying again.
        transient: bool,
    },
}

impl AgentEnd {
    /// Whether this is how an agent ends that is content with itself.
    pub const fn is_success(&self) -> bool {
        matches!(self, Self::Exited(0))
    }
}

impl fmt::Display for AgentEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit {code}"),
            Self::Signaled(signal) => write!(f, "killed by signal {signal}"),
            Self::NotStarted { reason, .. } => write!(f, "not started: {reason}"),
        }
    }
}

// From the mildest reason to the strongest. A stronger one replaces a milder one.
words! {
    /// Why we ended an agent.
    #[derive(PartialOrd, Ord, Hash)]
    StopReason(as_str) {
        /// It said that its work is done, but did not go.
        Lingering = "lingering",
        /// It was silent and did nothing for too long.
        Idle = "idle",
        /// What it waits for will not come, as its own stream says.
        Futile = "futile",
        /// The iteration took too long.
        Timeout = "timeout",
        /// The time of the step is used up.
        StepTime = "step_time",
        /// The time of the run is used up.
        RunTime = "run_time",
        /// What the step may cost is spent.
        StepCost = "step_cost",
        /// What the run may cost is spent.
        RunCost = "run_cost",
        /// It spends, nobody knows how much, and there is a limit.
        CostUnknown = "cost_unknown",
        /// Somebody wants its step to end, and the next one to begin.
        Skipped = "skipped",
        /// The run was cancelled.
        Cancelled = "cancelled",
    }
}

// From the weakest to the strongest.
words! {
    /// Who or what cancelled a run.
    #[derive(PartialOrd, Ord, Hash)]
    CancelCause(as_str) {
        /// `forkhestra stop`: somebody wanted us to end after the iteration that was at work.
        Stop = "stop",
        /// Nobody reads our output any more.
        OutputClosed = "output_closed",
        /// SIGHUP: the terminal is gone.
        Hangup = "hangup",
        /// `forkhestra stop --now`: somebody wants us to end.
        StopNow = "stop_now",
        /// SIGINT: a person pressed Ctrl-C.
        Interrupt = "interrupt",
        /// SIGTERM: somebody wants us to end.
        Terminate = "terminate",
        /// The process that watches over us was killed.
        GuardLost = "guard_lost",
    }
}

impl CancelCause {
    /// The requests of `forkhestra stop` and `forkhestra stop --now`.
    pub const STOP_REQUESTS: [Self; 2] = [Self::Stop, Self::StopNow];

    /// Whether `forkhestra stop` or `forkhestra stop --now` ended the run.
    pub fn is_stop_request(self) -> bool {
        Self::STOP_REQUESTS.contains(&self)
    }

    /// Whether somebody who said this after all that was said before does not want to wait: only a
    /// person or a program asks twice. A reader who was interrupted too, or a terminal that is
    /// closed (of which the system and the shell both tell us), merely comes with the first.
    pub fn is_urgent_after(self, earlier: Option<Self>) -> bool {
        matches!(self, Self::StopNow | Self::Interrupt | Self::Terminate)
            && earlier > Some(Self::OutputClosed)
    }

    /// The exit code of a run that ended by this: 128 and the number of the signal. Whoever asks a run
    /// to stop could as well have pressed Ctrl-C.
    pub const fn exit_code(self) -> u8 {
        match self {
            Self::OutputClosed => 141,
            Self::Hangup => 129,
            Self::Interrupt | Self::Stop | Self::StopNow => 130,
            Self::Terminate => 143,
            Self::GuardLost => 137,
        }
    }
}

/// How a step ended: `{"kind":"max_iterations"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StepEnd {
    /// Its work is done.
    #[serde(with = "CompletedBy::<CompletionSignal>")]
    Complete(CompletionSignal),
    /// It was tried as often as it may be.
    MaxIterations,
    /// An agent that runs once failed.
    #[serde(with = "FailedEnd::<AgentEnd>")]
    Failed(AgentEnd),
    /// Nothing changed any more.
    #[serde(with = "ForIterations::<u32>")]
    Stagnated(u32),
    /// The work tree only became what it had been before.
    #[serde(with = "ForIterations::<u32>")]
    Cycling(u32),
    /// The iteration of an agent that runs once was stopped by forkhestra.
    #[serde(with = "BecauseWhy::<StopReason>")]
    Ended(StopReason),
    /// The step's time is used up.
    StepTime,
    /// The run's time is used up.
    RunTime,
    /// What the step may cost is spent. Since 2.0.
    StepCost,
    /// What the run may cost is spent. Since 2.0.
    RunCost,
    /// It spends, nobody knows how much, and there is a limit. Since 2.0.
    CostUnknown,
    /// The agent cannot work. Since 2.0.
    #[serde(with = "BlockedBy::<AgentOutcome>")]
    Blocked(AgentOutcome),
    /// What an agent that runs once did is not accepted. Since 2.0.
    #[serde(with = "BecauseWhy::<ClaimRefusal>")]
    Refused(ClaimRefusal),
    /// A hook failed that must not fail. Since 2.0.
    #[serde(with = "HookCommand::<String>")]
    HookFailed(String),
    /// What its agent made cannot be checked. Since 2.0.
    #[serde(with = "BecauseWhy::<String>")]
    CannotCheck(String),
    /// Not every task is done, but there is none to take. Since 2.0.
    #[serde(with = "BlockedTasks::<String>")]
    TasksBlocked(String),
    /// There are no tasks. Since 2.0.
    NoTasks,
    /// Somebody wanted the next step to begin. Since 2.0.
    Skipped,
    /// The run was cancelled.
    Cancelled,
}

impl StepEnd {
    /// Whether the step's work is done.
    pub const fn is_complete(&self) -> bool {
        matches!(self, Self::Complete(_))
    }

    /// Whether the next step may begin: the work is done, or somebody does not want it done.
    pub const fn allows_next_step(&self) -> bool {
        matches!(self, Self::Complete(_) | Self::Skipped)
    }

    /// The reason as one word, as events and summaries say it.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Complete(completion) => completion.as_str(),
            Self::MaxIterations => "max_iterations",
            Self::Failed(AgentEnd::NotStarted { .. }) => "cannot_start",
            Self::Failed(_) => "failed",
            Self::Stagnated(_) => "stagnated",
            Self::Cycling(_) => "cycling",
            Self::Ended(ending) => ending.as_str(),
            Self::StepTime => "step_time",
            Self::RunTime => "run_time",
            Self::StepCost => "step_cost",
            Self::RunCost => "run_cost",
            Self::CostUnknown => "cost_unknown",
            Self::Blocked(outcome) => outcome.class.as_str(),
            Self::Refused(why) => why.as_str(),
            Self::HookFailed(_) => "hook_failed",
            Self::CannotCheck(_) => "cannot_check",
            Self::TasksBlocked(_) => "tasks_blocked",
            Self::NoTasks => "no_tasks",
            Self::Skipped => "skipped",
            Self::Cancelled => "interrupted",
        }
    }
}

/// How a run ended: `{"kind":"complete"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum RunEnd {
    /// Every step is complete.
    Complete,
    /// A step did not complete.
    Incomplete {
        /// Which one.
        step: usize,
        /// How it ended.
        #[serde(flatten, with = "EndOfIncomplete")]
        end: StepEnd,
    },
    /// The run was cancelled.
    #[serde(with = "CancelledBy::<CancelCause>")]
    Interrupted(CancelCause),
}

impl RunEnd {
    /// The exit code of `forkhestra` that says so.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Complete => 0,
            Self::Incomplete { .. } => 1,
            Self::Interrupted(cancel) => cancel.exit_code(),
        }
    }
}
