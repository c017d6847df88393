//! `.agent-state/` in the working directory of a run: views of the run for people and scripts.
//!
//! | file | content |
//! |---|---|
//! | `chain-<id>.json` | the run: its definition, its steps with their states, the current one; [`ChainView`] |
//! | `run-<id>-<step>.json` | a step with all its iterations; [`RunView`] |
//! | `iterations.jsonl` | a line for each iteration of all runs here; [`IterationView`] |
//! | `summary-<id>.md` | a summary of the finished run |
//!
//! The journal is authoritative, and all of these files can be regenerated from it. So they are
//! replaced atomically but never synced, and may be deleted.
//!
//! A step's file holds all its iterations. Writing it after each of them would take quadratic time.
//! So it is written again only when it has grown by a fixed fraction, and the total amount written
//! is a multiple of its final size. `iterations.jsonl` is always complete.

mod chain_view;
mod check_view;
pub(crate) mod cost_fields;
pub(crate) mod flow_view;
mod identify;
mod iteration_tasks_view;
mod iteration_view;
mod iterations_log;
mod lanes_view;
mod run_view;
mod steering_view;
mod view_dir;
mod whole_view;
mod work_view;

use std::path::PathBuf;
use std::time::Duration;

use forkhestra_core::id::RunId;
use schemars::JsonSchema;
use serde_json::Value;

use crate::format::Version;

pub use chain_view::{AtWorkView, ChainView, StepView};
pub use check_view::CheckView;
pub use cost_fields::CostFields;
pub use flow_view::{AnswerView, ConditionView, QuestionView, RefusalView, RoundView};
pub use identify::{IdentifiedRun, identify};
pub use iteration_tasks_view::IterationTasksView;
pub use iteration_view::{IterationView, SignalWord, VerdictWord};
pub use lanes_view::{HeldView, LandingsView, LaneView, LanesView, ParkedView, QueueWord};
pub use run_view::RunView;
pub use steering_view::SteeringView;
pub use view_dir::{ViewDir, ViewWriter};
pub use whole_view::{FilesView, ForkView, OwnerView, WarningView, WholeView, programs};
pub use work_view::{SnapshotView, WorkView};

/// The version of the files. As with journals, readers skip unknown members.
pub(crate) const FORMAT: Version = Version { major: 1, minor: 5 };

/// Facts about a run that its events do not contain.
#[derive(Debug, Clone)]
pub struct ViewFacts {
    /// The path of the journal.
    pub journal: PathBuf,
    /// The command that resumes the run.
    pub resume: Option<String>,
}

/// The JSON Schema of `chain-<id>.json`.
pub fn chain_schema() -> Value {
    schema_of::<ChainView>("A run, as .agent-state/chain-<id>.json has it")
}

/// The JSON Schema of `run-<id>-<step>.json`.
pub fn run_schema() -> Value {
    schema_of::<RunView>("A step of a run, as .agent-state/run-<id>-<step>.json has it")
}

/// The JSON Schema of a line of `iterations.jsonl`.
pub fn iteration_schema() -> Value {
    schema_of::<IterationView>("An iteration, as a line of .agent-state/iterations.jsonl has it")
}

fn schema_of<T: JsonSchema>(title: &str) -> Value {
    let mut schema = schemars::SchemaGenerator::default().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    schema.to_value()
}

fn chain_file(run: &RunId) -> String {
    format!("chain-{run}.json")
}

fn run_file(run: &RunId, step: usize) -> String {
    format!("run-{run}-{step}.json")
}

fn summary_file(run: &RunId) -> String {
    format!("summary-{run}.md")
}

pub(crate) fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
