//! Assigns commits to iterations.

use forkhestra_core::event::{CommitSummary, WorkSummary};
use forkhestra_core::history::IterationRecord;

/// The commits of each iteration of a step: those between the commits checked out before and after
/// it. Without known heads, no commit is assigned.
pub(super) fn commits_by_iteration(
    records: &[IterationRecord],
    work: Option<&WorkSummary>,
) -> Vec<Vec<CommitSummary>> {
    let all = work.map(|work| work.commits.as_slice()).unwrap_or_default();
    let mut taken = 0;
    let commits = records.iter().map(|record| {
        let signals = record.report.observation.signals.as_ref();
        let head = signals.and_then(|signals| signals.head.as_deref());
        let position = all.iter().position(|commit| Some(commit.id.as_str()) == head);
        match position {
            Some(position) if position >= taken => {
                let made = all[taken..=position].to_vec();
                taken = position + 1;
                made
            }
            _ => Vec::new(),
        }
    });
    commits.collect()
}

/// The commits of all steps that are assigned to no iteration.
pub(super) fn unassigned_commits<'a>(
    steps: impl Iterator<Item = &'a WorkSummary>,
    assigned: impl Iterator<Item = &'a CommitSummary>,
) -> Vec<CommitSummary> {
    let assigned: Vec<&str> = assigned.map(|commit| commit.id.as_str()).collect();
    let all = steps.flat_map(|work| &work.commits);
    all.filter(|commit| !assigned.contains(&commit.id.as_str())).cloned().collect()
}
