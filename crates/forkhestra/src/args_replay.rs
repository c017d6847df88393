//! What runs are told about recordings.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueHint};
use forkhestra_core::plan::{Fault, NotAFault, RequestedFault, Speed};

/// Recordings: to make one, or to play one.
#[derive(Debug, Args)]
#[command(next_help_heading = "Record and replay")]
pub(crate) struct RecordingArgs {
    /// Record the run to this directory: what agents print and when, and how they change the work
    /// tree.
    #[arg(
        long,
        value_name = "DIR",
        value_parser = NonEmptyStringValueParser::new(),
        value_hint = ValueHint::DirPath
    )]
    pub(crate) record: Option<String>,

    /// Play back a recording instead of starting agents.
    #[arg(
        long,
        value_name = "DIR",
        value_parser = NonEmptyStringValueParser::new(),
        value_hint = ValueHint::DirPath
    )]
    pub(crate) replay: Option<String>,

    /// Playback speed: 1 is as recorded, `max` does not wait [default: 1].
    #[arg(long, value_name = "N", requires = "replay", value_parser = Speed::parse)]
    pub(crate) speed: Option<Speed>,

    // Not in a comment, where brackets are links.
    #[arg(
        long = "fault",
        value_name = "FAULT",
        requires = "replay",
        value_parser = fault,
        help = "Inject a fault into a replay: [AGENT:][ITERATION:] and limit@LINE, truncate@LINE, crash@LINE or \
                hang; repeatable"
    )]
    pub(crate) faults: Vec<RequestedFault>,
}

/// What the player is told: it is started by us, in place of an agent.
#[derive(Debug, Args)]
pub(crate) struct PlayArgs {
    /// What was recorded of one try of an iteration.
    #[arg(value_name = "DIR")]
    pub(crate) unit: PathBuf,

    /// How fast.
    #[arg(long, value_name = "N", default_value_t, value_parser = Speed::parse)]
    pub(crate) speed: Speed,

    /// What goes wrong.
    #[arg(long, value_name = "FAULT", value_parser = Fault::parse)]
    pub(crate) fault: Option<Fault>,

    /// An earlier try was cut off, so the work tree may be what it becomes already.
    #[arg(long)]
    pub(crate) again: bool,

    /// What is in the work tree and is no work: directories of ours.
    #[arg(long, value_name = "DIR")]
    pub(crate) ours: Vec<PathBuf>,
}

/// An agent's name may have colons, a fault has one at most.
fn fault(text: &str) -> Result<RequestedFault, NotAFault> {
    if let Ok(fault) = Fault::parse(text) {
        return Ok(RequestedFault { agent: None, fault });
    }
    let colons = text.match_indices(':').map(|(place, _)| place);
    let found = colons.filter_map(|place| {
        let fault = Fault::parse(&text[place + 1..]).ok()?;
        Some(RequestedFault { agent: Some(text[..place].to_owned()), fault })
    });
    found.into_iter().next().ok_or(NotAFault)
}
