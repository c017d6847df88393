//! The development tasks of this repository, run as `cargo xtask <task>`.
//!
//! [`stages`] has the checks that a change must pass. The other tasks generate files, recordings
//! and release binaries. Each task is a module with a `run` function and a line in [`cli`]. The
//! crash and chaos proofs and the measurements are programs of their own, which [`tools`] builds
//! and runs.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a task talks to the person who runs it"
)]

mod cli;
mod demo;
mod dist;
mod fuzz;
mod generate;
mod licences;
mod picture;
mod real_agents;
mod stages;
mod tools;

use std::process::ExitCode;

use clap::Parser as _;
use devkit::error::{self, Result};
use devkit::workspace::Workspace;

use crate::cli::{XtaskCli, XtaskCommand};

fn main() -> ExitCode {
    match perform(XtaskCli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            error::report(&error);
            ExitCode::FAILURE
        }
    }
}

fn perform(command: XtaskCommand) -> Result<()> {
    let workspace = Workspace::find()?;
    match command {
        XtaskCommand::Check => stages::check(&workspace),
        XtaskCommand::Test(args) => stages::test(&workspace, &args),
        XtaskCommand::Generate(args) => generate::run(&workspace, &args),
        XtaskCommand::Fuzz(args) => fuzz::run(&workspace, &args),
        XtaskCommand::Bench(args) => tools::run(&workspace, tools::BENCH, &args.arguments),
        XtaskCommand::Chaos(args) => {
            tools::run(&workspace, tools::PROOFS, &tools::with_name("chaos", args))
        }
        XtaskCommand::Crash(args) => {
            tools::run(&workspace, tools::PROOFS, &tools::with_name("crash", args))
        }
        XtaskCommand::Agents => real_agents::run(&workspace),
        XtaskCommand::RecordDemo => demo::run(&workspace),
        XtaskCommand::Picture => picture::run(&workspace),
        XtaskCommand::Dist => dist::run(&workspace),
    }
}
