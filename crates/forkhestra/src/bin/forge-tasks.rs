//! The `forge-tasks` program: the task database that agents and people share.

use std::process::ExitCode;

use forge_tasks::cli::{self, World};
use forkhestra::KnownRuns;

fn main() -> ExitCode {
    let world = World::real(&KnownRuns, env!("CARGO_PKG_VERSION"));
    cli::main(std::env::args_os(), &world)
}
