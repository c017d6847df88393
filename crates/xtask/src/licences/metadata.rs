//! The part of `cargo metadata` that describes dependencies.

use std::path::PathBuf;

use serde::Deserialize;

use devkit::cargo::cargo;
use devkit::command;
use devkit::error::{Error, Result};
use devkit::workspace::Workspace;

/// All packages, including our own, for all platforms.
#[derive(Debug, Deserialize)]
pub(super) struct CargoMetadata {
    pub(super) packages: Vec<Package>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) license: Option<String>,
    /// Where it was fetched from; `None` for a path.
    pub(super) source: Option<String>,
    pub(super) manifest_path: PathBuf,
}

impl CargoMetadata {
    pub(super) fn read(workspace: &Workspace) -> Result<Self> {
        let mut command = cargo(workspace, ["metadata", "--locked", "--format-version=1"]);
        let text = command::stdout_of(&mut command)?;
        serde_json::from_str(&text).map_err(|source| Error::Output {
            command: command::shown(&command),
            expected: "the metadata we know",
            source: source.into(),
        })
    }
}
