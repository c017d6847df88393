//! The `forkhestra` program. The logic is in the library, which the other programs of this package
//! share.

use std::process::ExitCode;

fn main() -> ExitCode {
    forkhestra::main(std::env::args_os())
}
