//! The `forkhestra` program. Everything it does is in the library, so that other programs of this
//! package share it.

use std::process::ExitCode;

fn main() -> ExitCode {
    forkhestra::main(std::env::args_os())
}
