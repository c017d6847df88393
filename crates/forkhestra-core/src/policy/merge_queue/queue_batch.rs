//! The entries of one batch and the chain of commits that they are merged into.

use super::{MergeResult, QueueEntry};
use crate::id::{CommitId, LaneNumber};

/// The entries of one batch that have neither landed nor been refused, in the order of their arrival.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct QueueBatch(Vec<BatchMember>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct BatchMember {
    entry: QueueEntry,
    /// The result of its merge onto the members before it; none if it must be merged.
    merge: Option<MergeResult>,
}

/// An entry with the paths that are in conflict.
pub(super) type ConflictingEntry = (QueueEntry, Vec<String>);

impl BatchMember {
    fn tip(&self) -> Option<&CommitId> {
        match &self.merge {
            Some(MergeResult::Merged { tip }) => Some(tip),
            _ => None,
        }
    }
}

impl QueueBatch {
    pub(super) fn new(entries: impl IntoIterator<Item = QueueEntry>) -> Self {
        Self(entries.into_iter().map(|entry| BatchMember { entry, merge: None }).collect())
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &QueueEntry> {
        self.0.iter().map(|member| &member.entry)
    }

    /// The entries that must be merged, and the commit onto which the first one goes.
    pub(super) fn to_merge(&self, integration: &CommitId) -> Option<(CommitId, Vec<QueueEntry>)> {
        let first = self.0.iter().position(|member| member.merge.is_none())?;
        let (merged, unmerged) = self.0.split_at(first);
        let onto = merged.iter().rev().find_map(BatchMember::tip).unwrap_or(integration);
        Some((onto.clone(), unmerged.iter().map(|member| member.entry.clone()).collect()))
    }

    /// Takes the results of merges that were asked for. Entries can have been withdrawn since; what was
    /// merged onto one of those must be merged anew.
    pub(super) fn record_merges(&mut self, asked: &[QueueEntry], results: Vec<MergeResult>) {
        for (entry, result) in asked.iter().zip(results) {
            match self.0.iter_mut().find(|member| member.entry == *entry) {
                Some(member) => member.merge = Some(result),
                None if matches!(result, MergeResult::Merged { .. }) => return,
                None => {}
            }
        }
    }

    /// The merged entries with the commits that contain them and everything before them. An entry
    /// behind one that must be merged is not among them.
    pub(super) fn chain<'a>(
        &'a self,
        integration: &'a CommitId,
    ) -> impl Iterator<Item = (&'a QueueEntry, &'a CommitId)> {
        let merged =
            self.0.iter().map_while(|member| Some((&member.entry, member.merge.as_ref()?)));
        merged
            .scan(integration, |last, (entry, result)| {
                if let MergeResult::Merged { tip } = result {
                    *last = tip;
                }
                let is_conflict = matches!(result, MergeResult::Conflict { .. });
                Some((!is_conflict).then_some((entry, *last)))
            })
            .flatten()
    }

    /// Removes the first entry if it is in conflict with the integration commit.
    pub(super) fn take_leading_conflict(&mut self) -> Option<ConflictingEntry> {
        if !matches!(self.0.first()?.merge, Some(MergeResult::Conflict { .. })) {
            return None;
        }
        self.drain_conflicts(1).pop()
    }

    /// Removes the first entry. What was merged onto it must be merged anew.
    pub(super) fn take_first(&mut self) -> Option<QueueEntry> {
        (!self.0.is_empty()).then(|| self.remove(0))
    }

    /// Removes entries that have landed. Returns those between them that are in conflict.
    pub(super) fn land(&mut self, landed: &[QueueEntry]) -> Vec<ConflictingEntry> {
        let is_landed = |member: &BatchMember| landed.contains(&member.entry);
        let Some(last) = self.0.iter().rposition(is_landed) else {
            return Vec::new();
        };
        self.drain_conflicts(last + 1)
    }

    /// Removes the entries of a lane but those that are landing.
    pub(super) fn withdraw(&mut self, lane: LaneNumber, landing: &[QueueEntry]) {
        let is_withdrawn =
            |member: &BatchMember| member.entry.lane == lane && !landing.contains(&member.entry);
        while let Some(index) = self.0.iter().position(is_withdrawn) {
            self.remove(index);
        }
    }

    fn drain_conflicts(&mut self, end: usize) -> Vec<ConflictingEntry> {
        let conflict = |member: BatchMember| match member.merge {
            Some(MergeResult::Conflict { paths }) => Some((member.entry, paths)),
            _ => None,
        };
        self.0.drain(..end).filter_map(conflict).collect()
    }

    fn remove(&mut self, index: usize) -> QueueEntry {
        let removed = self.0.remove(index);
        if removed.tip().is_some() {
            self.0[index..].iter_mut().for_each(|member| member.merge = None);
        }
        removed.entry
    }
}
