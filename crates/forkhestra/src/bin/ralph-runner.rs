//! The `ralph-runner` program: loops and chains by a command line of its own. Everything it does is in
//! the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    forkhestra::ralph_runner(std::env::args_os())
}
