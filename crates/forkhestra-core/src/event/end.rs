//! How processes, steps and runs end. Each is a closed set of its own.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::agent_outcome::AgentOutcome;
use super::iteration_report::{ClaimRefusal, CompletionSignal};
use super::wire::{
    AfterRounds, BecauseWhy, BlockedBy, BlockedTasks, CancelledBy, CompletedBy, EndOfIncomplete,
    ExitCode, FailedEnd, ForIterations, HookCommand, SignalNumber, words,
};
use crate::quota::ExceededQuota;

/// How a process ended: `{"kind":"exited","code":0}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schemars(rename = "AgentEnd")]
pub enum ProcessEnd {
    /// It exited by itself.
    #[serde(with = "ExitCode::<i32>")]
    Exited(i32),
    /// A signal ended it.
    #[serde(with = "SignalNumber::<i32>")]
    Signaled(i32),
    /// It could not be started.
    NotStarted {
        /// The reason.
        reason: String,
        // True if the host was out of processes or memory.
        /// Whether a retry may succeed.
        transient: bool,
    },
}

impl ProcessEnd {
    /// Whether it exited with 0.
    pub const fn is_success(&self) -> bool {
        matches!(self, Self::Exited(0))
    }

    /// Whether its exit code is its own. From 126 on, shells report a signal, or a program that cannot
    /// be started.
    pub(crate) const fn has_own_exit_code(&self) -> bool {
        matches!(self, Self::Exited(0..=125))
    }

    /// Whether it failed by itself, with an exit code of its own.
    pub(crate) const fn is_own_failure(&self) -> bool {
        self.has_own_exit_code() && !self.is_success()
    }
}

impl fmt::Display for ProcessEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(code) => write!(f, "exit {code}"),
            Self::Signaled(signal) => write!(f, "killed by signal {signal}"),
            Self::NotStarted { reason, .. } => write!(f, "not started: {reason}"),
        }
    }
}

// From the weakest reason to the strongest. A stronger one replaces a weaker one.
words! {
    /// Why forkhestra ended an agent.
    #[derive(PartialOrd, Ord, Hash)]
    StopReason(as_str) {
        /// It claimed completion but did not exit.
        Lingering = "lingering",
        /// It was idle for too long.
        Idle = "idle",
        /// Its stream reports that it cannot succeed.
        Futile = "futile",
        /// The iteration exceeded its timeout.
        Timeout = "timeout",
        /// The time limit of the step is used up.
        StepTime = "step_time",
        /// The time limit of a group around the step is used up. Since 3.0.
        GroupTime = "group_time",
        /// The time limit of the run is used up.
        RunTime = "run_time",
        /// The cost limit of the step is reached.
        StepCost = "step_cost",
        /// The cost limit of a group around the step is reached. Since 3.0.
        GroupCost = "group_cost",
        /// The cost limit of the run is reached.
        RunCost = "run_cost",
        /// There is a cost limit, but the agent's cost is unknown.
        CostUnknown = "cost_unknown",
        /// Its lane was not picked: another one is complete. Since 4.0.
        NotPicked = "not_picked",
        /// An operator skipped its step.
        Skipped = "skipped",
        /// The run was cancelled.
        Cancelled = "cancelled",
    }
}

// From the weakest to the strongest.
words! {
    /// What cancelled a run.
    #[derive(PartialOrd, Ord, Hash)]
    CancelCause(as_str) {
        /// `forkhestra stop`: end after the current iteration.
        Stop = "stop",
        /// The reader of the output closed it.
        OutputClosed = "output_closed",
        /// SIGHUP: the terminal was closed.
        Hangup = "hangup",
        /// `forkhestra stop --now`: end at once.
        StopNow = "stop_now",
        /// SIGINT: Ctrl-C.
        Interrupt = "interrupt",
        /// SIGTERM.
        Terminate = "terminate",
        /// The guard process was killed.
        GuardLost = "guard_lost",
    }
}

impl CancelCause {
    /// The causes of `forkhestra stop` and `forkhestra stop --now`.
    pub const STOP_REQUESTS: [Self; 2] = [Self::Stop, Self::StopNow];

    /// Whether `forkhestra stop` or `forkhestra stop --now` ended the run.
    pub fn is_stop_request(self) -> bool {
        Self::STOP_REQUESTS.contains(&self)
    }

    /// Whether this cause, after an earlier one, means that the run must end without waiting: only
    /// a person or a program cancels twice. A closed output, or a closed terminal (reported by both
    /// the kernel and the shell), may merely accompany the first cause.
    pub fn is_urgent_after(self, earlier: Option<Self>) -> bool {
        matches!(self, Self::StopNow | Self::Interrupt | Self::Terminate)
            && earlier > Some(Self::OutputClosed)
    }

