//! Where things are.

use std::path::PathBuf;

use serde::Deserialize;

use crate::cargo;
use crate::command;
use crate::error::{Error, Result};
use crate::real_agents::RealAgents;

/// The workspace we were called in.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Workspace {
    #[serde(rename = "workspace_root")]
    pub(crate) root: PathBuf,
    /// Cargo's target folder, wherever the environment or a configuration file puts it.
    #[serde(rename = "target_directory")]
    pub(crate) target: PathBuf,
    /// Whether the tests run the real agents, which are installed for that.
    #[serde(skip)]
    pub(crate) real_agents: RealAgents,
}

impl Workspace {
    /// Asks cargo, so that the answer is the same from every folder of the repository.
    pub(crate) fn find() -> Result<Self> {
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
