//! A row in a list of runs.

use forkhestra_core::time::Timestamp;
use serde::Serialize;

use crate::journal::recorded_run::HistoryError;
use crate::runs::run_dir::RunDir;
use crate::runs::run_overview::RunOverview;
use crate::runs::run_removal::is_leftover;

/// A row in a list of runs. An unreadable run does not hide the others.
#[derive(Debug)]
pub struct ListedRun {
    pub run: RunDir,
    pub overview: Result<RunOverview, HistoryError>,
}

/// The JSON form of a row in a list of runs.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ListRowView<'a> {
    Sound(ReadableRowView<'a>),
    Unknown(UnreadableRowView),
}

/// The row of a run whose journal can be read.
#[derive(Debug, Serialize)]
pub struct ReadableRowView<'a> {
    #[serde(flatten)]
    pub overview: &'a RunOverview,
    pub directory: String,
}

/// The row of a run whose journal cannot be read.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnreadableRowView {
    pub id: String,
    /// `damaged` or `unreadable`.
    pub status: &'static str,
    pub error: String,
    /// To the second.
    pub started_at: String,
    pub directory: String,
}

/// Whether a journal without complete lines belongs to a run that did something.
pub(crate) fn has_run_leftovers(run: &RunDir) -> bool {
    run.journal().exists() && !is_leftover(run).unwrap_or(true)
}

/// The status of a run whose journal is damaged.
pub const DAMAGED: &str = "damaged";
/// The status of a run whose journal cannot be read but need not be damaged: a newer version wrote
/// it, or access is denied.
pub const UNREADABLE: &str = "unreadable";

impl ListedRun {
    /// Reads the row of a run. Returns `None` if no event of it was ever recorded.
    pub fn read(run: RunDir) -> Option<Self> {
        match RunOverview::read(&run) {
            Err(error) if error.is_unrecorded_run(&run) => None,
            known => Some(Self { run, overview: known }),
        }
    }

    /// When the run started; to the second if its journal cannot be read.
    pub fn started(&self) -> Timestamp {
        let known = self.overview.as_ref().ok();
        let started = known.and_then(|known| Timestamp::parse(&known.started_at).ok());
        started.unwrap_or_else(|| self.run.started())
    }

    /// The status of the run, in one word.
    pub fn status_text(&self) -> &'static str {
        match &self.overview {
            Ok(known) => known.status.as_str(),
            Err(error) if error.is_damage() || error.is_empty_run() => DAMAGED,
            Err(_) => UNREADABLE,
        }
    }

    /// The JSON form of the row.
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
