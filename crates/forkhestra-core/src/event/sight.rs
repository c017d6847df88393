//! What the world around a step looks like.

use crate::words;

/// What the world around a step looks like, as far as the step's rules ask for it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sight {
    /// The done file; none if there is none or nobody asked.
    pub done_file: Option<Stamp>,
    /// The whole state of the work tree; none if nobody asked or nobody can tell.
    pub tree: Option<Fingerprint>,
    /// The parts of it that can be told from one another; none if nobody asked or nobody can tell.
    pub signals: Option<Signals>,
    /// Protected files that are not what they were when the step began; none if nobody asked.
    pub protected: Option<Paths>,
    /// What was changed since the step began and is not committed; none if nobody asked.
    pub uncommitted: Option<Paths>,
    /// Where the work tree is kept.
    pub snapshot: Option<Snapshot>,
    /// The ids of the tasks that were not Done when the step began; none if the step does not ask for
    /// tasks, or they could not be read.
    pub open_tasks: Option<Vec<String>>,
}

/// What can be told from one another of a work tree in a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signals {
    /// The commit that is checked out; none before the first one.
    pub head: Option<String>,
    /// What would be committed.
    pub index: Fingerprint,
    /// All files: the tree that a commit of everything would have.
    pub files: Fingerprint,
    /// The tasks that agents share; none if there are none.
    pub tasks: Option<Fingerprint>,
}

/// Names of files, as many of them as one wants to read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Paths {
    /// The first ones, in order, relative to the working directory.
    pub listed: Vec<String>,
    /// How many there are beside these.
    pub more: u32,
}

impl Paths {
    /// So many are listed.
    pub const MOST: usize = 20;

    /// Lists the first of them.
    pub fn of(paths: impl IntoIterator<Item = String>) -> Self {
        let mut listed: Vec<String> = paths.into_iter().collect();
        listed.sort_unstable();
        listed.dedup();
        let more = u32::try_from(listed.len().saturating_sub(Self::MOST)).unwrap_or(u32::MAX);
        listed.truncate(Self::MOST);
        Self { listed, more }
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// How many there are in all.
    pub fn count(&self) -> usize {
        self.listed.len() + usize::try_from(self.more).unwrap_or(usize::MAX)
    }

    /// The first names, no more than so many, and how many there are beside these.
    pub fn first_in_words(&self, most: usize) -> String {
        let listed: Vec<&str> = self.listed.iter().take(most).map(String::as_str).collect();
        words::and_more(&listed, self.count() - listed.len())
    }

    /// All names that are listed, and how many there are beside these.
    pub fn in_words(&self) -> String {
        self.first_in_words(self.listed.len())
    }
}

/// A work tree that is kept as a commit of our own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// Its number in the run: that of the state before the first iteration is 0.
    pub number: u32,
    /// The commit.
    pub commit: String,
}

/// What agents made of a repository in a step.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Work {
    /// The commits they made, the oldest first, as many of them as one wants to read.
    pub commits: Vec<Commit>,
    /// How many there are beside these.
    pub more_commits: u32,
    /// How many files are not what they were.
    pub files: u32,
    /// Lines that were added.
    pub insertions: u32,
    /// Lines that were removed.
    pub deletions: u32,
    /// Files that were changed in the step and are not committed. Empty where no snapshot says what the
    /// work tree was before.
    pub uncommitted: Paths,
}

impl Work {
    /// So many commits are listed.
    pub const MOST_COMMITS: usize = 50;
}

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// Its id.
    pub id: String,
    /// The first line of its message.
    pub subject: String,
}

impl Commit {
    /// The beginning of its id, as long as git usually shows it.
    pub fn short_id(&self) -> &str {
        const DIGITS: usize = 7;
        self.id.char_indices().nth(DIGITS).map_or(&self.id, |(end, _)| &self.id[..end])
    }
}

/// Tells one state of a file from another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp(pub String);

/// Tells one state of a work tree from another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fingerprint(pub String);
