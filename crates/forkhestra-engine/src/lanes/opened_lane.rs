//! A lane in use.

use forkhestra_core::id::LaneNumber;

use crate::repository::{LaneClone, LanePorts, LaneToFetch};

/// A lane in use.
#[derive(Debug)]
pub(super) struct OpenedLane {
    pub(super) clone: LaneClone,
    /// The ports that belong to it as long as it is in use.
    _ports: LanePorts,
    /// The commit of the integration ref that it was moved to last.
    pub(super) base: String,
}

impl OpenedLane {
    pub(super) fn new(clone: LaneClone, ports: LanePorts, base: &str) -> Self {
        Self { clone, _ports: ports, base: base.to_owned() }
    }

    /// The lane as a source of commits and snapshots.
    pub(super) fn to_fetch(&self, number: LaneNumber) -> LaneToFetch<'_> {
        LaneToFetch {
            number: u32::from(number.get()),
            directory: self.clone.directory(),
            base: &self.base,
        }
    }
}
