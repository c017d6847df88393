//! What is known of the protected files that a step changed since it began.

use crate::event::{IterationReport, PathList, ProcessEnd};

/// The protected files that differ from the baseline of a step, as far as they were observed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ProtectedChanges {
    /// The files at the last observation; none before the first one.
    observed: Option<PathList>,
    /// Whether an agent worked since then: the run was cut off or cancelled before its work was
    /// observed.
    is_outdated: bool,
}

impl ProtectedChanges {
    /// Takes the report of an attempt.
    pub(super) fn note(&mut self, report: &IterationReport) {
        match &report.observation.protected {
            Some(paths) => {
                *self = Self { observed: Some(paths.clone()), is_outdated: false };
            }
            None if matches!(report.end, Some(ProcessEnd::NotStarted { .. })) => {}
            None => self.note_unobserved(),
        }
    }

    /// Notes that an agent worked, and that its work was not observed.
    pub(super) const fn note_unobserved(&mut self) {
        self.is_outdated = true;
    }

    /// Whether anything is known about agents of the step.
    pub(super) const fn is_known(&self) -> bool {
        self.observed.is_some() || self.is_outdated
    }

    /// The files that were observed.
    pub(super) fn paths(&self) -> PathList {
        self.observed.clone().unwrap_or_default()
    }

    /// Whether other files than the observed ones may be changed.
    pub(super) const fn may_be_more(&self) -> bool {
        self.is_outdated
    }
}
