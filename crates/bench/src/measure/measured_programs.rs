//! The measured programs.

use std::path::Path;

use devkit::cargo::{self, Executable};
use devkit::error::Result;
use devkit::release;
use devkit::workspace::Workspace;

/// The smallest possible program.
pub(crate) const TRUE: &str = if cfg!(target_os = "macos") { "/usr/bin/true" } else { "/bin/true" };

pub(crate) struct MeasuredPrograms(Vec<Executable>);

impl MeasuredPrograms {
    /// Builds the shipped programs, so that measurements match what users run, and the programs
    /// that measure a part of them.
    pub(crate) fn build(workspace: &Workspace) -> Result<Self> {
        let mut programs = release::build(workspace)?;
        programs.extend(release::build_programs_of(workspace, "forkhestra-engine")?);
        Ok(Self(programs))
    }

    pub(crate) fn path(&self, name: &str) -> Result<&Path> {
        cargo::find(&self.0, name)
    }
}
