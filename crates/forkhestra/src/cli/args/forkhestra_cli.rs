//! Definition of the `forkhestra` command line: all options with their help texts.

use std::path::PathBuf;

use clap::builder::{NonEmptyStringValueParser, ValueRange};
use clap::{Args, Parser, ValueEnum, ValueHint};
use clap_complete::engine::ArgValueCompleter;
use forkhestra_core::plan::ReplaySpeed;
use typeset::color_mode::ColorMode;

use crate::cli::args::limits::NewLimitArgs;
use crate::cli::args::steer::UnattendedArgs;
use crate::cli::args::work::{SandboxArgs, WorkArgs};
use crate::cli::verbs::Verb;
use crate::completion::{self, candidates};

const USAGE: &str = "\
forkhestra [OPTIONS] <AGENT>[:N]
       forkhestra [OPTIONS] \"<AGENT>[:N] -> <AGENT>[:N] …\" [VAR=value…] [-- ARGS…]
       forkhestra [OPTIONS] --chain <NAME> [VAR=value…] [-- ARGS…]
       forkhestra <COMMAND> …";

const EXAMPLES: &str = "\
A chain is one agent, or several separated by `->`. An agent is a configured name, a built-in
agent, a program on PATH or a path. With a count (`builder:20`) it loops until its work is done, at
most so many times; without a count it runs once. `(a:20 -> b):3` repeats both until b accepts, `?`
asks you, and `a else b` runs b if a is not complete. `a:20 x4` runs 4 of the 20 iterations at a
time, and `(a | b)` runs both at the same time. Named chains, prompts and checks are in
forge/orch/chains.json; `forkhestra list` shows them. `forkhestra -h` is a summary of this page.

Examples:
  forkhestra task-manager                   one agent, once
  forkhestra task-coordinator:10            in a loop, up to 10 times
  forkhestra \"planner:3 -> builder:20\" --dry-run
  forkhestra \"(builder:20 -> reviewer):3\"   build and review, in up to 3 rounds
  forkhestra --chain single-task TASK_ID=TASK-001
  forkhestra builder:5 -p \"Fix the failing tests\"
  forkhestra resume                         resume the last run here
  forkhestra runs                           list the runs here, with their results
  forkhestra watch                          watch and control a run

Exit codes: 0 complete, 1 not complete, 2 usage or configuration error, 129 130 143 interrupted
(HUP, INT, TERM), 137 a process of forkhestra was killed, 141 output closed";

/// Runs coding agents unattended, in loops and chains, until the work is verified as done.
#[derive(Debug, Parser)]
#[command(
    name = "forkhestra",
    version,
    override_usage = USAGE,
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    max_term_width = 100
)]
pub(crate) struct ForkhestraCli {
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

/// Arguments of a run.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    /// The chain to run, and values for its variables.
    #[arg(
        value_name = "CHAIN|VAR=value",
        add = ArgValueCompleter::new(candidates::agents_of_chain)
    )]
    pub(crate) words: Vec<String>,

    /// Run a chain of the config file, or a built-in one.
    #[arg(
        long,
        value_name = "NAME",
        num_args = names_of_chain(),
        default_missing_value = "",
        add = ArgValueCompleter::new(candidates::chains)
    )]
    pub(crate) chain: Option<String>,

    /// Approve every question of the chain without asking.
    #[arg(long)]
    pub(crate) yes: bool,

    #[command(flatten)]
    pub(crate) work: WorkArgs,
}

/// The parser accepts a missing name, so that the error can list the names that exist. Completion
/// requires a name: otherwise it offers verbs as well.
fn names_of_chain() -> ValueRange {
    if completion::is_requested() { 1.into() } else { (0..=1).into() }
}

/// Options that locate the project and its config file.
#[derive(Debug, Default, Args)]
pub(crate) struct ProjectArgs {
    /// Work in this directory.
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<PathBuf>,

    /// Use this config file instead of the project's forge/orch/chains.json.
    #[arg(long, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,
}

/// Options for the record of a run.
#[derive(Debug, Args)]
#[command(next_help_heading = "State of runs")]
pub(crate) struct StateArgs {
    /// Keep runs in this directory instead of the user's state directory.
    #[arg(
        long,
        value_name = "DIR",
        value_parser = NonEmptyStringValueParser::new(),
        value_hint = ValueHint::DirPath
    )]
    pub(crate) state_dir: Option<String>,

    /// Crash safety of the journal: `fsync` survives a power failure, `os` only a crash of this program.
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub(crate) durability: DurabilityArg,

    /// Run even if another run is active in this work tree.
    #[arg(long)]
    pub(crate) no_lock: bool,

    /// Do not write a view of the run to .agent-state/ in the working directory.
    #[arg(long)]
    pub(crate) no_view: bool,
}

