//! The command line of `forkhestra bisect`.

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use forkhestra_core::history::SnapshotAddress;
use forkhestra_core::limit::{HumanDuration, Limit, LimitParseError};
use forkhestra_core::text::count::Count;

use crate::cli::args::runs::RunLocationArgs;
use crate::cli::args::work::SandboxArgs;
use crate::completion::candidates;

/// Arguments of `bisect`.
#[derive(Debug, Args)]
#[command(override_usage = "forkhestra bisect [OPTIONS] [RUN] [--check <SPEC>… | -- <CMD>…]")]
#[command(mut_arg("level", |arg| arg.help(
    "The sandbox of the command or the checks [default: that of the run's checks]"
)))]
#[command(mut_arg("writable", |arg| arg.help(
    "A further file or directory that the command or the checks may write; repeatable"
)))]
#[command(
    after_help = "The command decides by its exit code: 0 is good, 125 skips the snapshot, 1 to 124 are \
                  bad, and 126 and above, or a signal, end the search. It runs in a directory that has \
                  the files of the snapshot, with an empty home directory, in the sandbox of the run's \
                  checks. The work tree, its index and its branches are not changed.\n\n\
                  An iteration is named `7`, or `2.7` in step 2, or by its snapshot, `@12`. `0` is the \
                  state before the run.\n\n\
                  Exit codes: 0 found, 1 not found, 2 usage error, or the test command failed to run.\n\n\
                  Example: forkhestra bisect 1f0c -- cargo test"
)]
pub(crate) struct BisectArgs {
    /// The run: the start of its id, or the path of its journal, directory or view file
    /// [default: the last run of this work tree].
    #[arg(value_name = "RUN", add = ArgValueCompleter::new(candidates::runs))]
    pub(crate) run: Option<String>,

    /// The command that tests a snapshot.
    #[arg(last = true, value_name = "CMD")]
    pub(crate) command: Vec<String>,

    /// An iteration after which the test passes [default: 0, the state before the run].
    #[arg(long, value_name = "N", value_parser = SnapshotAddress::parse)]
    pub(crate) good: Option<SnapshotAddress>,

    /// An iteration after which the test fails [default: the last one].
    #[arg(long, value_name = "N", value_parser = SnapshotAddress::parse)]
    pub(crate) bad: Option<SnapshotAddress>,

    /// Test each snapshot K times; one that passes and fails is flaky, and skipped.
    #[arg(long, value_name = "K", value_parser = Count::parse, default_value = "1")]
    pub(crate) times: Count,

    /// Test by this check: `command:…`, `file:PATH` or a script; repeatable [default: the checks of
    /// the step].
    #[arg(
        long,
        value_name = "SPEC",
        conflicts_with = "command",
        add = ArgValueCompleter::new(candidates::checks)
    )]
    pub(crate) check: Vec<String>,

    /// End a test that takes longer than this, such as `90s`, and skip the snapshot, or `off`
    /// [default: that of the check, off for a command].
    #[arg(long, value_name = "TIME", value_parser = timeout)]
    pub(crate) timeout: Option<Limit<HumanDuration>>,

    /// Remove ignored files, such as build output, before each test.
    #[arg(long)]
    pub(crate) fresh: bool,

    /// Show the last lines that each test printed.
    #[arg(short, long)]
    pub(crate) verbose: bool,

    /// Print the result as JSON.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) place: RunLocationArgs,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
}

fn timeout(text: &str) -> Result<Limit<HumanDuration>, LimitParseError> {
    Limit::parse(text)
}
