//! The directories of a git repository, found without git.

use std::fs;
use std::path::{Path, PathBuf};

use super::box_paths::{BoxPaths, real};

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
    /// Finds the repository around a directory. `None` if there is none.
    pub(super) fn around(directory: &Path) -> Option<Self> {
        let directory = real(directory)?;
        let top = directory.ancestors().find(|place| place.join(".git").exists())?;
        let git = git_directory(&top.join(".git"))?;
        let common = match fs::read_to_string(git.join("commondir")) {
            Ok(text) => real(git.join(text.trim_end()))?,
            Err(_) => git.clone(),
        };
        Some(Self { top: top.to_owned(), git, common })
    }

    /// Makes the repository writable, without its settings.
    pub(super) fn add_to(&self, paths: &mut BoxPaths) {
        paths.write(&self.git);
        paths.write(&self.common);
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
            paths.keep(self.top.join(".git"));
        }
    }
}

/// The directory that `.git` is or names.
fn git_directory(entry: &Path) -> Option<PathBuf> {
    if entry.is_dir() {
        return real(entry);
    }
    let text = fs::read_to_string(entry).ok()?;
    let named = text.strip_prefix("gitdir:")?.trim();
    real(entry.parent()?.join(named))
}

fn keep_settings(directory: &Path, paths: &mut BoxPaths) {
    for name in SETTINGS {
        paths.keep(directory.join(name));
    }
}

/// Keeps the settings of the git directories below a directory. Submodules may have slashes in
/// their names.
fn keep_settings_below(directory: &Path, depth: usize, paths: &mut BoxPaths) {
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
