//! The ways things end, each an object whose `kind` says which.

use forkhestra_core::event;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::heard::{Outcome, Refusal};
use super::report::Completion;
use super::words::words;

/// How a process ended: `{"kind":"exited","code":0}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AgentEnd {
    /// By itself.
    Exited {
        /// Its exit code.
        code: i32,
    },
    /// By a signal.
    Signaled {
        /// The number of the signal.
        signal: i32,
    },
    /// It could not be started.
    NotStarted {
        /// Why.
        reason: String,
        /// Whether it is worth trying again.
        transient: bool,
    },
}

words! {
    /// Why we ended an agent.
    Ending {
        Lingering, Idle, Futile, Timeout, StepTime, RunTime, StepCost, RunCost, CostUnknown,
        Skipped, Cancelled,
    }
}

words! {
    /// Who or what cancelled a run.
    Cancel { Stop, OutputClosed, Hangup, StopNow, Interrupt, Terminate, GuardLost }
}

/// How a step ended: `{"kind":"max_iterations"}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StepEnd {
    /// Its work is done.
    Complete {
        /// What said so.
        by: Completion,
    },
    /// It was tried as often as it may be.
    MaxIterations,
    /// An agent that runs once failed.
    Failed {
        /// How it ended.
        end: AgentEnd,
    },
    /// Nothing changed any more.
    Stagnated {
        /// For how many iterations.
        iterations: u32,
    },
    /// The work tree only became what it had been before.
    Cycling {
        /// For how many iterations.
        iterations: u32,
    },
    /// The iteration of an agent that runs once was stopped by forkhestra.
    Ended {
        /// Why.
        why: Ending,
    },
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
    Blocked {
        /// Why.
        outcome: Outcome,
    },
    /// What an agent that runs once did is not accepted. Since 2.0.
    Refused {
        /// Why.
        why: Refusal,
    },
    /// A hook failed that must not fail. Since 2.0.
    HookFailed {
        /// The command.
        command: String,
    },
    /// What its agent made cannot be checked. Since 2.0.
    CannotCheck {
        /// Why.
        why: String,
    },
    /// Not every task is done, but there is none to take. Since 2.0.
    TasksBlocked {
        /// Which ones, and why.
        why: String,
    },
    /// There are no tasks. Since 2.0.
    NoTasks,
    /// Somebody wanted the next step to begin. Since 2.0.
    Skipped,
    /// The run was cancelled.
    Cancelled,
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
        /// The same as in that step's end, in one word.
        reason: String,
        /// How it ended.
        end: StepEnd,
    },
    /// The run was cancelled.
    Interrupted {
        /// By whom or what.
        by: Cancel,
    },
}

impl From<&event::AgentEnd> for AgentEnd {
    fn from(end: &event::AgentEnd) -> Self {
        match end {
            event::AgentEnd::Exited(code) => Self::Exited { code: *code },
            event::AgentEnd::Signaled(signal) => Self::Signaled { signal: *signal },
            event::AgentEnd::NotStarted { reason, transient } => {
                Self::NotStarted { reason: reason.clone(), transient: *transient }
            }
        }
    }
}

impl From<AgentEnd> for event::AgentEnd {
    fn from(end: AgentEnd) -> Self {
        match end {
            AgentEnd::Exited { code } => Self::Exited(code),
            AgentEnd::Signaled { signal } => Self::Signaled(signal),
            AgentEnd::NotStarted { reason, transient } => Self::NotStarted { reason, transient },
        }
    }
}

impl From<&event::StepEnd> for StepEnd {
    fn from(end: &event::StepEnd) -> Self {
        match end {
            event::StepEnd::Complete(by) => Self::Complete { by: by.into() },
            event::StepEnd::MaxIterations => Self::MaxIterations,
            event::StepEnd::Failed(end) => Self::Failed { end: end.into() },
            event::StepEnd::Stagnated(iterations) => Self::Stagnated { iterations: *iterations },
            event::StepEnd::Cycling(iterations) => Self::Cycling { iterations: *iterations },
            event::StepEnd::Ended(why) => Self::Ended { why: (*why).into() },
            event::StepEnd::StepTime => Self::StepTime,
            event::StepEnd::RunTime => Self::RunTime,
            event::StepEnd::StepCost => Self::StepCost,
            event::StepEnd::RunCost => Self::RunCost,
            event::StepEnd::CostUnknown => Self::CostUnknown,
            event::StepEnd::Blocked(outcome) => Self::Blocked { outcome: outcome.into() },
            event::StepEnd::Refused(why) => Self::Refused { why: (*why).into() },
            event::StepEnd::HookFailed(command) => Self::HookFailed { command: command.clone() },
            event::StepEnd::CannotCheck(why) => Self::CannotCheck { why: why.clone() },
            event::StepEnd::TasksBlocked(why) => Self::TasksBlocked { why: why.clone() },
            event::StepEnd::NoTasks => Self::NoTasks,
            event::StepEnd::Skipped => Self::Skipped,
            event::StepEnd::Cancelled => Self::Cancelled,
        }
    }
}

impl From<StepEnd> for event::StepEnd {
    fn from(end: StepEnd) -> Self {
        match end {
            StepEnd::Complete { by } => Self::Complete(by.into()),
            StepEnd::MaxIterations => Self::MaxIterations,
            StepEnd::Failed { end } => Self::Failed(end.into()),
            StepEnd::Stagnated { iterations } => Self::Stagnated(iterations),
            StepEnd::Cycling { iterations } => Self::Cycling(iterations),
            StepEnd::Ended { why } => Self::Ended(why.into()),
            StepEnd::StepTime => Self::StepTime,
            StepEnd::RunTime => Self::RunTime,
            StepEnd::StepCost => Self::StepCost,
            StepEnd::RunCost => Self::RunCost,
            StepEnd::CostUnknown => Self::CostUnknown,
            StepEnd::Blocked { outcome } => Self::Blocked(outcome.into()),
            StepEnd::Refused { why } => Self::Refused(why.into()),
            StepEnd::HookFailed { command } => Self::HookFailed(command),
            StepEnd::CannotCheck { why } => Self::CannotCheck(why),
            StepEnd::TasksBlocked { why } => Self::TasksBlocked(why),
            StepEnd::NoTasks => Self::NoTasks,
            StepEnd::Skipped => Self::Skipped,
            StepEnd::Cancelled => Self::Cancelled,
        }
    }
}

impl From<&event::RunEnd> for RunEnd {
    fn from(end: &event::RunEnd) -> Self {
        match end {
            event::RunEnd::Complete => Self::Complete,
            event::RunEnd::Incomplete { step, end } => {
                Self::Incomplete { step: *step, reason: end.word().to_owned(), end: end.into() }
            }
            event::RunEnd::Interrupted(by) => Self::Interrupted { by: (*by).into() },
        }
    }
}

impl From<RunEnd> for event::RunEnd {
    fn from(end: RunEnd) -> Self {
        match end {
            RunEnd::Complete => Self::Complete,
            RunEnd::Incomplete { step, end, .. } => Self::Incomplete { step, end: end.into() },
            RunEnd::Interrupted { by } => Self::Interrupted(by.into()),
        }
    }
}
