//! The project's own chores, run as `cargo xtask <chore>`.
//!
//! Everything that has to hold before a change is accepted is behind `cargo xtask test`; the other
//! chores make something (generated files, measurements, release binaries). Each chore is a module
//! with a `run` function, [`cli`] says how they are called, and [`command`] and [`cargo`] are the
//! only ways out to other programs.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a chore talks to the person who runs it"
)]

mod bench;
mod cargo;
mod chaos;
mod cli;
mod command;
mod crash;
mod demo;
mod dist;
mod error;
mod files;
mod fuzz;
mod generate;
mod licences;
mod packages;
mod real_agents;
mod release;
mod survival;
mod test;
mod workspace;

use std::process::ExitCode;

use clap::Parser as _;

use crate::cli::{Chore, Cli};
use crate::error::Result;
use crate::workspace::Workspace;

fn main() -> ExitCode {
    match perform(Cli::parse().chore) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            error::report(&error);
            ExitCode::FAILURE
        }
    }
}

fn perform(chore: Chore) -> Result<()> {
    let workspace = Workspace::find()?;
    match chore {
        Chore::Test(args) => test::run(&workspace, &args),
        Chore::Generate(args) => generate::run(&workspace, &args),
        Chore::Fuzz(args) => fuzz::run(&workspace, &args),
        Chore::Bench(args) => bench::run(&workspace, &args),
        Chore::Chaos(args) => chaos::run(&workspace, &args),
        Chore::Crash(args) => crash::run(&workspace, &args),
        Chore::Agents => real_agents::run(&workspace),
        Chore::RecordDemo => demo::run(&workspace),
        Chore::Dist => dist::run(&workspace),
    }
}
