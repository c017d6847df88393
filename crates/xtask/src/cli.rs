//! The command line of `cargo xtask`.

use clap::{Parser, Subcommand};

use crate::{bench, chaos, crash, fuzz, generate, test};

/// The project's own chores.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) chore: Chore,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Chore {
    /// Check everything that has to hold before a change is accepted
    Test(test::Args),
    /// Write the committed files that are made from the built program
    Generate(generate::Args),
    /// Search for inputs that break the parsers, starting from the committed corpus
    Fuzz(fuzz::Args),
    /// Measure what the program costs against its limits
    Bench(bench::Args),
    /// Disturb runs of random agents at random moments, and look at what comes of them
    Chaos(chaos::Args),
    /// Kill the program at every system call by which it changes something, and resume it
    Crash(crash::Args),
    /// Install the real agents that tests run, and print where they are
    Agents,
    /// Make the recording that `forkhestra demo` plays
    RecordDemo,
    /// Build the release binaries into target/dist, and an archive of them
    Dist,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;
    use clap::error::ErrorKind;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn no_chore_and_an_unknown_chore_are_usage_errors() {
        let none = Cli::try_parse_from(["cargo xtask"]).expect_err("no chore was named");
        assert_eq!(none.kind(), ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand);
        assert_eq!(none.exit_code(), 2);

        let unknown = Cli::try_parse_from(["cargo xtask", "tset"]).expect_err("no such chore");
        assert_eq!(unknown.kind(), ErrorKind::InvalidSubcommand);
        assert_eq!(unknown.exit_code(), 2);
    }

    #[test]
    fn an_unknown_stage_or_fuzz_target_is_a_usage_error() {
        for line in [
            ["cargo xtask", "test", "--only", "nothing"],
            ["cargo xtask", "fuzz", "--target", "nothing"],
        ] {
            let error = Cli::try_parse_from(line).expect_err("not a known name");
            assert_eq!(error.kind(), ErrorKind::InvalidValue, "{line:?}");
        }
    }
}
