//! The directories of a git repository, found without git.

use std::fs;
use std::path::{Path, PathBuf};

use super::sandbox_paths::{ProcessVariables, SandboxPaths, real};

/// How deep submodules are searched for their settings.
const MAX_MODULE_DEPTH: usize = 6;

/// Files and directories below a git directory that name commands. A process that can write them
/// decides what git executes later, outside of the sandbox.
const SETTINGS: [&str; 6] = ["config", "config.worktree", "hooks", "info", "commondir", "gitdir"];

/// Directories that are created, so that an agent cannot create them with a content of its own.
const CREATED: [&str; 2] = ["hooks", "info"];

/// The directories of the repository around a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GitDirectories {
    /// The root of the work tree.
    pub(super) top: PathBuf,
    /// The git directory of this work tree.
    pub(super) git: PathBuf,
    /// The directory that all work trees share: usually the same.
    pub(super) common: PathBuf,
}

impl GitDirectories {
    /// Finds the repository that the variables of git name, or else the one around a directory.
    /// `None` if there is none.
    pub(super) fn of(directory: &Path, variables: &ProcessVariables<'_>) -> Option<Self> {
        let tree = variables.get("GIT_WORK_TREE").and_then(|tree| real(directory.join(tree)));
        let found = match variables.get("GIT_DIR") {
            Some(git) => {
                let git = real(directory.join(git)).filter(|git| is_repository(git))?;
                Self::at(real(directory)?, git)
            }
            None => Self::around(directory)?,
        };
        Some(Self { top: tree.unwrap_or(found.top), ..found })
    }

    /// Finds the repository around a directory.
    pub(super) fn around(directory: &Path) -> Option<Self> {
        let directory = real(directory)?;
        let top = directory.ancestors().find(|place| place.join(".git").exists())?;
        Some(Self::at(top.to_owned(), git_directory(top)?))
    }

    fn at(top: PathBuf, git: PathBuf) -> Self {
        let common = shared_directory(&git).unwrap_or_else(|| git.clone());
        Self { top, git, common }
    }

    /// Makes the repository writable, without its settings.
    pub(super) fn add_to(&self, paths: &mut SandboxPaths) {
        paths.allow_write(&self.git);
        paths.allow_write(&self.common);
        // Nothing is lost if they cannot be created: then the agent cannot create them either.
        for name in CREATED {
            let _ = fs::create_dir(self.common.join(name));
        }
        keep_settings(&self.git, paths);
        keep_settings(&self.common, paths);
        keep_settings_below(&self.common.join("worktrees"), 1, paths);
        keep_settings_below(&self.common.join("modules"), MAX_MODULE_DEPTH, paths);
        // The file that leads to the git directory of a linked work tree.
        if self.top.join(".git").is_file() {
            paths.deny_write(self.top.join(".git"));
        }
    }
}

/// The directory that `.git` of a work tree is or names. An agent may have written `.git`, so it
/// leads out of the work tree only to a directory that belongs to this work tree: that of a linked
/// work tree, which leads back, or that of a submodule.
fn git_directory(top: &Path) -> Option<PathBuf> {
    let entry = top.join(".git");
    if entry.is_dir() {
        return real(entry).filter(|git| git.starts_with(top));
    }
    let text = short_text(&entry)?;
    let git = real(top.join(text.strip_prefix("gitdir:")?.trim()))?;
    let leads_back = || {
        let back = short_text(&git.join("gitdir"))?;
        real(git.join(back.trim_end())).filter(|back| *back == entry)
    };
    let is_linked = || shared_directory(&git).is_some() && leads_back().is_some();
    let is_submodule = || {
        let around = top.parent().and_then(GitDirectories::around);
        around.is_some_and(|around| git.starts_with(around.git.join("modules")))
            && is_repository(&git)
    };
    (git.starts_with(top) || is_linked() || is_submodule()).then_some(git)
}

/// The directory that a linked work tree shares with the others. The file `commondir` is followed
/// only to the repository that holds the git directory.
fn shared_directory(git: &Path) -> Option<PathBuf> {
    let text = short_text(&git.join("commondir"))?;
    let common = real(git.join(text.trim_end()))?;
    let is_inside = git.parent().is_some_and(|place| place == common.join("worktrees"));
    (is_inside && is_repository(&common)).then_some(common)
}

/// Whether a directory has what every git directory has.
fn is_repository(git: &Path) -> bool {
    git.join("HEAD").exists() && (git.join("objects").is_dir() || shared_directory(git).is_some())
}

/// The text of a small regular file.
fn short_text(path: &Path) -> Option<String> {
    const MAX_SIZE: u64 = 64 << 10;
    let metadata = fs::symlink_metadata(path).ok()?;
    let is_short = metadata.is_file() && metadata.len() <= MAX_SIZE;
    is_short.then(|| fs::read_to_string(path).ok()).flatten()
}

fn keep_settings(directory: &Path, paths: &mut SandboxPaths) {
    for name in SETTINGS {
        paths.deny_write(directory.join(name));
    }
}

/// Keeps the settings of the git directories below a directory. Submodules may have slashes in
/// their names.
fn keep_settings_below(directory: &Path, depth: usize, paths: &mut SandboxPaths) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if !is_directory {
            continue;
        }
        let path = entry.path();
        keep_settings(&path, paths);
        let is_repository = path.join("HEAD").exists();
        let below = if is_repository { path.join("modules") } else { path };
        if depth > 1 {
            keep_settings_below(&below, depth - 1, paths);
        }
    }
}
