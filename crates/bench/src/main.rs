//! Measures the program against limits; started as `cargo xtask bench`.
//!
//! Absolute times depend on the machine more than on the program. So limits are ratios to a
//! yardstick that is measured in the same run, alternately, and compared by medians. Each
//! measurement is a file in [`work`] that returns [`Figure`](report::figure::Figure)s, and an entry
//! in [`suite`].

#![expect(clippy::print_stdout, reason = "the figures are printed")]

mod measure;
mod report;
mod suite;
mod work;

use std::process::ExitCode;

use clap::Parser as _;
use devkit::error;
use devkit::workspace::Workspace;

use crate::suite::BenchCli;

fn main() -> ExitCode {
    let cli = BenchCli::parse();
    match Workspace::find().and_then(|workspace| suite::run(&workspace, &cli)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            error::report(&error);
            ExitCode::FAILURE
        }
    }
}
