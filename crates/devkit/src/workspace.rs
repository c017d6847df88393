//! The paths of the workspace.

use std::path::PathBuf;

use serde::Deserialize;

use crate::cargo;
use crate::command;
use crate::error::{Error, Result};

/// The workspace of the current folder.
#[derive(Debug, Clone, Deserialize)]
pub struct Workspace {
    #[serde(rename = "workspace_root")]
    pub root: PathBuf,
    /// Cargo's target folder, as the environment or a configuration file sets it.
    #[serde(rename = "target_directory")]
    pub target: PathBuf,
}

impl Workspace {
    /// Asks cargo, so that the result is the same from every folder of the repository.
    pub fn find() -> Result<Self> {
        let mut command = cargo::program();
        command.args(["metadata", "--no-deps", "--format-version=1"]);
        let text = command::stdout_of(&mut command)?;
        serde_json::from_str(&text).map_err(|source| Error::Output {
            command: command::shown(&command),
            expected: "the metadata we know",
            source: source.into(),
        })
    }
}
