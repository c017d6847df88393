//! What an agent made of a repository: seen, kept, and made again elsewhere.
//!
//! A [`Mark`] is the state of a repository. What happened between two of them is an [`Effects`]: the
//! commits as git keeps them, each with what it changed, and patches for what was staged and what was
//! not committed at all. Whoever [applies](apply()) it to the same work tree gets the same one, with the same
//! commits; if the branch began with the same commit, they even have the same names.
//!
//! Nothing of the user's is changed by looking: there is an index of our own, and objects go to files
//! of our own.

mod apply;
mod capture;
mod check;
mod commit_object;
mod error;
mod mark;
mod moving;
mod patch;
#[cfg(test)]
mod tests;

pub use apply::apply;
pub use check::check;
pub use error::EffectsError;

pub(crate) use capture::capture_with;
pub(crate) use mark::mark_with;

/// The state of a repository and its work tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// The commit that is checked out; none before the first one.
    pub head: Option<String>,
    /// The branch that is checked out, in full; none if it is a commit.
    pub branch: Option<String>,
    /// The tree that a commit of the user's index would have; none if it has conflicts.
    pub index: Option<String>,
    /// The tree that a commit of everything would have, files that git ignores excepted.
    pub tree: String,
    /// Files that are not in that tree, since they are too large or cannot be read.
    pub left_out: Vec<String>,
}

/// What happened between two states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effects {
    /// What was there before.
    pub start: Mark,
    /// What was there afterwards.
    pub end: Mark,
    /// What was committed, parents before their children.
    pub commits: Vec<CommitEffect>,
    /// Whether the branch is moved to where it was in the end. It is not if that could not be kept.
    pub moves_head: bool,
    /// What was staged: a patch from the tree of the last commit to the index.
    pub staged: Option<Vec<u8>>,
    /// What was not committed: a patch from the tree of the last commit to the work tree. If the branch
    /// is not moved, from the work tree before.
    pub rest: Option<Vec<u8>>,
    /// What of it is not kept as it was, if anything is not.
    pub why_inexact: Option<String>,
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitEffect {
    /// Its name.
    pub id: String,
    /// Its parents.
    pub parents: Vec<String>,
    /// Its tree.
    pub tree: String,
    /// The first line of its message.
    pub subject: String,
    /// The commit as git keeps it: author, committer, dates and message.
    pub object: Vec<u8>,
    /// What it changes, compared with its first parent; none if it changes nothing.
    pub patch: Option<Vec<u8>>,
}
