//! A lane in use.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::repository::{LaneClone, LanePorts};

/// A lane in use.
#[derive(Debug)]
pub(super) struct OpenedLane {
    pub(super) clone: LaneClone,
    /// The ports that belong to it as long as it is in use.
    _ports: LanePorts,
    /// The commit of the integration ref that it was moved to last.
    pub(super) base: String,
    /// What its processes find in their environment in addition.
    pub(super) variables: Vec<(OsString, OsString)>,
}

impl OpenedLane {
    pub(super) fn new(
        clone: LaneClone,
        ports: LanePorts,
        base: &str,
        variables: Vec<(OsString, OsString)>,
    ) -> Self {
        Self { clone, _ports: ports, base: base.to_owned(), variables }
    }

    /// The working directory of the run in the lane, which may be below the top directory.
    pub(super) fn working_directory(&self, below_top: &Path) -> PathBuf {
        let top = self.clone.directory();
        if below_top == Path::new("") { top.to_owned() } else { top.join(below_top) }
    }
}
