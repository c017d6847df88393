//! The commits of a lane that have not landed.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use forkhestra_core::event::CommitSummary;

use super::{MergeQueueError, QueueRepository};
use crate::repository::work_survey::commits;

/// The commits of a lane that the integration commit does not contain, and what they change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneCommits {
    /// The last one.
    pub head: String,
    /// The last of them, the oldest first.
    pub commits: Vec<CommitSummary>,
    /// How many precede these.
    pub more_commits: u32,
    /// The paths that they change, relative to the top. A file that was moved has both.
    pub paths: Vec<PathBuf>,
    pub added_lines: u64,
    pub removed_lines: u64,
    /// Whether the agent has rewritten the history with which it began.
    pub is_rewritten: bool,
}

/// What commits change, by `git diff-tree --numstat -z`.
#[derive(Debug, Default, PartialEq, Eq)]
struct ChangeStatistics {
    paths: Vec<PathBuf>,
    added: u64,
    removed: u64,
}

impl LaneCommits {
    pub(super) fn read(
        queue: &QueueRepository,
        integration: &str,
        merge_base: &str,
        head: String,
        lane_base: &str,
    ) -> Result<Self, MergeQueueError> {
        let session = queue.session();
        let (commits, more_commits) = commits(&session, Some(integration), &head)?;
        let diff = ["diff-tree", "-r", "-z", "-M", "--numstat", "--no-ext-diff", "--no-textconv"];
        let changed = session.require(&[&diff[..], &[merge_base, &head]].concat())?;
        let ChangeStatistics { paths, added, removed } = ChangeStatistics::parse(&changed);
        let is_rewritten = merge_base != lane_base && !queue.contains(&head, lane_base)?;
        let (added_lines, removed_lines) = (added, removed);
        Ok(Self { head, commits, more_commits, paths, added_lines, removed_lines, is_rewritten })
    }

    /// The number of commits.
    pub fn count(&self) -> u32 {
        u32::try_from(self.commits.len()).unwrap_or(u32::MAX).saturating_add(self.more_commits)
    }
}

impl ChangeStatistics {
    /// Parses `ADDED\tREMOVED\tPATH\0`, or `ADDED\tREMOVED\t\0FROM\0TO\0` for a file that was moved. A
    /// binary file has `-` in place of numbers.
    fn parse(output: &[u8]) -> Self {
        let path = |name: &[u8]| PathBuf::from(OsStr::from_bytes(name));
        let number =
            |text: &[u8]| std::str::from_utf8(text).ok().and_then(|text| text.parse::<u64>().ok());
        let mut statistics = Self::default();
        let mut parts = output.split(|byte| *byte == 0);
        while let Some(part) = parts.next() {
            let mut fields = part.splitn(3, |byte| *byte == b'\t');
            let (Some(added), Some(removed), Some(name)) =
                (fields.next(), fields.next(), fields.next())
            else {
                continue;
            };
            statistics.added += number(added).unwrap_or_default();
            statistics.removed += number(removed).unwrap_or_default();
            if name.is_empty() {
                statistics.paths.extend(parts.by_ref().take(2).map(path));
            } else {
                statistics.paths.push(path(name));
            }
        }
        statistics
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moved_and_binary_files_are_counted() {
        let output = b"3\t1\ta b\x00-\t-\tpicture\x002\t0\t\0from\0to\0";
        let paths = ["a b", "picture", "from", "to"].map(PathBuf::from).to_vec();
        let expected = ChangeStatistics { paths, added: 5, removed: 1 };
        assert_eq!(ChangeStatistics::parse(output), expected);
        assert_eq!(ChangeStatistics::parse(b""), ChangeStatistics::default());
    }
}
