//! A run in a list.

use forkhestra_core::history::ExecutionStatus;
use forkhestra_core::time::Timestamp;
use serde::Serialize;

use crate::journal::recorded_run::HistoryError;
use crate::runs::run_dir::RunDir;
use crate::runs::run_overview::RunOverview;
use crate::runs::run_removal::is_leftover;

/// A run in a list. One that cannot be read hides no others.
#[derive(Debug)]
pub struct ListedRun {
    /// Where it is.
    pub run: RunDir,
    /// What is known of it, or why nothing is.
    pub overview: Result<RunOverview, HistoryError>,
}

/// A run in a list, for programs.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ListRowView<'a> {
    /// One that can be read.
    Sound(ReadableRowView<'a>),
    /// One that cannot.
    Unknown(UnreadableRowView),
}

/// A run in a list that can be read.
#[derive(Debug, Serialize)]
pub struct ReadableRowView<'a> {
    /// What is known of it.
    #[serde(flatten)]
    pub overview: &'a RunOverview,
    /// The run's directory.
    pub directory: String,
}

/// A run in a list whose journal cannot be read.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnreadableRowView {
    /// The run's id.
    pub id: String,
    /// `damaged` or `unreadable`.
    pub status: &'static str,
    /// Why its journal cannot be read.
    pub error: String,
    /// When the run began, to the second.
    pub started_at: String,
    /// The run's directory.
    pub directory: String,
}

/// Whether a journal that says nothing was that of a run which did something.
fn is_left_of_a_run(run: &RunDir) -> bool {
    run.journal().exists() && !is_leftover(run).unwrap_or(true)
}

/// What is said of a run whose journal is damaged.
pub const DAMAGED: &str = "damaged";
/// What is said of a run whose journal may well be sound, but cannot be read by us: it was written by
/// a newer version, or is out of reach.
pub const UNREADABLE: &str = "unreadable";

impl ListedRun {
    /// Reads what a list says of a run; nothing if nothing of it was ever recorded.
    pub fn read(run: RunDir) -> Option<Self> {
        match RunOverview::read(&run) {
            Err(error) if error.is_empty_run() && !is_left_of_a_run(&run) => None,
            known => Some(Self { run, overview: known }),
        }
    }

    /// When the run began: to the second if it cannot be read.
    pub fn started(&self) -> Timestamp {
        let known = self.overview.as_ref().ok();
        let started = known.and_then(|known| Timestamp::parse(&known.started_at).ok());
        started.unwrap_or_else(|| self.run.started())
    }

    /// What has become of the run, in one word.
    pub fn status_text(&self) -> &'static str {
        match &self.overview {
            Ok(known) => ExecutionStatus::from(known.status).as_str(),
            Err(error) if error.is_damage() || error.is_empty_run() => DAMAGED,
            Err(_) => UNREADABLE,
        }
    }

    /// The same for programs.
    pub fn view(&self) -> ListRowView<'_> {
        let directory = self.run.path().display().to_string();
        match &self.overview {
            Ok(overview) => ListRowView::Sound(ReadableRowView { overview, directory }),
            Err(error) => ListRowView::Unknown(UnreadableRowView {
                id: self.run.run().to_string(),
                status: self.status_text(),
                error: error.to_string(),
                started_at: self.run.started().to_string(),
                directory,
            }),
        }
    }
}
