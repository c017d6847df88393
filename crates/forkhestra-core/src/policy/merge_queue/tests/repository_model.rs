//! A repository in which a commit is the list of the entries that were merged into it.

use std::collections::BTreeSet;

use crate::id::{CommitId, LaneNumber, UnitId};
use crate::policy::{CheckResults, LandingCheckOutcome, MergeResult, QueueEntry};

/// The numbers of the entries that a commit contains.
pub(super) type Content = BTreeSet<u32>;

/// The lanes of which entries come.
const LANES: u32 = 5;

/// What merges and checks give. Entries are numbered.
#[derive(Debug, Clone, Default)]
pub(super) struct RepositoryModel {
    /// The checks, from one on.
    pub(super) checks: usize,
    /// Checks that are red without any entry.
    pub(super) red_at_start: BTreeSet<usize>,
    /// Each is an entry that turns a check red.
    pub(super) red: BTreeSet<(u32, usize)>,
    /// Pairs of entries that cannot be merged.
    pub(super) conflicts: BTreeSet<(u32, u32)>,
    /// In each pair, the first entry contains the work of the second.
    pub(super) contains: BTreeSet<(u32, u32)>,
    /// With a seed, the results of checks follow no rule, and some checks do not run at first.
    pub(super) seed: Option<u64>,
}

impl RepositoryModel {
    pub(super) fn base() -> CommitId {
        CommitId("base".to_owned())
    }

    pub(super) fn check_numbers(&self) -> BTreeSet<usize> {
        (1..=self.checks).collect()
    }

    /// An entry and all entries whose work it contains.
    pub(super) fn content_of(&self, number: u32) -> Content {
        let mut content = Content::from([number]);
        loop {
            let inner = self.contains.iter().filter(|(outer, _)| content.contains(outer));
            let larger: Content = inner.map(|(_, inner)| *inner).chain(content.clone()).collect();
            if larger == content {
                return content;
            }
            content = larger;
        }
    }

    pub(super) fn content(&self, commit: &CommitId) -> Content {
        let numbers = commit.0.split('+').filter_map(|number| number.parse().ok());
        numbers.flat_map(|number| self.content_of(number)).collect()
    }

    pub(super) fn is_conflict(&self, content: &Content, number: u32) -> bool {
        let entry = self.content_of(number);
        let (new, old) = (&entry - content, content - &entry);
        let apart = |a, b| self.conflicts.contains(&(a, b)) || self.conflicts.contains(&(b, a));
        new.iter().any(|new| old.iter().any(|old| apart(*new, *old)))
    }

    pub(super) fn merge(&self, onto: &CommitId, number: u32) -> MergeResult {
        let content = self.content(onto);
        if self.content_of(number).is_subset(&content) {
            MergeResult::AlreadyContained
        } else if self.is_conflict(&content, number) {
            MergeResult::Conflict { paths: vec![format!("{number}.rs")] }
        } else {
            MergeResult::Merged { tip: CommitId(format!("{onto}+{number}")) }
        }
    }

    /// The results after a commit was checked this many times.
    pub(super) fn check(&self, content: &Content, checked_before: usize) -> CheckResults {
        let outcome = |check| (check, self.outcome(content, check, checked_before));
        (1..=self.checks).map(outcome).collect()
    }

    /// The results of checks that all run.
    pub(super) fn results(&self, content: &Content) -> CheckResults {
        self.check(content, usize::MAX)
    }

    fn outcome(
        &self,
        content: &Content,
        check: usize,
        checked_before: usize,
    ) -> LandingCheckOutcome {
        let is_red = match self.seed {
            None => {
                let turns_red = |number: &u32| self.red.contains(&(*number, check));
                self.red_at_start.contains(&check) || content.iter().any(turns_red)
            }
            Some(seed) => {
                let hash = hash(seed, content, check);
                if hash.is_multiple_of(5) && checked_before < 2 {
                    return LandingCheckOutcome::NotRun;
                }
                hash.is_multiple_of(3)
            }
        };
        if is_red { LandingCheckOutcome::Red } else { LandingCheckOutcome::Green }
    }
}

fn hash(seed: u64, content: &Content, check: usize) -> u64 {
    let parts = content.iter().map(|number| u64::from(*number)).chain([check as u64]);
    let mixed = parts
        .fold(seed, |hash, part| (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29));
    mixed >> 7
}

pub(super) fn entry(number: u32) -> QueueEntry {
    let lane = LaneNumber::from_index((number % LANES) as usize).expect("there are few lanes");
    let unit = UnitId { step: 1, iteration: number, attempt: 1 };
    QueueEntry { lane, unit, commit: CommitId(format!("commit {number}")) }
}

pub(super) const fn number(entry: &QueueEntry) -> u32 {
    entry.unit.iteration
}

pub(super) fn numbers<'a>(entries: impl IntoIterator<Item = &'a QueueEntry>) -> Vec<u32> {
    entries.into_iter().map(number).collect()
}
