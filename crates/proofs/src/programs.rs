//! The programs under test.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use devkit::cargo::{self, Executable};
use devkit::error::Result;
use devkit::workspace::Workspace;
use devkit::{release, test_build};

/// Which build of the programs is tested.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum BuildKind {
    /// The build that is released
    #[default]
    Shipped,
    /// The build that the tests use; nothing more is compiled
    Tests,
}

/// The programs of one build.
pub(crate) struct BuiltPrograms(Vec<Executable>);

impl BuiltPrograms {
    pub(crate) fn build(workspace: &Workspace, kind: BuildKind, names: &[&str]) -> Result<Self> {
        let programs = match kind {
            BuildKind::Shipped => release::build_only(workspace, names)?,
            BuildKind::Tests => test_build::build(workspace, names)?,
        };
        Ok(Self(programs))
    }

    pub(crate) fn path(&self, name: &str) -> Result<PathBuf> {
        cargo::find(&self.0, name).map(Path::to_owned)
    }
}
