//! Builds programs of the workspace as the tests build them.
//!
//! Cargo compiles a dependency once for each set of features. The set depends on the selected
//! packages and on whether a test target is among them. This module selects the whole workspace and
//! one small test target, so that programs and tests share one set and nothing is compiled twice.

use crate::cargo::{self, Executable, cargo};
use crate::error::Result;
use crate::workspace::Workspace;

/// A small test target of the workspace. It selects the features of development dependencies.
const TEST_TARGET: &str = "tidy";

/// Builds these programs.
pub fn build(workspace: &Workspace, names: &[&str]) -> Result<Vec<Executable>> {
    let mut build = cargo(workspace, ["build", "--workspace", "--locked", "--test", TEST_TARGET]);
    build.args(names.iter().flat_map(|name| ["--bin", name]));
    cargo::build(&mut build)
}
