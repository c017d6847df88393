//! The stages that run tests, under nextest where it is installed.

use std::num::NonZeroUsize;
use std::process::Command;
use std::thread;

use devkit::cargo::cargo;
use devkit::error::Result;
use devkit::workspace::Workspace;
use devkit::{command, packages};

use super::cargo_stages::NOT_IN_CHECK;
use super::stage::StageContext;
use crate::real_agents;

pub(super) fn unit(context: &StageContext<'_>) -> Result<()> {
    let mut tests = runner(context.workspace);
    // `--bins` would link the shipped programs as tests, too; they have none.
    tests.args(["--lib", "--bin", "xtask"]).args(NOT_IN_CHECK);
    command::run(&mut tests)
}

pub(super) fn tests(context: &StageContext<'_>) -> Result<()> {
    for shell in ["zsh", "fish"] {
        packages::wish_for(shell, "to complete command lines in it");
    }
    packages::wish_for("groff", "to set manual pages");
    // tmux does not support `--version`.
    if !command::answers(Command::new("tmux").arg("-V")) {
        packages::try_to_install("tmux", "to watch runs in it");
    }
    if !command::answers(Command::new("bwrap").arg("--version")) {
        packages::try_to_install("bubblewrap", "to run agents in a sandbox");
    }
    if !command::answers(Command::new("go").arg("version")) {
        packages::try_to_install("golang-go", "to build a Go program in a sandbox");
    }
    let (variable, agents) = real_agents::for_tests(context.workspace, context.agents)?;
    let mut tests = runner(context.workspace);
    if has_nextest(context.workspace) {
        // The tidy test has a stage of its own.
        tests.args(["--filterset", "not binary(tidy)"]);
        tests.arg("--test-threads").arg(test_threads().to_string());
    } else {
        tests.args(["--lib", "--bins", "--tests"]);
    }
    command::run(tests.env(variable, agents))
}

/// Integration tests wait for processes and disks more than they compute.
fn test_threads() -> usize {
    4 * thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Runs the tidy test by itself, and prints its lists of the largest files and functions.
pub(super) fn tidy(context: &StageContext<'_>) -> Result<()> {
    let mut tidy = cargo(context.workspace, ["test", "--workspace", "--test", "tidy", "--locked"]);
    // One rule after the other, so that their lines are not mixed.
    tidy.args(["--", "--nocapture", "--test-threads=1"]);
    command::run(&mut tidy)
}

/// The command that runs tests of the workspace.
fn runner(workspace: &Workspace) -> Command {
    if has_nextest(workspace) {
        return cargo(workspace, ["nextest", "run", "--workspace", "--locked"]);
    }
    println!("cargo-nextest is not installed, `cargo test` runs the tests instead");
    cargo(workspace, ["test", "--workspace", "--locked"])
}

fn has_nextest(workspace: &Workspace) -> bool {
    command::answers(&mut cargo(workspace, ["nextest", "--version"]))
}
