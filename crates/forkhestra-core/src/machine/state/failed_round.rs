//! The round that a step completed, but whose checks did not all pass.

use super::step_state::StepState;
use crate::event::CheckReport;

#[derive(Debug)]
pub(crate) struct FailedRound<'a> {
    /// The number of the group.
    pub(crate) group: usize,
    /// The checks that did not pass.
    pub(crate) checks: Vec<&'a CheckReport>,
}

impl FailedRound<'_> {
    /// The names of the checks.
    pub(crate) fn names(&self) -> Vec<String> {
        self.checks.iter().map(|check| check.name.clone()).collect()
    }
}

impl StepState {
    /// The round that failed its checks after the step was complete. At most one did: the checks of
    /// the groups around it do not run then.
    pub(crate) fn failed_round(&self) -> Option<FailedRound<'_>> {
        self.round_checks.iter().find_map(|(group, checks)| {
            let checks: Vec<_> = checks.iter().filter(|check| !check.passed()).collect();
            (!checks.is_empty()).then_some(FailedRound { group: *group, checks })
        })
    }
}
