//! Processes of a run beside its agents: checks, hooks and the set-up of clean rooms.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::EventScope;
use super::wire::{Milliseconds, words};
use crate::hook::HookPoint;
use crate::id::UnitId;

/// A process of the user's that is no agent: `{"kind":"check","unit":{…},"number":1}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AuxJob {
    /// Sets up a clean room.
    Setup {
        /// The attempt whose work is checked; iteration 0 is before the first one.
        unit: UnitId,
    },
    /// Checks the work of an iteration.
    Check {
        /// The attempt whose work is checked.
        unit: UnitId,
        /// Its number among the checks of the step.
        number: usize,
    },
    /// A hook.
    Hook {
        /// The hook's moment.
        #[serde(flatten)]
        moment: HookMoment,
        /// Its number among the hooks of the plan.
        number: usize,
    },
}

impl AuxJob {
    /// The run or attempt that the job belongs to.
    pub const fn scope(&self) -> EventScope {
        match self {
            Self::Setup { unit } | Self::Check { unit, .. } if unit.is_before_first() => {
                EventScope::Step(unit.step)
            }
            Self::Setup { unit } | Self::Check { unit, .. } => EventScope::Unit(*unit),
            Self::Hook { moment, .. } => moment.scope(),
        }
    }
}

/// A moment at which hooks run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HookMoment {
    /// The type of the hook.
    #[serde(rename = "on")]
    pub point: HookPoint,
    // At the end of a run it is the last iteration, if there was one.
    /// The iteration that it comes before or after.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<UnitId>,
}

impl HookMoment {
    /// The iteration that it comes before or after, or else the run.
    pub const fn scope(&self) -> EventScope {
        EventScope::of_unit(self.unit)
    }
}

/// The result of an aux job as the engine observed it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuxJobResult {
    /// The job's own verdict: a `passed` in its last line, or the result of a built-in check. None
    /// if only the exit code decides.
    pub passed: Option<bool>,
    /// One short line about the verdict.
    pub message: Option<String>,
    /// The end of its output, for users and for the next agent.
    pub tail: Option<String>,
}

words! {
    /// The outcome of a check.
    CheckOutcome(as_str) {
        /// The condition holds.
        Passed = "passed",
        /// The condition does not hold.
        Failed = "failed",
        /// It exceeded its timeout and was ended.
        TimedOut = "timed_out",
        /// It could not be run.
        NotRun = "not_run",
    }
}

/// The report of a check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckReport {
    /// Its name, or else its text.
    pub name: String,
    /// The outcome.
    pub outcome: CheckOutcome,
    // Always present if the check did not pass.
    /// The reason, in one short line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The end of its output, if it did not pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<String>,
    /// How long it took.
    #[serde(rename = "durationMs", with = "Milliseconds")]
    pub duration: Duration,
}

impl CheckReport {
    /// Whether the check passed.
    pub fn passed(&self) -> bool {
        self.outcome == CheckOutcome::Passed
    }
}

/// The report of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "WrittenHookReport", try_from = "WrittenHookReport")]
pub struct HookReport {
    pub moment: HookMoment,
    /// Its one-based number among the hooks of the plan.
    pub number: usize,
    /// Why it failed, in one short line; none on success.
    pub failure: Option<String>,
    pub duration: Duration,
}

/// A [`HookReport`] as journal lines hold it.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WrittenHookReport {
    /// The hook.
    hook: AuxJob,
    /// Why it failed; left out on success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    failure: Option<String>,
    /// How long it took.
    #[serde(rename = "durationMs", with = "Milliseconds")]
    duration: Duration,
}

impl From<HookReport> for WrittenHookReport {
    fn from(HookReport { moment, number, failure, duration }: HookReport) -> Self {
        Self { hook: AuxJob::Hook { moment, number }, failure, duration }
    }
}

impl TryFrom<WrittenHookReport> for HookReport {
    type Error = &'static str;

    fn try_from(written: WrittenHookReport) -> Result<Self, Self::Error> {
        let WrittenHookReport { hook: AuxJob::Hook { moment, number }, failure, duration } =
            written
        else {
            return Err("`hook` is not a hook");
        };
        Ok(Self { moment, number, failure, duration })
    }
}

impl fmt::Display for AuxJob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setup { unit } => write!(f, "the setup of {unit}"),
            Self::Check { unit, number } => write!(f, "check {number} of {unit}"),
            Self::Hook { moment, number } => write!(f, "hook {number} ({})", moment.point),
        }
    }
}
