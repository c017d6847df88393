//! Proofs that runs survive, started as `cargo xtask crash` and `cargo xtask chaos`.
//!
//! [`crash`] kills the programs at their system calls. [`chaos`] disturbs random runs. Both use
//! [`survival`]. The programs under test are built and started as a user starts them; none is
//! linked.

#![expect(clippy::print_stdout, reason = "a proof reports to the person who runs it")]

mod chaos;
mod cli;
mod crash;
mod programs;
mod survival;

use std::process::ExitCode;

use clap::Parser as _;
use devkit::error::{self, Result};
use devkit::workspace::Workspace;

use crate::cli::{Proof, ProofsCli};

fn main() -> ExitCode {
    match run(ProofsCli::parse().proof) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            error::report(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(proof: Proof) -> Result<()> {
    let workspace = Workspace::find()?;
    match proof {
        Proof::Chaos(args) => chaos::run(&workspace, &args),
        Proof::Crash(args) => crash::run(&workspace, &args),
    }
}
