//! Definition of the `ralph-runner` command line.

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Parser};
use clap_complete::engine::ArgValueCompleter;
use forkhestra_core::text::count::Count;

use crate::cli::args::limits::ResumeOnlyLimitArgs;
use crate::cli::args::work::WorkArgs;
use crate::completion::candidates;

const USAGE: &str = "\
ralph-runner [OPTIONS] --agent <NAME> --max-iterations <N> [-- ARGS…]
       ralph-runner [OPTIONS] --chain \"<AGENT>[:N] -> <AGENT>[:N] …\" [-- ARGS…]
       ralph-runner [OPTIONS] --resume <FILE>";

const EXAMPLES: &str = "\
An agent is done when it prints a completion marker and every check passes; with checks, an exit
code of 0 is enough instead of the marker. Checks run after every iteration, and the next iteration
gets the reasons of those that failed. A loop also ends after three iterations without any change.
`ralph-runner -h` is a summary of this page.

Examples:
  ralph-runner --agent plan-coordinator --max-iterations 20
  ralph-runner --agent fixer --max-iterations 15 --check command:\"cargo test\"
  ralph-runner --chain \"planner:10 -> builder:20\" --check builder:./done.ts
  ralph-runner --chain \"planner:10 -> builder:20\" --hook on-complete:./notify.sh
  ralph-runner --resume .agent-state/chain-abc123.json --max-iterations 40

`forkhestra runs`, `show`, `logs` and `watch` work for these runs, too.

Exit codes: 0 complete, 1 not complete, 2 stagnated or cycling, 3 usage or configuration error,
129 130 143 interrupted (HUP, INT, TERM), 137 a process of forkhestra was killed, 141 output closed";

/// Runs an agent in a loop, or several in a chain, until the work is verified as done.
#[derive(Debug, Parser)]
#[command(
    name = "ralph-runner",
    version,
    override_usage = USAGE,
    after_help = EXAMPLES,
    max_term_width = 100
)]
#[command(mut_arg("stagnation", |arg| arg.help(
    "Iterations in a row without a new state of the work tree [default: 3]"
)))]
pub(crate) struct RalphCli {
    /// The agent to run in a loop: a configured name, a program in ./bin or on PATH, or a path.
    #[arg(
        long,
        value_name = "NAME",
        value_parser = NonEmptyStringValueParser::new(),
        add = ArgValueCompleter::new(candidates::agents)
    )]
    pub(crate) agent: Option<String>,

    /// The most iterations of the agent; with `--resume`, counting iterations already done.
    #[arg(long, value_name = "N", value_parser = Count::parse)]
    pub(crate) max_iterations: Option<Count>,

    /// Agents that run one after another, each in a loop of at most N iterations, or once where there
    /// is no count.
    #[arg(
        long,
        value_name = "CHAIN",
        add = ArgValueCompleter::new(candidates::agents_of_chain)
    )]
    pub(crate) chain: Option<String>,

    /// Resume a run: its view file, journal or directory, or the start of its id.
    #[arg(
        long,
        value_name = "FILE",
        value_parser = NonEmptyStringValueParser::new(),
        add = ArgValueCompleter::new(candidates::unfinished_runs)
    )]
    pub(crate) resume: Option<String>,

    /// Pass this option on to the agents, which then use their tools without asking.
    #[arg(long)]
    pub(crate) dangerously_skip_permissions: bool,

    #[command(flatten)]
    pub(crate) work: WorkArgs,
    #[command(flatten)]
    pub(crate) resuming: RalphResumeArgs,
}

/// Arguments that are valid only with `--resume`.
#[derive(Debug, Args)]
#[command(next_help_heading = "With --resume")]
pub(crate) struct RalphResumeArgs {
    /// Cut a damaged journal at its first bad line; the damaged file is kept.
    #[arg(long)]
    pub(crate) repair: bool,

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

    #[command(flatten)]
    pub(crate) limits: ResumeOnlyLimitArgs,
}
