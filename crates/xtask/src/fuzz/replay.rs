//! The fallback without a C++ compiler: replays the committed corpus without libFuzzer.

use devkit::cargo::cargo;
use devkit::command;
use devkit::error::Result;
use devkit::workspace::Workspace;

pub(super) fn run(workspace: &Workspace) -> Result<()> {
    command::run(&mut cargo(workspace, ["test", "--workspace", "--test", "corpus", "--locked"]))
}
