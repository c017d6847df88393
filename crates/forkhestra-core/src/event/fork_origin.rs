//! Where a forked run comes from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::StepEnd;
use super::observation::WorkTreeSnapshot;
use super::wire::EndOfStep;
use crate::id::RunId;

/// The snapshot of another run with which a forked run begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ForkOrigin {
    /// The id of the other run.
    pub run: RunId,
    /// The step of that run, from one.
    pub step: usize,
    /// The iteration of that step after which the snapshot was taken; 0 before the first one.
    pub iteration: u32,
    /// The snapshot.
    pub snapshot: WorkTreeSnapshot,
}

/// A step that a forked run does not execute, since the run that it comes from did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InheritedStep {
    /// The step, from one.
    pub step: usize,
    /// How it ended there.
    #[serde(flatten, with = "EndOfStep")]
    pub end: StepEnd,
}
