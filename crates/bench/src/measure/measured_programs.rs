//! The programs under measurement.

use std::path::Path;

use devkit::cargo::{self, Executable};
use devkit::error::Result;
use devkit::release;
use devkit::workspace::Workspace;

/// The least that a program can do.
pub(crate) const TRUE: &str = if cfg!(target_os = "macos") { "/usr/bin/true" } else { "/bin/true" };

pub(crate) struct MeasuredPrograms(Vec<Executable>);

impl MeasuredPrograms {
    /// Builds what is shipped, so that what is measured is what users run, and what measures a part
    /// of it alone.
    pub(crate) fn build(workspace: &Workspace) -> Result<Self> {
        let mut programs = release::build(workspace)?;
        programs.extend(release::build_programs_of(workspace, "forkhestra-engine")?);
        Ok(Self(programs))
    }

    pub(crate) fn path(&self, name: &str) -> Result<&Path> {
        cargo::find(&self.0, name)
    }
}
