//! The `forge-tasks` program: the task database that agents and people share. The logic is in the
//! libraries.

use std::process::ExitCode;

fn main() -> ExitCode {
    forkhestra::forge_tasks(std::env::args_os())
}