    /// The exit code of a run that ended by this: 128 plus the signal's number. A requested stop
    /// counts as Ctrl-C.
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
    /// It used up its iterations.
    MaxIterations,
    /// An agent that runs once failed.
    #[serde(with = "FailedEnd::<ProcessEnd>")]
    Failed(ProcessEnd),
    /// Iterations changed nothing any more.
    #[serde(with = "ForIterations::<u32>")]
    Stagnated(u32),
    /// Iterations only restored earlier states of the work tree.
    #[serde(with = "ForIterations::<u32>")]
    Cycling(u32),
    /// The iteration of an agent that runs once was stopped by forkhestra.
    #[serde(rename = "ended", with = "BecauseWhy::<StopReason>")]
    AgentStopped(StopReason),
    /// The step's time limit is used up.
    StepTime,
    /// The time limit of a group around it is used up. Since 3.0.
    GroupTime,
    /// The run's time limit is used up.
    RunTime,
    /// The step's cost limit is reached. Since 2.0.
    StepCost,
    /// The cost limit of a group around it is reached. Since 3.0.
    GroupCost,
    /// The run's cost limit is reached. Since 2.0.
    RunCost,
    /// There is a cost limit, but the cost is unknown. Since 2.0.
    CostUnknown,
    /// The agent cannot work. Since 2.0.
    #[serde(with = "BlockedBy::<AgentOutcome>")]
    Blocked(AgentOutcome),
    /// A window of the agent's account is fuller than `quota` allows, for longer than `maxWait`. Since 2.3.
    Quota(ExceededQuota),
    /// The work of an agent that runs once was refused. Since 2.0.
    #[serde(with = "BecauseWhy::<ClaimRefusal>")]
    Refused(ClaimRefusal),
    /// A hook failed whose failure ends the run. Since 2.0.
    #[serde(with = "HookCommand::<String>")]
    HookFailed(String),
    /// The agent's work cannot be checked. Since 2.0.
    #[serde(with = "BecauseWhy::<String>")]
    CannotCheck(String),
    /// Not every task is done, but none can be claimed. Since 2.0.
    #[serde(with = "BlockedTasks::<String>")]
    TasksBlocked(String),
    /// There are no tasks. Since 2.0.
    NoTasks,
    /// An operator skipped it. Since 2.0.
    Skipped,
    /// No round of its group was accepted. Since 3.0.
    #[serde(with = "AfterRounds::<u32>")]
    MaxRounds(u32),
    /// The agent, which runs once, did not accept the round. Since 3.0.
    NotAccepted,
    /// A person denied it, or no answer came in time. Since 3.0.
    Denied,
    /// Its condition does not hold. Since 3.0.
    NotNeeded,
    /// Its work landed, but is not in the user's work tree, or it did not land. Since 4.0.
    #[serde(with = "BecauseWhy::<String>")]
    NotLanded(String),
    /// Its lanes could not be made. Since 4.0.
    #[serde(with = "BecauseWhy::<String>")]
    NoLane(String),
    /// The run was cancelled.
    Cancelled,
}

impl StepEnd {
    /// The code of [`StepEnd::TasksBlocked`].
    pub(crate) const TASKS_BLOCKED: &'static str = "tasks_blocked";

    /// Whether the step's work is done.
    pub const fn is_complete(&self) -> bool {
        matches!(self, Self::Complete(_))
    }

    /// Whether the next step may begin: this one is complete, skipped or not needed.
    pub const fn allows_next_step(&self) -> bool {
        matches!(self, Self::Complete(_) | Self::Skipped | Self::NotNeeded)
    }

    /// The reason as one word, for events and summaries.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Complete(completion) => completion.as_str(),
            Self::MaxIterations => "max_iterations",
            Self::Failed(ProcessEnd::NotStarted { .. }) => "cannot_start",
            Self::Failed(_) => "failed",
            Self::Stagnated(_) => "stagnated",
            Self::Cycling(_) => "cycling",
            Self::AgentStopped(stop_reason) => stop_reason.as_str(),
            Self::StepTime => "step_time",
            Self::GroupTime => "group_time",
            Self::RunTime => "run_time",
            Self::StepCost => "step_cost",
            Self::GroupCost => "group_cost",
            Self::RunCost => "run_cost",
            Self::CostUnknown => "cost_unknown",
            Self::Blocked(outcome) => outcome.class.as_str(),
            Self::Quota(_) => "quota",
            Self::Refused(why) => why.as_str(),
            Self::HookFailed(_) => "hook_failed",
            Self::CannotCheck(_) => "cannot_check",
            Self::TasksBlocked(_) => Self::TASKS_BLOCKED,
            Self::NoTasks => "no_tasks",
            Self::Skipped => "skipped",
            Self::MaxRounds(_) => "max_rounds",
            Self::NotAccepted => "not_accepted",
            Self::Denied => "denied",
            Self::NotNeeded => "not_needed",
            Self::NotLanded(_) => "not_landed",
            Self::NoLane(_) => "no_lane",
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
        /// The step.
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
    /// The exit code of `forkhestra` for this end.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Complete => 0,
            Self::Incomplete { .. } => 1,
            Self::Interrupted(cancel) => cancel.exit_code(),
        }
    }
}
