//! What a run has done for it beside its agents: checks, hooks, and what makes a clean room ready.

use std::fmt;
use std::time::Duration;

use crate::hook::HookPoint;
use crate::id::UnitId;

/// One errand: a process of the user's that is no agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Errand {
    /// Makes the clean room of an iteration ready.
    Setup {
        /// Whose.
        unit: UnitId,
    },
    /// Checks what an iteration made.
    Check {
        /// Whose.
        unit: UnitId,
        /// Its place among the checks of the step, from one.
        number: usize,
    },
    /// Tells the user's own command of a moment of the run.
    Hook {
        /// The moment.
        moment: Moment,
        /// Its place among the hooks of the plan, from one.
        number: usize,
    },
}

/// A moment at which hooks run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// What kind of moment it is.
    pub point: HookPoint,
    /// The iteration that it comes before or after; the last one at an end, if there was one.
    pub unit: Option<UnitId>,
}

/// What an errand came to, as whoever ran it saw it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// Whether it says of itself that all is well: a `passed` in its last line, or what we looked at
    /// ourselves. None if its exit code is all there is.
    pub passed: Option<bool>,
    /// What it says about that, in one short line.
    pub message: Option<String>,
    /// The end of what it printed, for people and for the next agent.
    pub tail: Option<String>,
}

/// What a check came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckOutcome {
    /// What it asks for holds.
    Passed,
    /// It does not.
    Failed,
    /// It took too long, and was ended.
    TimedOut,
    /// Nobody could find out.
    NotRun,
}

impl CheckOutcome {
    /// The outcome as one word, as events say it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::TimedOut => "timed_out",
            Self::NotRun => "not_run",
        }
    }
}

/// What is known of a check when it is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckReport {
    /// What it is called, or else how it is written.
    pub name: String,
    /// What it came to.
    pub outcome: CheckOutcome,
    /// Why, in one short line; always there if it did not pass.
    pub message: Option<String>,
    /// The end of what it printed, if it did not pass.
    pub tail: Option<String>,
    /// How long it took.
    pub duration: Duration,
}

impl CheckReport {
    /// Whether what it asks for holds.
    pub fn passed(&self) -> bool {
        self.outcome == CheckOutcome::Passed
    }
}

/// What is known of a hook when it is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookReport {
    /// The moment.
    pub moment: Moment,
    /// Its place among the hooks of the plan, from one.
    pub number: usize,
    /// Why it failed, in one short line; none if it did not.
    pub failure: Option<String>,
    /// How long it took.
    pub duration: Duration,
}

impl fmt::Display for Errand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setup { unit } => write!(f, "the setup of {unit}"),
            Self::Check { unit, number } => write!(f, "check {number} of {unit}"),
            Self::Hook { moment, number } => write!(f, "hook {number} ({})", moment.point),
        }
    }
}
