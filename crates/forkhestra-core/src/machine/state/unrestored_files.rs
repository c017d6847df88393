//! Protected files that agents changed in a round, or before an alternative, and that are not
//! restored. Later steps are compared with the state before the change, so that another round does
//! not accept what was refused.

use super::run_state::RunState;
use super::step_state::StepState;
use crate::config::OnProtectedChange;
use crate::event::{PathList, WorkTreeSnapshot};

/// Protected files that differ from the baseline of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnrestoredFiles {
    /// The step whose baseline has their state before the change.
    pub step: usize,
    /// The digest of that baseline, if it is known.
    pub digest: Option<String>,
    /// The snapshot before the change, if one was taken.
    pub snapshot: Option<WorkTreeSnapshot>,
    pub paths: PathList,
    /// Whether other files may be changed, too: the work of an agent was not observed.
    pub may_be_more: bool,
}

impl StepState {
    /// The protected files that were changed at its last observation.
    fn changed_files(&self, step: usize) -> Option<UnrestoredFiles> {
        let (paths, may_be_more) =
            (self.protected_changes.paths(), self.protected_changes.may_be_more());
        if paths.is_empty() && !may_be_more {
            return None;
        }
        let digest = self.before.baselines.as_ref().and_then(|digests| digests.protected.clone());
        let snapshot = self.before.snapshot.clone();
        Some(UnrestoredFiles { step, digest, snapshot, paths, may_be_more })
    }
}

impl RunState {
    /// The protected files that steps (one-based) changed in their last round.
    fn changed_files(&self, steps: &[usize]) -> Vec<UnrestoredFiles> {
        let refuses = |step: &&usize| {
            let protect = self.plan.steps[**step - 1].protect.as_ref();
            protect.is_some_and(|protect| protect.value.on_change == OnProtectedChange::Refuse)
        };
        let guarded = steps.iter().filter(refuses);
        guarded.filter_map(|step| self.steps[step - 1].changed_files(*step)).collect()
    }

    /// Notes the protected files that steps (one-based) changed before they run again, or before
    /// something runs instead of them.
    pub(super) fn note_changed_files(&mut self, steps: &[usize]) {
        let mut changed = self.changed_files(steps);
        for files in &mut changed {
            files.snapshot = self.snapshot_before_change(files.step).cloned();
        }
        let has_run = |step: usize| self.steps[step - 1].protected_changes.is_known();
        self.unrestored.retain(|files| !(steps.contains(&files.step) && has_run(files.step)));
        self.unrestored.extend(changed);
    }

    /// The snapshot that has the protected files which a step (one-based) changed, or which it was
    /// refused for, as they were before.
    pub(crate) fn snapshot_before_change(&self, step: usize) -> Option<&WorkTreeSnapshot> {
        let state = self.step(step)?;
        let listed = state.protected_changes.paths().listed;
        let is_it =
            |files: &&UnrestoredFiles| files.paths.listed.iter().any(|path| listed.contains(path));
        let is_possible = |files: &&UnrestoredFiles| files.may_be_more;
        let known = self.unrestored.iter().find(is_it);
        let earlier = known.or_else(|| self.unrestored.iter().find(is_possible));
        let earlier = earlier.and_then(|files| files.snapshot.as_ref());
        earlier.or(state.before.snapshot.as_ref())
    }

    /// All protected files that steps (one-based) changed, and that were not restored.
    pub(super) fn changed_paths(&self, steps: &[usize]) -> PathList {
        let changed = self.changed_files(steps);
        PathList::of(changed.into_iter().flat_map(|files| files.paths.listed))
    }

    /// The files whose state before a change is the baseline of a step (one-based) that begins.
    pub fn unrestored_files(&self, step: usize) -> Vec<UnrestoredFiles> {
        let replaced: Vec<usize> = self.replaced_step(step).into_iter().collect();
        let mut all = self.changed_files(&replaced);
        all.extend(self.unrestored.iter().cloned());
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
