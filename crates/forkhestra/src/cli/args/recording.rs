//! Arguments for making and playing back recordings.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, ValueHint};
use forkhestra_core::plan::ReplaySpeed;

/// Options that make or play back a recording.
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
    #[arg(long, value_name = "N", requires = "replay", value_parser = ReplaySpeed::parse)]
    pub(crate) speed: Option<ReplaySpeed>,
}

/// Arguments of the replay process, which forkhestra starts in place of an agent.
#[derive(Debug, Args)]
pub(crate) struct PlayRecordingArgs {
    /// The recording of one attempt of an iteration.
    #[arg(value_name = "DIR")]
    pub(crate) unit: PathBuf,

    /// Playback speed.
    #[arg(long, value_name = "N", default_value_t, value_parser = ReplaySpeed::parse)]
    pub(crate) speed: ReplaySpeed,

    /// An earlier attempt was cut off, so the work tree may already contain the changes.
    #[arg(long)]
    pub(crate) again: bool,

    /// Directories of forkhestra in the work tree, which do not count as work.
    #[arg(long, value_name = "DIR")]
    pub(crate) ours: Vec<PathBuf>,
}
