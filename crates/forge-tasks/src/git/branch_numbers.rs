//! The highest number of a task on other branches and in other work trees of a repository.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::TasksGit;
use super::git_objects::{DirectoryEntry, GitDirectory, GitObject, read_objects};
use crate::database::{CONFIG, TasksConfig, id_of, last_number_of};

/// Which branches count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub enum BranchScope {
    /// The local ones.
    #[default]
    #[serde(rename = "branches")]
    Local,
    /// Those of remotes as well, as far as they were fetched.
    #[serde(rename = "remotes")]
    Remotes,
}

/// Older branches do not count, so that the time does not grow with their number.
const NEWEST: &str = "--count=100";

/// The highest number that a task has on any branch, or in another work tree; zero if there is
/// none, or no git.
pub fn highest_number(database: &Path, config: &TasksConfig) -> u64 {
    let Some((place, git)) = RepositoryPlace::of(database) else { return 0 };
    let of_trees = place.other_work_trees();
    let of_trees = of_trees.iter().map(|tree| highest_in_directory(tree, config));
    let of_branches = highest_on_branches(&git, &place.prefix, config).unwrap_or_default();
    of_trees.max().unwrap_or_default().max(of_branches)
}

fn highest_on_branches(git: &TasksGit, prefix: &str, config: &TasksConfig) -> Option<u64> {
    let mut list = vec!["for-each-ref", "--sort=-committerdate", NEWEST, "--format=%(tree)"];
    list.push("refs/heads");
    if config.ids.is_some_and(|ids| ids.look == BranchScope::Remotes) {
        list.push("refs/remotes");
    }
    // Many branches have the same files. A tag of something else has no tree.
    let trees = git.line(&list)?;
    let trees: BTreeSet<&str> = trees.lines().filter(|tree| !tree.is_empty()).collect();
    let names: Vec<String> = trees.iter().map(|tree| format!("{tree}:{prefix}")).collect();
    if names.is_empty() || prefix.contains('\n') {
        return None;
    }
    let mut highest = 0;
    let mut configs: BTreeSet<String> = BTreeSet::new();
    let directories = read_objects(git, &names)?.into_iter().flatten();
    let directories: BTreeSet<GitDirectory> = directories
        .filter_map(|object| match object {
            GitObject::Directory(directory) => Some(directory),
            GitObject::File(_) => None,
        })
        .collect();
    for directory in &directories {
        let entries = directory.entries();
        highest = highest.max(highest_named(entries.iter().map(|entry| entry.name), config));
        configs.extend(entries.iter().find(|entry| entry.name == CONFIG).map(DirectoryEntry::id));
    }
    let configs: Vec<String> = configs.into_iter().collect();
    if configs.is_empty() {
        return Some(highest);
    }
    for object in read_objects(git, &configs)?.into_iter().flatten() {
        if let GitObject::File(content) = object {
            highest = highest.max(last_number_of(&content).unwrap_or_default());
        }
    }
    Some(highest)
}

/// The highest number in the settings and the names of files of another work tree.
fn highest_in_directory(directory: &Path, config: &TasksConfig) -> u64 {
    let last = fs::read(directory.join(CONFIG)).ok().and_then(|content| last_number_of(&content));
    let names = fs::read_dir(directory).into_iter().flatten().flatten();
    let names: Vec<String> =
        names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    last.unwrap_or_default().max(highest_named(names.iter().map(String::as_str), config))
}

fn highest_named<'a>(names: impl Iterator<Item = &'a str>, config: &TasksConfig) -> u64 {
    let ids = names.filter_map(id_of);
    let own = ids.filter(|id| id.prefix().eq_ignore_ascii_case(config.prefix.as_str()));
    own.map(|id| id.number()).max().unwrap_or_default()
}

/// Where a database is in its repository, found without git.
struct RepositoryPlace {
    /// The top of the work tree.
    top: PathBuf,
    /// The directory that all work trees share.
    common: PathBuf,
    /// The path of the database from the top, without a slash at its end.
    prefix: String,
}

impl RepositoryPlace {
    fn of(database: &Path) -> Option<(Self, TasksGit)> {
        let git = TasksGit::at(database)?;
        let database = database.canonicalize().ok()?;
        let top = database.ancestors().find(|place| place.join(".git").exists())?.to_owned();
        let prefix = database.strip_prefix(&top).ok()?.to_str()?.to_owned();
        let own = directory_named_by(&top.join(".git"))?;
        let common = match fs::read_to_string(own.join("commondir")) {
            Ok(common) => own.join(common.trim_end()),
            Err(_) => own,
        };
        let place = Self { top, common: common.canonicalize().ok()?, prefix };
        (!place.prefix.is_empty()).then_some((place, git))
    }

    /// The same database in the other work trees of the repository.
    fn other_work_trees(&self) -> Vec<PathBuf> {
        let linked = fs::read_dir(self.common.join("worktrees")).into_iter().flatten().flatten();
        let linked = linked.filter_map(|entry| {
            let link = fs::read_to_string(entry.path().join("gitdir")).ok()?;
            Some(entry.path().join(link.trim_end()).parent()?.to_owned())
        });
        let main = self.common.parent().filter(|_| self.common.ends_with(".git"));
        let all = linked.chain(main.map(Path::to_owned));
        let others = all.filter(|tree| tree.canonicalize().is_ok_and(|tree| tree != self.top));
        others.map(|tree| tree.join(&self.prefix)).collect()
    }
}

/// A `.git` is a directory, or a file that names one.
fn directory_named_by(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let text = fs::read_to_string(git).ok()?;
    let named = text.strip_prefix("gitdir: ")?.trim_end();
    Some(git.parent()?.join(named))
}
