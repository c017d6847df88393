//! The files of a database that a merge of git left to the user.

use std::collections::BTreeMap;
use std::path::Path;

use super::TasksGit;
use super::git_objects::{GitObject, read_objects};

/// A file with several versions in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UnmergedFile {
    /// Its path below the database.
    pub(crate) path: String,
    /// The common version; `None` if both sides added the file.
    pub(crate) base: Option<Vec<u8>>,
    /// `None` if we deleted it.
    pub(crate) ours: Option<Vec<u8>>,
    /// `None` if they deleted it.
    pub(crate) theirs: Option<Vec<u8>>,
}

impl UnmergedFile {
    /// The unmerged files of a database.
    pub(crate) fn all_of(database: &Path) -> Vec<Self> {
        let Some(git) = TasksGit::at(database) else { return Vec::new() };
        let listed = git.output(&["ls-files", "--unmerged", "-z", "--", "."]);
        let listed = String::from_utf8_lossy(&listed.unwrap_or_default()).into_owned();
        let entries: Vec<(&str, usize, &str)> = listed.split('\0').filter_map(entry).collect();
        let names: Vec<String> = entries.iter().map(|(id, ..)| (*id).to_owned()).collect();
        if names.is_empty() {
            return Vec::new();
        }
        let contents = read_objects(&git, &names).unwrap_or_default();
        let mut files: BTreeMap<&str, [Option<Vec<u8>>; 3]> = BTreeMap::new();
        for ((_, stage, path), content) in entries.iter().zip(contents) {
            if let Some(GitObject::File(content)) = content {
                files.entry(path).or_default()[stage - 1] = Some(content);
            }
        }
        let files = files.into_iter();
        files
            .map(|(path, [base, ours, theirs])| Self { path: path.to_owned(), base, ours, theirs })
            .collect()
    }
}

/// Reads `<mode> <id> <stage>`, a tab and the path.
fn entry(line: &str) -> Option<(&str, usize, &str)> {
    let (start, path) = line.split_once('\t')?;
    let mut words = start.split(' ').skip(1);
    let id = words.next()?;
    let stage = words.next()?.parse().ok().filter(|stage| (1..=3).contains(stage))?;
    Some((id, stage, path))
}
