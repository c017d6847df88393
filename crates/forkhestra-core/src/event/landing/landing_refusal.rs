//! Why work of a lane does not land.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::wire::words;
use crate::event::{CheckReport, PathList};
use crate::id::UnitId;

words! {
    /// Why work of a lane does not land.
    LandingRefusalKind(as_str) {
        /// It conflicts with work that has landed.
        Conflict = "conflict",
        /// A check that passes without it fails with it.
        ChecksFailed = "checks",
        /// It has no common history with the integration ref.
        Unrelated = "unrelated",
    }
}

/// Why work of a lane does not land, for reports and for the next agent of the lane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LandingRefusal {
    /// The kind.
    pub why: LandingRefusalKind,
    /// The files in conflict.
    #[serde(default, skip_serializing_if = "PathList::is_empty")]
    pub paths: PathList,
    /// The iterations whose work landed before and changed these files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<UnitId>,
    /// The checks that fail.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checks: Vec<CheckReport>,
}
