//! Merges what waits in the queue, each entry onto the one before.

use std::collections::BTreeSet;

use super::{
    ConflictedPath, LandedEntry, LandingMessage, LandingSignature, MergeQueueError, OverlayFile,
    QueueRepository,
};
use crate::repository::text;

/// An entry of the queue that is merged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeEntry {
    /// The last commit of a lane.
    pub commit: String,
    /// The message of the merge commit, if there is one.
    pub message: LandingMessage,
    pub signature: LandingSignature,
    /// Files that come from elsewhere than the lane. A path that is in conflict is resolved by them. If
    /// they change anything, a commit is made even if the branch could be moved forward.
    pub overlay: Vec<OverlayFile>,
}

/// What a batch of entries comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedBatch {
    /// The commit with all entries that could be merged.
    pub tip: String,
    /// What became of each entry, in their order.
    pub entries: Vec<EntryMerge>,
}

/// What became of an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EntryMerge {
    /// The entry contains the tip before it, and is the new tip.
    FastForwarded,
    /// A commit was made, which is the new tip.
    Merged { commit: String },
    /// The tip before it contains the entry already.
    Contained,
    /// The entry is left out.
    Conflicted { paths: Vec<ConflictedPath> },
    /// The entry is left out: it has no commit in common with the tip.
    Unrelated,
}

impl QueueRepository {
    /// Merges entries onto a commit, in this order. Those that cannot be merged are left out. No ref is
    /// moved. The same inputs come to the same commits.
    ///
    /// `landed` are the entries that landed before, in their order: a conflict names those that changed
    /// the same paths.
    pub fn merge_batch(
        &self,
        tip: &str,
        entries: &[MergeEntry],
        landed: &[LandedEntry],
    ) -> Result<MergedBatch, MergeQueueError> {
        let mut before = landed.to_vec();
        let mut batch = MergedBatch { tip: tip.to_owned(), entries: Vec::new() };
        for entry in entries {
            let merged = self.merge_entry(&batch.tip, entry, &before)?;
            let new_tip = match &merged {
                EntryMerge::FastForwarded => Some(&entry.commit),
                EntryMerge::Merged { commit } => Some(commit),
                _ => None,
            };
            if let Some(tip) = new_tip {
                batch.tip.clone_from(tip);
                before.push(LandedEntry { head: entry.commit.clone(), landed_as: tip.clone() });
            }
            batch.entries.push(merged);
        }
        Ok(batch)
    }

    fn merge_entry(
        &self,
        tip: &str,
        entry: &MergeEntry,
        landed: &[LandedEntry],
    ) -> Result<EntryMerge, MergeQueueError> {
        let commit = entry.commit.as_str();
        let Some(base) = self.merge_base(tip, commit)? else { return Ok(EntryMerge::Unrelated) };
        if base == commit {
            return match self.overlaid(entry, &self.tree_of(tip, entry)?)? {
                Some(tree) => self.landing(&tree, &[tip], entry),
                None => Ok(EntryMerge::Contained),
            };
        }
        if base == tip {
            return match self.overlaid(entry, &self.tree_of(commit, entry)?)? {
                Some(tree) => self.landing(&tree, &[tip, commit], entry),
                None => Ok(EntryMerge::FastForwarded),
            };
        }
        let mut merge = self.merge_trees(tip, commit)?;
        let resolved: BTreeSet<_> = entry.overlay.iter().map(|file| &file.path).collect();
        if merge.conflicts.keys().all(|path| resolved.contains(path)) {
            merge.conflicts.clear();
        }
        if !merge.conflicts.is_empty() {
            let paths = self.conflicted_paths(merge.conflicts, (&base, tip), landed)?;
            return Ok(EntryMerge::Conflicted { paths });
        }
        let tree = self.overlay(&merge.tree, &entry.overlay)?;
        self.landing(&tree, &[tip, commit], entry)
    }

    fn landing(
        &self,
        tree: &str,
        parents: &[&str],
        entry: &MergeEntry,
    ) -> Result<EntryMerge, MergeQueueError> {
        let commit = self.commit_tree(tree, parents, &entry.message, &entry.signature)?;
        Ok(EntryMerge::Merged { commit })
    }

    /// The tree of a commit, which only an overlay needs.
    fn tree_of(&self, commit: &str, entry: &MergeEntry) -> Result<String, MergeQueueError> {
        if entry.overlay.is_empty() {
            return Ok(String::new());
        }
        let tree = format!("{commit}^{{tree}}");
        Ok(text(&self.session().require(&["rev-parse", "--verify", &tree])?))
    }

    /// The tree with the overlay of an entry, or `None` if that changes nothing.
    fn overlaid(&self, entry: &MergeEntry, tree: &str) -> Result<Option<String>, MergeQueueError> {
        let overlaid = self.overlay(tree, &entry.overlay)?;
        Ok((overlaid != tree).then_some(overlaid))
    }
}
