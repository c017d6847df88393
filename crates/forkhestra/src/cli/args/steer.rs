//! The command line of the verbs that steer and watch runs, and the options of unattended runs.

use clap::Args;
use clap_complete::engine::ArgValueCompleter;

use forkhestra_core::id::LaneNumber;
use forkhestra_core::text::lane_count::LaneCount;

use crate::cli::args::limits::NewLimitArgs;
use crate::cli::args::runs::RunLocationArgs;
use crate::completion::candidates;
use crate::notify::NotifyArg;

/// Options of an unattended run.
#[derive(Debug, Args)]
#[command(next_help_heading = "Background")]
pub(crate) struct UnattendedArgs {
    /// Run in the background, and print the run id.
    #[arg(long)]
    pub(crate) detach: bool,

    /// Where to send notifications (overrides the config): terminal, desktop, ntfy, slack, discord, webhook or none; repeatable.
    #[arg(long, value_name = "WHERE", value_parser = NotifyArg::parser(), hide_possible_values = true)]
    pub(crate) notify: Vec<NotifyArg>,
}

/// Arguments of `pause` and `continue`.
#[derive(Debug, Args)]
pub(crate) struct SteerArgs {
    /// The run: the start of its id, or the path of its journal, directory or view file
    /// [default: the active run of this work tree].
    #[arg(value_name = "RUN", add = ArgValueCompleter::new(candidates::active_runs))]
    pub(crate) run: Option<String>,

    #[command(flatten)]
    pub(crate) place: RunLocationArgs,
}

/// Arguments of `stop`.
#[derive(Debug, Args)]
pub(crate) struct StopArgs {
    /// End the active agent at once, instead of letting it finish its iteration.
    #[arg(long)]
    pub(crate) now: bool,

    /// Return when the run is over.
    #[arg(long)]
    pub(crate) wait: bool,

    #[command(flatten)]
    pub(crate) steer: SteerArgs,
}

/// Arguments of `tell`.
#[derive(Debug, Args)]
pub(crate) struct TellArgs {
    /// The run (optional, as for `stop`), and the text. `-` reads the text from standard input.
    #[arg(
        value_name = "RUN|TEXT",
        num_args = 1..,
        required = true,
        add = ArgValueCompleter::new(candidates::active_runs)
    )]
    pub(crate) words: Vec<String>,

    /// Send the text to the next agent of this lane, and not of any other.
    #[arg(long, value_name = "K", value_parser = lane_number)]
    pub(crate) lane: Option<LaneNumber>,

    #[command(flatten)]
    pub(crate) place: RunLocationArgs,
}

/// Arguments of `approve` and `deny`.
#[derive(Debug, Args)]
pub(crate) struct AnswerArgs {
    /// The run (optional, as for `stop`), and a comment for the next agent. `-` reads the comment
    /// from standard input.
    #[arg(
        value_name = "RUN|TEXT",
        num_args = 0..,
        add = ArgValueCompleter::new(candidates::active_runs)
    )]
    pub(crate) words: Vec<String>,

    /// Answer the question with this number, as the run printed it, and no later one. It can be left
    /// out for the first question of a run.
    #[arg(long, value_name = "N", value_parser = question)]
    pub(crate) question: Option<u32>,

    #[command(flatten)]
    pub(crate) place: RunLocationArgs,
}

/// Arguments of `skip`.
#[derive(Debug, Args)]
pub(crate) struct SkipArgs {
    /// Skip all steps of the repeated group that the current step is in.
    #[arg(long)]
    pub(crate) group: bool,

    #[command(flatten)]
    pub(crate) steer: SteerArgs,
}

/// Arguments of `set`.
#[derive(Debug, Args)]
pub(crate) struct SetArgs {
    #[command(flatten)]
    pub(crate) steer: SteerArgs,
    #[command(flatten)]
    pub(crate) limits: NewLimitArgs,
}

/// Arguments of `events`.
#[derive(Debug, Args)]
pub(crate) struct EventsArgs {
    /// The run: the start of its id, or the path of its journal, directory or view file
    /// [default: the last run of this work tree].
    #[arg(value_name = "RUN", add = ArgValueCompleter::new(candidates::runs))]
    pub(crate) run: Option<String>,

    /// Keep printing new events until the run is over.
    #[arg(short, long)]
    pub(crate) follow: bool,

    /// Print only the events of this lane.
    #[arg(long, value_name = "K", value_parser = lane_number)]
    pub(crate) lane: Option<LaneNumber>,

    /// Start with the event of this number, from 0.
    #[arg(long, value_name = "SEQ", default_value_t, value_parser = seq)]
    pub(crate) since: u64,

    #[command(flatten)]
    pub(crate) place: RunLocationArgs,
}

/// Arguments of `watch`.
#[derive(Debug, Args)]
pub(crate) struct WatchArgs {
    /// The run: the start of its id, or the path of its journal, directory or view file
    /// [default: the active run of this work tree, or a list of its runs].
    #[arg(value_name = "RUN", add = ArgValueCompleter::new(candidates::runs))]
    pub(crate) run: Option<String>,

    /// List the runs of all work trees.
    #[arg(long, conflicts_with = "run")]
    pub(crate) all: bool,

    #[command(flatten)]
    pub(crate) place: RunLocationArgs,
}

/// Parses the number of a lane.
pub(crate) fn lane_number(text: &str) -> Result<LaneNumber, &'static str> {
    let number: Option<u8> = text.parse().ok().filter(|number| *number <= LaneCount::MAX);
    let index = number.and_then(|number| usize::from(number).checked_sub(1));
    index.and_then(LaneNumber::from_index).ok_or("is not the number of a lane; they count from 1")
}

/// Parses the sequence number of an event.
fn seq(text: &str) -> Result<u64, &'static str> {
    text.parse().map_err(|_| "is not the number of an event; they count from 0")
}

/// Parses the number of a question.
fn question(text: &str) -> Result<u32, &'static str> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or("is not the number of a question; they count from 1")
}
