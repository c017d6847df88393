//! The `ralph-runner` program: loops and chains with its own command line. The logic is in the
//! library.

use std::process::ExitCode;

fn main() -> ExitCode {
    forkhestra::ralph_runner(std::env::args_os())
}
