//! The paths of a sandbox.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::package_caches::{PACKAGE_DIRECTORIES, PackageContent};

/// The paths of a sandbox. All are canonical and exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BoxPaths {
    /// Files and directories that can be written.
    pub(super) writable: BTreeSet<PathBuf>,
    /// Files and directories inside writable ones that can only be read.
    pub(super) read_only: BTreeSet<PathBuf>,
    /// Directories that appear empty.
    pub(super) hidden: BTreeSet<PathBuf>,
    /// Files and directories inside hidden ones that can be read.
    pub(super) visible: BTreeSet<PathBuf>,
    /// Symbolic links in hidden directories that stay.
    pub(super) links: BTreeMap<PathBuf, PathBuf>,
    /// The directory that is the sandbox's own `/tmp`.
    pub(super) temporary: PathBuf,
}

impl BoxPaths {
    /// Adds a path that can be written, if it exists.
    pub(super) fn write(&mut self, path: impl AsRef<Path>) {
        self.writable.extend(real(path));
    }

    /// Adds a path that can only be read, if it exists.
    pub(super) fn keep(&mut self, path: impl AsRef<Path>) {
        self.read_only.extend(real(path));
    }

    /// Adds a directory that appears empty, if it exists.
    pub(super) fn hide(&mut self, path: impl AsRef<Path>) {
        self.hidden.extend(real(path).filter(|path| path.is_dir()));
    }

    /// Adds a path that can be read although it is in a hidden directory, if it exists.
    pub(super) fn show(&mut self, path: impl AsRef<Path>) {
        self.visible.extend(real(path));
    }

    /// Adds the caches of package managers that exist.
    pub(super) fn write_package_caches(&mut self, variables: &BoxVariables<'_>) {
        let caches =
            PACKAGE_DIRECTORIES.iter().filter(|entry| entry.content == PackageContent::Cache);
        for entry in caches {
            let home = variables.home();
            if let Some(path) = entry.locate(|name| variables.path(name), home.as_deref()) {
                self.write(path);
            }
        }
    }
}

/// The environment of the confined process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BoxVariables<'a>(pub(crate) &'a [(OsString, OsString)]);

impl<'a> BoxVariables<'a> {
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

/// The canonical path, if it exists.
pub(super) fn real(path: impl AsRef<Path>) -> Option<PathBuf> {
    path.as_ref().canonicalize().ok()
}
