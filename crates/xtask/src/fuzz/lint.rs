//! The fuzz crate's part in the stages of `cargo xtask test`: it is not in the workspace.

use crate::cargo::cargo;
use crate::command;
use crate::error::Result;
use crate::workspace::Workspace;

use super::MANIFEST;

pub(crate) fn fmt(workspace: &Workspace) -> Result<()> {
    command::run(&mut cargo(workspace, ["fmt", "--manifest-path", MANIFEST, "--check"]))
}

/// Looks at everything but the few lines that need libFuzzer, which not every machine can build.
pub(crate) fn clippy(workspace: &Workspace) -> Result<()> {
    let mut clippy = cargo(workspace, ["clippy", "--locked", "--no-default-features"]);
    clippy
        .args(["--manifest-path", MANIFEST, "--target-dir"])
        .arg(workspace.target.join("fuzz"))
        .args(["--", "-Dwarnings"]);
    command::run(&mut clippy)
}
