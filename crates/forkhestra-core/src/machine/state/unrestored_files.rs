//! Protected files that agents changed in a round, or before an alternative, and that are not
//! restored. Later steps are compared with the state before the change, so that another round does
//! not accept what was refused.

use super::run_state::RunState;
use super::step_state::StepState;
use crate::config::OnProtectedChange;
use crate::event::PathList;

/// Protected files that differ from the baseline of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnrestoredFiles {
    /// The step whose baseline has their state before the change.
    pub step: usize,
    /// The digest of that baseline, if it is known.
    pub digest: Option<String>,
    pub paths: PathList,
}

impl StepState {
    /// The protected files that were changed at its last observation.
    fn changed_files(&self, step: usize) -> Option<UnrestoredFiles> {
        let paths = self.last.as_ref()?.observation.protected.clone();
        let paths = paths.filter(|paths| !paths.is_empty())?;
        let digest = self.before.baselines.as_ref().and_then(|digests| digests.protected.clone());
        Some(UnrestoredFiles { step, digest, paths })
    }
}

impl RunState {
    /// The protected files that steps (one-based) changed in their last round.
    pub(super) fn changed_files(&self, steps: &[usize]) -> Vec<UnrestoredFiles> {
        let refuses = |step: &&usize| {
            let protect = self.plan.steps[**step - 1].protect.as_ref();
            protect.is_some_and(|protect| protect.value.on_change == OnProtectedChange::Refuse)
        };
        let guarded = steps.iter().filter(refuses);
        guarded.filter_map(|step| self.steps[step - 1].changed_files(*step)).collect()
    }

    /// The files whose state before a change is the baseline of a step (one-based) that begins.
    pub fn unrestored_files(&self, step: usize) -> Vec<UnrestoredFiles> {
        let replaced: Vec<usize> = self.replaced_by(step).into_iter().collect();
        let mut all = self.changed_files(&replaced);
        all.extend(self.steps[step - 1].unrestored.iter().cloned());
        for files in &mut all {
            let other = &self.steps[files.step - 1];
            if other.has_begun() {
                // Its baseline was written again in this round.
                let digests = other.before.baselines.as_ref();
                files.digest = digests.and_then(|digests| digests.protected.clone());
            }
        }
        all
    }
}
