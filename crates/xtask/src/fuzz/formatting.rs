//! The format of the fuzz crate, which is not in the workspace.

use devkit::cargo::cargo;
use devkit::command;
use devkit::error::Result;
use devkit::workspace::Workspace;

use super::MANIFEST;

pub(crate) fn fmt(workspace: &Workspace) -> Result<()> {
    command::run(&mut cargo(workspace, ["fmt", "--manifest-path", MANIFEST, "--check"]))
}
