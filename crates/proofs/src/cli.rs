//! The command line of `proofs`.

use clap::{Parser, Subcommand};

use crate::{chaos, crash};

/// Proofs that runs survive.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", arg_required_else_help = true)]
pub(crate) struct ProofsCli {
    #[command(subcommand)]
    pub(crate) proof: Proof,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Proof {
    /// Disturb runs of random agents at random moments, and check the results
    Chaos(chaos::Args),
    /// Kill the program at every system call that changes something, and resume it
    Crash(crash::Args),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        ProofsCli::command().debug_assert();
    }
}
