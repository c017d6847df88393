//! Parked work: commits that did not fit what has landed, each kept under a ref of its own.

use super::{MergeQueueError, QueueRepository};
use crate::repository::text;

/// The namespace of parked commits below that of the run.
pub(in crate::repository) const PARKED: &str = "parked";

/// A commit that is parked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParkedCommit {
    /// Its number among the parked commits of the run, from 1.
    pub number: u32,
    /// The full name of its ref.
    pub reference: String,
    pub commit: String,
    pub subject: String,
    /// Whether a branch, a tag or a remote branch contains it by now.
    pub is_merged: bool,
}

impl QueueRepository {
    /// Keeps a commit under the next free number, and returns the full name of its ref. A commit that is
    /// parked already keeps its number.
    pub fn park(&self, commit: &str) -> Result<ParkedCommit, MergeQueueError> {
        let unknown = || MergeQueueError::NoCommit(commit.to_owned());
        let commit = self.commit_of(commit)?.ok_or_else(unknown)?;
        let listed = self.parked()?;
        if let Some(known) = listed.iter().find(|known| known.commit == commit) {
            return Ok(known.clone());
        }
        let number = listed.last().map_or(1, |last| last.number.saturating_add(1));
        let reference = self.reference(&format!("{PARKED}/{number}"));
        self.session().require(&["update-ref", "--no-deref", &reference, &commit, ""])?;
        let parked = self.parked()?.into_iter().find(|parked| parked.number == number);
        parked.ok_or_else(|| MergeQueueError::Git(format!("{reference} was removed meanwhile")))
    }

    /// The parked commits of the run, by their numbers.
    pub fn parked(&self) -> Result<Vec<ParkedCommit>, MergeQueueError> {
        let place = self.reference(&format!("{PARKED}/"));
        let session = self.session();
        let format = "--format=%(refname) %(objectname) %(contents:subject)";
        let listed = text(&session.require(&["for-each-ref", format, &place])?);
        let mut parked = Vec::new();
        for line in listed.lines() {
            let mut parts = line.splitn(3, ' ');
            let (Some(reference), Some(commit)) = (parts.next(), parts.next()) else { continue };
            let number = reference.strip_prefix(&place).and_then(|number| number.parse().ok());
            let Some(number) = number else { continue };
            let contains =
                ["for-each-ref", "--count=1", "--format=%(refname)", "--contains", commit];
            let places = ["refs/heads", "refs/tags", "refs/remotes"];
            let containing = session.require(&[&contains[..], &places].concat())?;
            parked.push(ParkedCommit {
                number,
                reference: reference.to_owned(),
                commit: commit.to_owned(),
                subject: parts.next().unwrap_or_default().replace(char::is_control, "\u{fffd}"),
                is_merged: !containing.is_empty(),
            });
        }
        parked.sort_by_key(|parked: &ParkedCommit| parked.number);
        Ok(parked)
    }
}
