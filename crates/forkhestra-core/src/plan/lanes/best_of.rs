//! Best of N: the same work in several lanes, of which one lands.

use serde::{Deserialize, Serialize};

use crate::plan::check::plan_check::ModuleRunner;
use crate::text::lane_count::LaneCount;

/// The same work in several lanes, which begin with the same commit. One of them lands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BestOf {
    pub lanes: LaneCount,
    pub pick: BestPick,
}

/// Which of the lanes that are complete lands: `"first"` or `{"script": …}`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BestPick {
    /// The first one; the others are ended.
    First,
    /// The one with the lowest cost.
    Cheapest,
    /// The one with the smallest diff.
    Smallest,
    /// The one for which a script prints the largest number.
    Script(PickScript),
}

/// A script that prints a number for the work tree that it runs in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PickScript {
    /// The path, relative to the working directory.
    pub path: String,
    /// The program that runs it, if it is a module.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runner: Option<ModuleRunner>,
}
