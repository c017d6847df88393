//! The command line of `fork`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use clap_complete::engine::ArgValueCompleter;
use forkhestra_core::history::SnapshotAddress;
use forkhestra_core::text::count::Count;

use crate::cli::args::work::WorkArgs;
use crate::completion::candidates;

const EXPLANATION: &str = "\
The new run has the plan of RUN. These options override parts of it. It works in a clone of the
repository on a branch of its own, so that the first attempt stays and both can run at once.
Iterations, time and cost are counted anew.

N is an iteration (7, or 2.7 in step 2; 0 is the state before the run) or a snapshot number (@12).
`forkhestra rewind RUN --list` lists them.

Example:
  forkhestra fork k3v --at 6 -p \"Use the existing parser\" --model opus";

/// Arguments of `fork`.
#[derive(Debug, Args)]
#[command(
    override_usage = "forkhestra fork <RUN> --at <N> [--in <DIR> | --here] [OPTIONS]",
    after_help = EXPLANATION
)]
#[command(mut_arg("agent_args", |arg| arg.hide(true)))]
#[command(mut_arg("replay", |arg| arg.hide(true)))]
#[command(mut_arg("speed", |arg| arg.hide(true)))]
#[command(mut_arg("no_protect_scripts", |arg| arg.hide(true)))]
#[command(mut_arg("cwd", |arg| arg.help(
    "Search for the run from this directory instead of the current one"
)))]
#[command(mut_arg("state_dir", |arg| arg.help(
    "Search for runs, and keep the new one, in this directory instead of the user's state directory"
)))]
#[command(mut_arg("level", |arg| arg.help(
    "The sandbox of agents and checks [default: that of the run]"
)))]
#[command(mut_arg("on_cycle", |arg| arg.help(
    "What to do when the work tree returns to the state of an earlier iteration: report it, or end the step"
)))]
#[command(mut_arg("idle-timeout", |arg| arg.help("Time an agent may make no progress")))]
#[command(mut_arg("stagnation", |arg| arg.help(
    "Iterations in a row without a new state of the work tree"
)))]
#[command(mut_arg("max-wait", |arg| arg.help(
    "Longest wait for a provider's usage limit to reset"
)))]
#[command(mut_arg("checks", |arg| arg.help(
    "A further check, as for a new run; repeatable"
)))]
pub(crate) struct ForkArgs {
    /// The run: the start of its id, or the path of its journal, directory or view file.
    #[arg(value_name = "RUN", add = ArgValueCompleter::new(candidates::runs))]
    pub(crate) run: String,

    /// A chain, which a fork cannot have.
    #[arg(value_name = "CHAIN", hide = true)]
    pub(crate) words: Vec<String>,

    /// Continue from the state after this iteration.
    #[arg(long, value_name = "N", value_parser = SnapshotAddress::parse)]
    pub(crate) at: SnapshotAddress,

    /// Work in this directory, which must not exist or be empty [default: a new one in the state
    /// directory].
    #[arg(long = "in", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) directory: Option<PathBuf>,

    /// Bring the work tree of the run back to that state, as `rewind` does, and work there.
    #[arg(long, conflicts_with = "directory")]
    pub(crate) here: bool,

    /// With --here: rewind although files were changed since the last snapshot; the current state is
    /// saved first.
    #[arg(short, long, requires = "here")]
    pub(crate) force: bool,

    /// Iteration limit of the loop in which the fork continues (the limits of later loops are never
    /// lowered).
    #[arg(long, value_name = "N", value_parser = Count::parse)]
    pub(crate) max_iterations: Option<Count>,

    #[command(flatten)]
    pub(crate) work: WorkArgs,
}
