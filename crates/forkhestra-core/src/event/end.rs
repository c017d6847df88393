//! The ways things end. Each is a closed set of its own, since nothing ends as a mere yes or no.

use std::fmt;

use super::outcome::Outcome;
use super::report::Refusal;

/// How an agent's process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentEnd {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal, whoever sent it.
    Signaled(i32),
    /// It could not be started.
    NotStarted {
        /// Why.
        reason: String,
        /// Whether it is worth trying again: the machine was out of processes or of memory.
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

/// Why we ended an agent ourselves, from the mildest reason to the strongest. A stronger one takes
/// the place of a milder one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ending {
    /// It said that its work is done, but did not go.
    Lingering,
    /// It was silent and did nothing for too long.
    Idle,
    /// What it waits for will not come, as its own stream says.
    Futile,
    /// The iteration took too long.
    Timeout,
    /// The time of the step is used up.
    StepTime,
    /// The time of the run is used up.
    RunTime,
    /// What the step may cost is spent.
    StepCost,
    /// What the run may cost is spent.
    RunCost,
    /// It spends, nobody knows how much, and there is a limit.
    CostUnknown,
    /// Somebody wants its step to end, and the next one to begin.
    Skipped,
    /// The run was cancelled.
    Cancelled,
}

impl Ending {
    /// The reason as one word, as events and summaries say it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Lingering => "lingering",
            Self::Idle => "idle",
            Self::Futile => "futile",
            Self::Timeout => "timeout",
            Self::StepTime => "step_time",
            Self::RunTime => "run_time",
            Self::StepCost => "step_cost",
            Self::RunCost => "run_cost",
            Self::CostUnknown => "cost_unknown",
            Self::Skipped => "skipped",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Who or what cancelled a run, from the weakest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cancel {
    /// `forkhestra stop`: somebody wanted us to end after the iteration that was at work.
    Stop,
    /// Nobody reads our output any more.
    OutputClosed,
    /// SIGHUP: the terminal is gone.
    Hangup,
    /// `forkhestra stop --now`: somebody wants us to end.
    StopNow,
    /// SIGINT: a person pressed Ctrl-C.
    Interrupt,
    /// SIGTERM: somebody wants us to end.
    Terminate,
    /// The process that watches over us was killed.
    GuardLost,
}

impl Cancel {
    /// The requests of `forkhestra stop` and `forkhestra stop --now`.
    pub const STOP_REQUESTS: [Self; 2] = [Self::Stop, Self::StopNow];

    /// The reason as one word, as events say it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::OutputClosed => "output_closed",
            Self::Hangup => "hangup",
            Self::StopNow => "stop_now",
            Self::Interrupt => "interrupt",
            Self::Terminate => "terminate",
            Self::GuardLost => "guard_lost",
        }
    }

    /// Whether `forkhestra stop` or `forkhestra stop --now` ended the run.
    pub fn is_stop_request(self) -> bool {
        Self::STOP_REQUESTS.contains(&self)
    }

    /// Whether somebody who said this after all that was said before does not want to wait: only a
    /// person or a program asks twice. A reader who was interrupted too, or a terminal that is
    /// closed (of which the system and the shell both tell us), merely comes with the first.
    pub fn insists_after(self, earlier: Option<Self>) -> bool {
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

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepEnd {
    /// Its work is done.
    Complete(super::Completion),
    /// It was tried as often as it may be.
    MaxIterations,
    /// An agent that runs once failed.
    Failed(AgentEnd),
    /// Nothing has changed for so many iterations.
    Stagnated(u32),
    /// For so many iterations the work tree only became what it had been before.
    Cycling(u32),
    /// The iteration of an agent that runs once was stopped by forkhestra.
    Ended(Ending),
    /// The step's time is used up.
    StepTime,
    /// The run's time is used up.
    RunTime,
    /// What the step may cost is spent.
    StepCost,
    /// What the run may cost is spent.
    RunCost,
    /// It spends, nobody knows how much, and there is a limit.
    CostUnknown,
    /// The agent cannot work: its own stream says why.
    Blocked(Outcome),
    /// An agent that runs once did what it was to do, but that is not accepted.
    Refused(Refusal),
    /// A hook failed that must not fail: the command.
    HookFailed(String),
    /// What its agent made cannot be checked, for a reason that no agent can do anything about.
    CannotCheck(String),
    /// It works through the task database, where not everything is done but nothing is to be taken: why.
    TasksBlocked(String),
    /// It works through the task database, where there are no tasks.
    NoTasks,
    /// Somebody wanted the next step to begin.
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
    pub const fn is_behind(&self) -> bool {
        matches!(self, Self::Complete(_) | Self::Skipped)
    }

    /// The reason as one word, as events and summaries say it.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Complete(completion) => completion.word(),
            Self::MaxIterations => "max_iterations",
            Self::Failed(AgentEnd::NotStarted { .. }) => "cannot_start",
            Self::Failed(_) => "failed",
            Self::Stagnated(_) => "stagnated",
            Self::Cycling(_) => "cycling",
            Self::Ended(ending) => ending.word(),
            Self::StepTime => "step_time",
            Self::RunTime => "run_time",
            Self::StepCost => "step_cost",
            Self::RunCost => "run_cost",
            Self::CostUnknown => "cost_unknown",
            Self::Blocked(outcome) => outcome.class.word(),
            Self::Refused(why) => why.word(),
            Self::HookFailed(_) => "hook_failed",
            Self::CannotCheck(_) => "cannot_check",
            Self::TasksBlocked(_) => "tasks_blocked",
            Self::NoTasks => "no_tasks",
            Self::Skipped => "skipped",
            Self::Cancelled => "interrupted",
        }
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    /// Every step is complete, but for those that somebody skipped.
    Complete,
    /// A step did not complete.
    Incomplete {
        /// Which one.
        step: usize,
        /// How it ended.
        end: StepEnd,
    },
    /// The run was cancelled.
    Interrupted(Cancel),
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
