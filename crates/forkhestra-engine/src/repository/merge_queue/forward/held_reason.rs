//! Why the user's work tree is not brought forward.

use std::fmt;
use std::path::PathBuf;

/// The maximum of paths that a text names.
const MAX_PATHS: usize = 5;

/// Why the user's work tree is not brought forward. Paths are relative to the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeldReason {
    /// No branch is checked out.
    DetachedHead,
    OtherBranch {
        expected: String,
        found: String,
    },
    /// The branch has no commit.
    NoCommit,
    /// What is in progress, such as `a merge`.
    Operation(String),
    /// The lock file of another git process.
    IndexLocked(PathBuf),
    /// The index has conflicts.
    Unmerged(Vec<PathBuf>),
    /// What the user has committed has no commit in common with what has landed.
    Unrelated,
    /// What the user has committed does not fit what has landed.
    Conflict(Vec<PathBuf>),
    /// Files with changes that are not committed, and that landings have changed.
    Edited(Vec<PathBuf>),
    Staged(Vec<PathBuf>),
    /// Files that git does not know, or ignores, where landings have files.
    InTheWay(Vec<PathBuf>),
    Submodules(Vec<PathBuf>),
    /// Files that a filter of the user's settings converts, such as those of git-lfs.
    Filtered(Vec<PathBuf>),
    /// The branch, or a file, was changed at the same time.
    ChangedMeanwhile(String),
}

impl HeldReason {
    /// The paths that are in the way.
    pub fn paths(&self) -> &[PathBuf] {
        match self {
            Self::Unmerged(paths)
            | Self::Conflict(paths)
            | Self::Edited(paths)
            | Self::Staged(paths)
            | Self::InTheWay(paths)
            | Self::Submodules(paths)
            | Self::Filtered(paths) => paths,
            _ => &[],
        }
    }
}

impl fmt::Display for HeldReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::DetachedHead => "no branch is checked out",
            Self::OtherBranch { expected, found } => {
                let short =
                    |name: &'_ String| name.strip_prefix("refs/heads/").unwrap_or(name).to_owned();
                return write!(
                    f,
                    "branch {} is checked out instead of {}",
                    short(found),
                    short(expected)
                );
            }
            Self::NoCommit => "the branch has no commit",
            Self::Operation(what) => return write!(f, "{what} is in progress"),
            Self::IndexLocked(lock) => {
                return write!(f, "another git process is at work ({} exists)", lock.display());
            }
            Self::Unmerged(_) => "the index has unresolved conflicts",
            Self::Unrelated => "the branch has no commit in common with what has landed",
            Self::Conflict(_) => "commits on the branch conflict with what has landed",
            Self::Edited(_) => "files that landings change have uncommitted changes",
            Self::Staged(_) => "files that landings change are staged",
            Self::InTheWay(_) => "files that git does not know are where landings have files",
            Self::Submodules(_) => "landings change submodules, which are not checked out for you",
            Self::Filtered(_) => "landings change files with a filter, which is not run for you",
            Self::ChangedMeanwhile(what) => {
                return write!(f, "{what} was changed at the same time");
            }
        };
        f.write_str(text)?;
        for (number, path) in self.paths().iter().take(MAX_PATHS).enumerate() {
            write!(f, "{}{}", if number == 0 { ": " } else { ", " }, path.display())?;
        }
        match self.paths().len().saturating_sub(MAX_PATHS) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_paths_are_named() {
        let paths = (0..7).map(|number| PathBuf::from(number.to_string())).collect();
        let expected = "files that landings change are staged: 0, 1, 2, 3, 4 and 2 more";
        assert_eq!(HeldReason::Staged(paths).to_string(), expected);
        assert_eq!(HeldReason::DetachedHead.to_string(), "no branch is checked out");
    }
}
