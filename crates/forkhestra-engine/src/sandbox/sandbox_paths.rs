//! The paths of a sandbox.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::package_caches::{PACKAGE_DIRECTORIES, PackageContent};

/// The paths of a sandbox. All are canonical and exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct SandboxPaths {
    /// Files and directories that can be written.
    pub(super) writable: BTreeSet<PathBuf>,
    /// Files and directories inside writable ones that can only be read.
    pub(super) read_only: BTreeSet<PathBuf>,
    /// Paths inside writable directories that should be read-only and do not exist or are links. No
    /// mechanism prevents that they are created or replaced, so they are watched.
    pub(super) unprotected: BTreeSet<PathBuf>,
    /// Directories that appear empty.
    pub(super) hidden: BTreeSet<PathBuf>,
    /// Files and directories inside hidden ones that can be read.
    pub(super) visible: BTreeSet<PathBuf>,
    /// Symbolic links in hidden directories that stay.
    pub(super) links: BTreeMap<PathBuf, PathBuf>,
    /// Directories in place of which others are seen.
    pub(super) replaced: BTreeMap<PathBuf, PathBuf>,
    /// The home directory and programs. A shared directory that holds one of them stays read-only
    /// where nothing can be hidden.
    pub(super) protected: BTreeSet<PathBuf>,
    /// The directory that is the sandbox's own `/tmp`.
    pub(super) temporary: PathBuf,
}

impl SandboxPaths {
    /// Adds a path that can be written, if it exists.
    pub(super) fn allow_write(&mut self, path: impl AsRef<Path>) {
        self.writable.extend(self.resolved(path.as_ref()));
    }

    /// The canonical path. `None` if it does not exist, or if a link inside of what can be written
    /// leads out of it: an agent may have made that link.
    pub(super) fn resolved(&self, path: &Path) -> Option<PathBuf> {
        let is_inside = |path: &Path| self.writable.iter().any(|root| path.starts_with(root));
        let mut place = PathBuf::new();
        for part in path.components() {
            if part == Component::ParentDir {
                place.pop();
                continue;
            }
            place.push(part);
            let target = real(&place)?;
            if is_inside(&place) && !is_inside(&target) {
                return None;
            }
            place = target;
        }
        Some(place)
    }

    /// Removes what holds the home directory: it would make all of it writable.
    pub(super) fn exclude_home(&mut self, variables: &ProcessVariables<'_>) {
        let home = variables.home().and_then(real);
        self.writable.retain(|path| !is_too_wide(path, home.as_deref()));
    }

    /// The paths that still are what they were when they were found. An agent may have put a link
    /// into the place of one.
    pub(super) fn unchanged(&self) -> Self {
        let unchanged = |paths: &BTreeSet<PathBuf>| -> BTreeSet<PathBuf> {
            paths.iter().filter(|path| real(path).as_ref() == Some(path)).cloned().collect()
        };
        Self {
            writable: unchanged(&self.writable),
            read_only: unchanged(&self.read_only),
            visible: unchanged(&self.visible),
            ..self.clone()
        }
    }

    /// Adds a path that can only be read.
    pub(super) fn deny_write(&mut self, path: impl AsRef<Path>) {
        let target = real(&path);
        let entry =
            self.writable_entry(path.as_ref()).filter(|entry| Some(entry) != target.as_ref());
        self.unprotected.extend(entry);
        self.read_only.extend(target);
    }

    /// The directory entry of a path, with a canonical directory, if that can be written.
    fn writable_entry(&self, path: &Path) -> Option<PathBuf> {
        let entry = real(path.parent()?)?.join(path.file_name()?);
        self.writable.iter().any(|root| entry.starts_with(root)).then_some(entry)
    }

    /// Adds a directory that appears empty, if it exists.
    pub(super) fn hide(&mut self, path: impl AsRef<Path>) {
        self.hidden.extend(real(path).filter(|path| path.is_dir()));
    }

    /// Adds a path that can be read although it is in a hidden directory, if it exists.
    pub(super) fn show(&mut self, path: impl AsRef<Path>) {
        self.visible.extend(real(path));
    }

    /// Adds the caches of package managers. A missing one is created if its package manager is
    /// installed, which could not create it inside.
    pub(super) fn allow_package_caches(&mut self, variables: &ProcessVariables<'_>) {
        let caches =
            PACKAGE_DIRECTORIES.iter().filter(|entry| entry.content == PackageContent::Cache);
        let programs = variables.program_directories();
        for entry in caches {
            let home = variables.home();
            let path = entry.locate(|name| variables.path(name), home.as_deref());
            let Some(path) = path else { continue };
            let is_installed =
                || programs.iter().any(|place| place.join(entry.program()).is_file());
            if fs::symlink_metadata(&path).is_err() && is_installed() {
                // The package manager reports a directory that cannot be created.
                let _ = fs::create_dir_all(&path);
            }
            self.allow_write(path);
        }
    }
}

/// The environment of a process in a sandbox.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProcessVariables<'a>(pub(crate) &'a [(OsString, OsString)]);

impl<'a> ProcessVariables<'a> {
    /// The value of a variable; `None` if it is unset or empty.
    pub(super) fn get(&self, name: &str) -> Option<&'a OsStr> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_os_str()).filter(|value| !value.is_empty())
    }

    /// The absolute path in a variable.
    pub(super) fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    pub(super) fn home(&self) -> Option<PathBuf> {
        self.path("HOME")
    }

    /// The directories of `PATH`.
    pub(super) fn program_directories(&self) -> Vec<PathBuf> {
        let all = self.get("PATH").map(std::env::split_paths);
        all.into_iter().flatten().filter(|path| path.is_absolute()).collect()
    }

    /// Expands `~` at the start of a path; other relative paths start at `base`.
    pub(super) fn expand(&self, text: &str, base: &Path) -> PathBuf {
        let below = text.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
        match (below, self.home()) {
            (Some(below), Some(home)) => home.join(below.trim_start_matches('/')),
            _ => base.join(text),
        }
    }
}

/// Whether a canonical path holds the home directory or the whole file system.
pub(super) fn is_too_wide(path: &Path, home: Option<&Path>) -> bool {
    path.parent().is_none() || home.is_some_and(|home| home.starts_with(path))
}

/// The canonical path, if it exists.
pub(super) fn real(path: impl AsRef<Path>) -> Option<PathBuf> {
    path.as_ref().canonicalize().ok()
}
