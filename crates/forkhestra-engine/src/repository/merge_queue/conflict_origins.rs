//! Finds out who changed a path that is in conflict.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use super::{MergeQueueError, QueueRepository};
use crate::repository::names;
use crate::repository::text;

/// An entry of the queue that has landed, or that is merged before another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LandedEntry {
    /// The last commit of the lane, which identifies the entry.
    pub head: String,
    /// The integration commit after it.
    pub landed_as: String,
}

/// A path on which a merge failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictedPath {
    /// Relative to the top.
    pub path: PathBuf,
    /// What the conflicts are, in the words of git: `contents`, `modify/delete`.
    pub kinds: BTreeSet<String>,
    /// The landed entries that changed it since the two histories parted, in the order in which they
    /// landed. It can be empty: with a directory that was moved, git finds conflicts elsewhere.
    pub origins: Vec<PathOrigin>,
}

/// Who changed a path, and by how many commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathOrigin {
    /// The head of the landed entry, or `None` for commits of others, such as the user.
    pub entry: Option<String>,
    pub commits: u32,
}

/// A commit between two others.
struct RangeCommit {
    parents: Vec<String>,
}

impl QueueRepository {
    /// The paths of a conflict, each with who changed it between two commits.
    pub(super) fn conflicted_paths(
        &self,
        conflicts: BTreeMap<PathBuf, BTreeSet<String>>,
        (base, tip): (&str, &str),
        landed: &[LandedEntry],
    ) -> Result<Vec<ConflictedPath>, MergeQueueError> {
        let range = self.range(base, tip)?;
        let entry_of = assign_to_entries(&range, landed);
        let changing = self.changing_commits(base, tip, conflicts.keys())?;
        let origins = |path: &PathBuf| {
            let commits = changing.get(path).map(Vec::as_slice).unwrap_or_default();
            let is_merge =
                |id: &&String| range.get(*id).is_some_and(|commit| commit.parents.len() > 1);
            // A merge that changed the path counts only if nothing else did.
            let plain: Vec<&String> = commits.iter().filter(|id| !is_merge(id)).collect();
            let counted = if plain.is_empty() { commits.iter().collect() } else { plain };
            let mut counts: BTreeMap<Option<usize>, u32> = BTreeMap::new();
            for id in counted {
                *counts.entry(entry_of.get(id.as_str()).copied()).or_default() += 1;
            }
            let origin = |(entry, commits): (Option<usize>, u32)| PathOrigin {
                entry: entry.and_then(|entry| landed.get(entry)).map(|entry| entry.head.clone()),
                commits,
            };
            counts.into_iter().map(origin).collect::<Vec<_>>()
        };
        let path = |(path, kinds): (PathBuf, BTreeSet<String>)| {
            let origins = origins(&path);
            ConflictedPath { path, kinds, origins }
        };
        Ok(conflicts.into_iter().map(path).collect())
    }

    /// The commits that one has and the other has not.
    fn range(
        &self,
        base: &str,
        tip: &str,
    ) -> Result<HashMap<String, RangeCommit>, MergeQueueError> {
        let range = format!("{base}..{tip}");
        let listed = text(&self.session().require(&["rev-list", "--parents", &range, "--"])?);
        let commit = |line: &str| {
            let mut ids = line.split(' ').map(str::to_owned);
            Some((ids.next()?, RangeCommit { parents: ids.collect() }))
        };
        Ok(listed.lines().filter_map(commit).collect())
    }

    /// For each of these paths, the commits in a range that changed it.
    fn changing_commits<'a>(
        &self,
        base: &str,
        tip: &str,
        paths: impl Iterator<Item = &'a PathBuf>,
    ) -> Result<HashMap<PathBuf, Vec<String>>, MergeQueueError> {
        let wanted: HashSet<&PathBuf> = paths.collect();
        let range = format!("{base}..{tip}\n");
        let args =
            ["diff-tree", "--stdin", "-r", "-c", "--root", "--no-renames", "--name-only", "-z"];
        let args = [&args[..], &["--no-ext-diff", "--no-textconv", "--always"]].concat();
        let session = self.session();
        let list = ["rev-list", range.trim_end(), "--"];
        let commits = session.require(&list)?;
        let output = session.send_input(&[], &args, &commits)?;
        let ids: HashSet<String> = text(&commits).lines().map(str::to_owned).collect();
        let mut changing: HashMap<PathBuf, Vec<String>> = HashMap::new();
        let mut current = String::new();
        for part in names(&output) {
            // The id of a commit ends with a line break or a zero byte, then its paths follow.
            let name = part.strip_suffix(b"\n").unwrap_or(part);
            match std::str::from_utf8(name).ok().filter(|name| ids.contains(*name)) {
                Some(id) => id.clone_into(&mut current),
                None => {
                    let path = PathBuf::from(OsStr::from_bytes(part));
                    if wanted.contains(&path) {
                        changing.entry(path).or_default().push(current.clone());
                    }
                }
            }
        }
        Ok(changing)
    }
}

/// For each commit of a range the first entry with which it landed.
fn assign_to_entries<'a>(
    range: &'a HashMap<String, RangeCommit>,
    landed: &'a [LandedEntry],
) -> HashMap<&'a str, usize> {
    let mut entry_of = HashMap::new();
    for (number, entry) in landed.iter().enumerate() {
        let mut todo = vec![entry.landed_as.as_str()];
        while let Some(id) = todo.pop() {
            let Some(commit) = range.get(id) else { continue };
            if !entry_of.contains_key(id) {
                entry_of.insert(id, number);
                todo.extend(commit.parents.iter().map(String::as_str));
            }
        }
    }
    entry_of
}
