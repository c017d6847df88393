//! The `forge-tasks` program: the task database that agents and people share. Everything it does is in
//! the libraries.

use std::process::ExitCode;

fn main() -> ExitCode {
    forkhestra::forge_tasks(std::env::args_os())
}
