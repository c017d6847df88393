//! The command line of `cargo xtask`.

use clap::{Parser, Subcommand};

use crate::stages::TestArgs;
use crate::tools::ToolArgs;
use crate::{fuzz, generate};

/// Development tasks of this repository.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", arg_required_else_help = true)]
pub(crate) struct XtaskCli {
    #[command(subcommand)]
    pub(crate) command: XtaskCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum XtaskCommand {
    /// Check while you work: formatting, clippy, repository rules and unit tests
    Check,
    /// Test before you propose a change; `--all` tests everything at full length
    Test(TestArgs),
    /// Write the committed files that are made from the built program
    Generate(generate::Args),
    /// Search for inputs that break the parsers, starting from the committed corpus
    Fuzz(fuzz::Args),
    /// Measure what the program costs against its limits
    #[command(disable_help_flag = true)]
    Bench(ToolArgs),
    /// Disturb runs of random agents at random moments, and check the results
    #[command(disable_help_flag = true)]
    Chaos(ToolArgs),
    /// Kill the program at every system call that changes something, and resume it
    #[command(disable_help_flag = true)]
    Crash(ToolArgs),
    /// Install the real agents that tests run, and print where they are
    Agents,
    /// Make the recording that `forkhestra demo` plays
    RecordDemo,
    /// Make the picture of the demo in the README
    Picture,
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
        XtaskCli::command().debug_assert();
    }

    #[test]
    fn no_command_and_an_unknown_command_are_usage_errors() {
        let none = XtaskCli::try_parse_from(["cargo xtask"]).expect_err("no command was named");
        assert_eq!(none.kind(), ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand);
        assert_eq!(none.exit_code(), 2);

        let unknown =
            XtaskCli::try_parse_from(["cargo xtask", "tset"]).expect_err("no such command");
        assert_eq!(unknown.kind(), ErrorKind::InvalidSubcommand);
        assert_eq!(unknown.exit_code(), 2);
    }

    #[test]
    fn options_of_other_programs_are_passed_on() {
        let cli = XtaskCli::try_parse_from(["cargo xtask", "crash", "--help", "--every", "10"]);
        let Ok(XtaskCli { command: XtaskCommand::Crash(args) }) = cli else { panic!("{cli:?}") };
        assert_eq!(args.arguments, ["--help", "--every", "10"]);
    }

    #[test]
    fn an_unknown_stage_or_fuzz_target_is_a_usage_error() {
        for line in [
            ["cargo xtask", "test", "--only", "nothing"],
            ["cargo xtask", "fuzz", "--target", "nothing"],
        ] {
            let error = XtaskCli::try_parse_from(line).expect_err("not a known name");
            assert_eq!(error.kind(), ErrorKind::InvalidValue, "{line:?}");
        }
    }
}
