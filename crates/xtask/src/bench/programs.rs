//! The programs under measurement.

use std::path::Path;

use crate::cargo::Executable;
use crate::error::{Error, Result};
use crate::release;
use crate::workspace::Workspace;

/// The least that a program can do.
pub(super) const TRUE: &str = if cfg!(target_os = "macos") { "/usr/bin/true" } else { "/bin/true" };

pub(super) struct Programs(Vec<Executable>);

impl Programs {
    /// Builds what is shipped, so that what is measured is what users run, and what measures a part
    /// of it alone.
    pub(super) fn build(workspace: &Workspace) -> Result<Self> {
        let mut programs = release::build(workspace)?;
        programs.extend(release::build_programs_of(workspace, "forkhestra-engine")?);
        Ok(Self(programs))
    }

    pub(super) fn path(&self, name: &str) -> Result<&Path> {
        let found = self.0.iter().find(|program| program.name == name);
        found.map(|program| program.path.as_path()).ok_or_else(|| {
            Error::Unmet(format!("the release build made no program called `{name}`"))
        })
    }
}
