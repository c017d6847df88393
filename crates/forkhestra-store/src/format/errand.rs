//! What events say about checks and hooks.

use std::time::Duration;

use forkhestra_core::event;
use forkhestra_core::hook::HookPoint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::report::Unit;
use super::schema::HookName;
use super::words::words;

words! {
    /// What a check came to, in one word.
    CheckOutcome { Passed, Failed, TimedOut, NotRun }
}

/// A process of the user's that is no agent: `{"kind":"check","unit":{…},"number":1}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Errand {
    /// Makes a clean room ready.
    Setup {
        /// Whose.
        unit: Unit,
    },
    /// Checks what an iteration made.
    Check {
        /// Whose.
        unit: Unit,
        /// Its place among the checks of the step.
        number: usize,
    },
    /// A hook.
    Hook {
        /// The type of the hook.
        #[schemars(with = "HookName")]
        on: HookPoint,
        /// The iteration that it comes before or after.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unit: Option<Unit>,
        /// Its place among the hooks of the plan.
        number: usize,
    },
}

/// What a check came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CheckReport {
    /// What it is called, or else how it is written.
    pub name: String,
    /// What it came to.
    pub outcome: CheckOutcome,
    /// Why, in one short line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The end of what it printed, if it did not pass.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tail: Option<String>,
    /// How long it took.
    pub duration_ms: u64,
}

impl From<&event::Errand> for Errand {
    fn from(errand: &event::Errand) -> Self {
        match *errand {
            event::Errand::Setup { unit } => Self::Setup { unit: unit.into() },
            event::Errand::Check { unit, number } => Self::Check { unit: unit.into(), number },
            event::Errand::Hook { moment: event::Moment { point, unit }, number } => {
                Self::Hook { on: point, unit: unit.map(Into::into), number }
            }
        }
    }
}

impl From<Errand> for event::Errand {
    fn from(errand: Errand) -> Self {
        match errand {
            Errand::Setup { unit } => Self::Setup { unit: unit.into() },
            Errand::Check { unit, number } => Self::Check { unit: unit.into(), number },
            Errand::Hook { on, unit, number } => {
                let moment = event::Moment { point: on, unit: unit.map(Into::into) };
                Self::Hook { moment, number }
            }
        }
    }
}

impl From<&event::CheckReport> for CheckReport {
    fn from(report: &event::CheckReport) -> Self {
        let event::CheckReport { name, outcome, message, tail, duration } = report;
        Self {
            name: name.clone(),
            outcome: (*outcome).into(),
            message: message.clone(),
            tail: tail.clone(),
            duration_ms: duration.as_millis().try_into().unwrap_or(u64::MAX),
        }
    }
}

impl From<CheckReport> for event::CheckReport {
    fn from(report: CheckReport) -> Self {
        Self {
            name: report.name,
            outcome: report.outcome.into(),
            message: report.message,
            tail: report.tail,
            duration: Duration::from_millis(report.duration_ms),
        }
    }
}
