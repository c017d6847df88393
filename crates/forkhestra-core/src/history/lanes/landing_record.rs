//! Records of landings, and of work that did not land.

use std::time::Duration;

use crate::event::{CheckReport, LandedWork, LandingRefusal, PathList};
use crate::id::{CommitId, LaneNumber, RunId, UnitId};
use crate::time::Timestamp;

/// A landing: work that landed as one batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandingRecord {
    /// Its number in the run.
    pub number: u32,
    pub at: Timestamp,
    /// The commit of the integration ref since then.
    pub commit: CommitId,
    pub landed: Vec<LandedWork>,
    /// Its landing checks; none if none had to run.
    pub checked: Option<LandingChecks>,
}

/// The landing checks of work that landed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LandingChecks {
    /// How long they ran.
    pub duration: Duration,
    /// How many fail, as they do without the work.
    pub failing: usize,
}

/// Work that was sent back to its lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedLanding {
    pub lane: LaneNumber,
    /// The last iteration of the work.
    pub unit: UnitId,
    pub at: Timestamp,
    pub refusal: LandingRefusal,
}

/// Work that is kept under a ref of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParkedWork {
    /// Its number in the run.
    pub number: u32,
    pub lane: LaneNumber,
    /// The last iteration of the work.
    pub unit: UnitId,
    pub commit: CommitId,
    /// The tasks that it finished, as far as they are known.
    pub tasks: Vec<String>,
    pub at: Timestamp,
}

/// Why the user's work tree does not have the landed work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldWorkTree {
    pub why: String,
    /// The files in the way.
    pub paths: PathList,
    pub since: Timestamp,
}

impl LandingChecks {
    pub(super) fn of(checks: &[CheckReport]) -> Self {
        let duration = checks.iter().map(|check| check.duration).sum();
        Self { duration, failing: checks.iter().filter(|check| !check.passed()).count() }
    }
}

impl ParkedWork {
    /// The full name of the ref that keeps it.
    pub fn ref_name(&self, run: &RunId) -> String {
        format!("refs/forkhestra/{run}/parked/{}", self.number)
    }
}
