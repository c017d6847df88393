//! What is left without a C++ compiler: feeding the committed corpus to the targets, without
//! libFuzzer.

use crate::cargo::cargo;
use crate::command;
use crate::error::Result;
use crate::workspace::Workspace;

use super::MANIFEST;

pub(super) fn run(workspace: &Workspace, targets: &[&str]) -> Result<()> {
    for target in targets {
        let mut replay = cargo(
            workspace,
            [
                "run",
                "--locked",
                "--no-default-features",
                "--manifest-path",
                MANIFEST,
                "--bin",
                "replay",
            ],
        );
        replay
            .arg("--target-dir")
            .arg(workspace.target.join("fuzz"))
            .args(["--", target])
            .arg(workspace.root.join("fuzz/corpus").join(target));
        command::run(&mut replay)?;
    }
    Ok(())
}