/// Options for what is printed, and how.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Show everything: full output, and where each value comes from.
    #[arg(short, long, conflicts_with = "quiet")]
    pub(crate) verbose: bool,

    /// Show only warnings, errors and the result.
    #[arg(long)]
    pub(crate) quiet: bool,

    /// Print for people or for programs.
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t)]
    pub(crate) output: OutputFormat,

    #[command(flatten)]
    pub(crate) color: ColorArgs,

    /// Whether the run is removed when it is over; then its directory is not printed.
    #[arg(skip)]
    pub(crate) is_temporary: bool,
}

/// Option for colours.
#[derive(Debug, Args)]
pub(crate) struct ColorArgs {
    /// Use colours.
    #[arg(long, value_name = "WHEN", value_enum, default_value_t)]
    pub(crate) color: ColorMode,
}

/// Arguments of `resume`.
#[derive(Debug, Args)]
#[command(mut_arg("cwd", |arg| arg.help(
    "Search for the run from this directory instead of the current one; if the directory of the run \
     no longer exists, resume it here"
)))]
#[command(mut_arg("state_dir", |arg| arg.help(
    "Search for runs in this directory instead of the user's state directory"
)))]
#[command(mut_arg("level", |arg| arg.help(
    "The sandbox of agents and checks from now on [default: that of the run]"
)))]
#[command(mut_arg("writable", |arg| arg.help(
    "A further file or directory that agents and checks may write from now on; repeatable"
)))]
pub(crate) struct ResumeArgs {
    /// The run: the start of its id, or the path of its journal, directory or view file
    /// [default: the last run of this work tree that is not complete].
    #[arg(value_name = "RUN", add = ArgValueCompleter::new(candidates::unfinished_runs))]
    pub(crate) run: Option<String>,

    /// Give the next agent this message, as `tell` does.
    #[arg(long, value_name = "TEXT")]
    pub(crate) tell: Option<String>,

    /// Approve the open question of the run, or the one that was denied, with an optional comment
    /// for the next agent.
    #[arg(
        long,
        value_name = "TEXT",
        num_args = 0..=1,
        default_missing_value = "",
        conflicts_with = "deny"
    )]
    pub(crate) approve: Option<String>,

    /// Deny the open question of the run, with an optional comment that says why.
    #[arg(long, value_name = "TEXT", num_args = 0..=1, default_missing_value = "")]
    pub(crate) deny: Option<String>,

    /// Cut a damaged journal at its first bad line; the damaged file is kept.
    #[arg(long)]
    pub(crate) repair: bool,

    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,
    #[command(flatten)]
    pub(crate) state: StateArgs,
    #[command(flatten)]
    pub(crate) limits: NewLimitArgs,
    #[command(flatten)]
    pub(crate) attend: UnattendedArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Arguments of `demo`.
#[derive(Debug, Args)]
pub(crate) struct DemoArgs {
    /// Keep the project of the demo.
    #[arg(long)]
    pub(crate) keep: bool,

    /// Playback speed: 1 is normal, `max` does not wait.
    #[arg(long, value_name = "N", default_value_t, value_parser = ReplaySpeed::parse)]
    pub(crate) speed: ReplaySpeed,

    /// Record the demo again, as `cargo xtask record-demo` does.
    #[arg(long, value_name = "DIR", hide = true)]
    pub(crate) record: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) color: ColorArgs,
}

/// Arguments of `list`.
#[derive(Debug, Args)]
pub(crate) struct ListChainsArgs {
    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) project: ProjectArgs,
    #[command(flatten)]
    pub(crate) color: ColorArgs,
}

/// Arguments of `schema`.
#[derive(Debug, Args)]
pub(crate) struct SchemaArgs {
    /// What to describe: the config file, a file in .agent-state/, a line of events, or statistics.
    #[arg(value_name = "OF", value_enum, default_value_t)]
    pub(crate) of: SchemaSubject,
    #[command(flatten)]
    pub(crate) color: ColorArgs,
}

/// What a schema describes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaSubject {
    // The config file.
    #[default]
    Config,
    // .agent-state/chain-<id>.json.
    ChainState,
    // .agent-state/run-<id>-<step>.json.
    RunState,
    // A line of .agent-state/iterations.jsonl.
    Iteration,
    // A line of `forkhestra events`, of `--output json` and of a journal.
    Events,
    // The output of `forkhestra stats --json`.
    Stats,
}

/// Which kind of crash the record of a run survives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DurabilityArg {
    // Survives a power failure: the journal is synced to disk before an agent starts.
    #[default]
    Fsync,
    // Survives a crash of this program only.
    Os,
}

impl From<DurabilityArg> for forkhestra_store::Durability {
    fn from(durability: DurabilityArg) -> Self {
        match durability {
            DurabilityArg::Fsync => Self::Fsync,
            DurabilityArg::Os => Self::Os,
        }
    }
}

/// Output for people or for programs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    #[default]
    Human,
    Json,
}
