//! The development programs that have crates of their own.
//!
//! They are built when they are needed, so that the quick check does not compile them.

use std::ffi::{OsStr, OsString};
use std::process::Command;

use devkit::cargo;
use devkit::command;
use devkit::error::Result;
use devkit::test_build;
use devkit::workspace::Workspace;

/// Measures the shipped programs.
pub(crate) const BENCH: &str = "bench";
/// Kills and disturbs runs.
pub(crate) const PROOFS: &str = "proofs";

/// Arguments that another program reads.
#[derive(Debug, clap::Args)]
pub(crate) struct ToolArgs {
    /// Options; `--help` lists them
    #[arg(value_name = "OPTION", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<OsString>,
}

/// Builds a program and runs it with these arguments.
pub(crate) fn run(
    workspace: &Workspace,
    name: &str,
    arguments: &[impl AsRef<OsStr>],
) -> Result<()> {
    command::run(built(workspace, name)?.args(arguments))
}

/// The same, with its output printed at its end.
pub(crate) fn run_beside_others(
    workspace: &Workspace,
    name: &str,
    arguments: &[impl AsRef<OsStr>],
) -> Result<()> {
    command::run_beside_others(built(workspace, name)?.args(arguments))
}

fn built(workspace: &Workspace, name: &str) -> Result<Command> {
    let built = test_build::build(workspace, &[name])?;
    cargo::find(&built, name).map(Command::new)
}

/// The name of a command, and the arguments that follow it.
pub(crate) fn with_name(name: &str, args: ToolArgs) -> Vec<OsString> {
    let name = OsString::from(name);
    std::iter::once(name).chain(args.arguments).collect()
}
