//! What a sandbox needs to know about the machine and the project.

use std::path::PathBuf;

use super::start_paths::StartPaths;

/// What a sandbox needs to know about the machine and the project. The caller fills it in.
#[derive(Debug, Clone, Default)]
pub struct SandboxHost {
    /// The program bubblewrap, if a level needs it.
    pub bubblewrap: Option<PathBuf>,
    /// Files inside the work tree that agents may read but not write: config files.
    pub read_only: Vec<PathBuf>,
    /// Directories that agents must not see, besides the directory of the run: other state
    /// directories.
    pub hidden: Vec<PathBuf>,
    /// Programs of forkhestra that agents start.
    pub programs: Vec<PathBuf>,
    /// What can be written.
    pub start: StartPaths,
}
