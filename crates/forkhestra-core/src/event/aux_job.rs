//! What a run has done for it beside its agents: checks, hooks, and what makes a clean room ready.

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
    /// Makes a clean room ready.
    Setup {
        /// Whose.
        unit: UnitId,
    },
    /// Checks what an iteration made.
    Check {
        /// Whose.
        unit: UnitId,
        /// Its place among the checks of the step.
        number: usize,
    },
    /// A hook.
    Hook {
        /// When it runs.
        #[serde(flatten)]
        moment: HookMoment,
        /// Its place among the hooks of the plan.
        number: usize,
    },
}

impl AuxJob {
    /// What the errand is for.
    pub const fn scope(&self) -> EventScope {
        match self {
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
    // At an end it is the last one, if there was one.
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

/// What an errand came to, as whoever ran it saw it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuxJobResult {
    /// Whether it says of itself that all is well: a `passed` in its last line, or what we looked at
    /// ourselves. None if its exit code is all there is.
    pub passed: Option<bool>,
    /// What it says about that, in one short line.
    pub message: Option<String>,
    /// The end of what it printed, for people and for the next agent.
    pub tail: Option<String>,
}

words! {
    /// What a check came to, in one word.
    CheckOutcome(as_str) {
        /// What it asks for holds.
        Passed = "passed",
        /// It does not.
        Failed = "failed",
        /// It took too long, and was ended.
        TimedOut = "timed_out",
        /// Nobody could find out.
        NotRun = "not_run",
    }
}

/// What a check came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckReport {
    /// What it is called, or else how it is written.
    pub name: String,
    /// What it came to.
    pub outcome: CheckOutcome,
    // It is always there if the check did not pass.
    /// Why, in one short line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The end of what it printed, if it did not pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<String>,
    /// How long it took.
    #[serde(rename = "durationMs", with = "Milliseconds")]
    pub duration: Duration,
}

impl CheckReport {
    /// Whether what it asks for holds.
    pub fn passed(&self) -> bool {
        self.outcome == CheckOutcome::Passed
    }
}

/// What is known of a hook when it is over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(into = "WrittenHookReport", try_from = "WrittenHookReport")]
pub struct HookReport {
    /// The moment.
    pub moment: HookMoment,
    /// Its place among the hooks of the plan, from one.
    pub number: usize,
    /// Why it failed, in one short line; none if it did not.
    pub failure: Option<String>,
    /// How long it took.
    pub duration: Duration,
}

/// A [`HookReport`] as lines have it.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct WrittenHookReport {
    /// Which one.
    hook: AuxJob,
    /// Why it failed; left out if it did not.
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
