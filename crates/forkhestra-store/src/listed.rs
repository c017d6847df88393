//! A run in a list.

use forkhestra_core::history::Status;
use forkhestra_core::time::Timestamp;
use serde::Serialize;

use crate::history::HistoryError;
use crate::overview::Overview;
use crate::remove::is_leftover;
use crate::run_dir::RunDir;

/// A run in a list. One that cannot be read hides no others.
#[derive(Debug)]
pub struct Listed {
    /// Where it is.
    pub run: RunDir,
    /// What is known of it, or why nothing is.
    pub known: Result<Overview, HistoryError>,
}

/// A run in a list, for programs.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum ListedView<'a> {
    /// One that can be read.
    Sound(SoundView<'a>),
    /// One that cannot.
    Unknown(UnknownView),
}

/// A run in a list that can be read.
#[derive(Debug, Serialize)]
pub struct SoundView<'a> {
    /// What is known of it.
    #[serde(flatten)]
    pub overview: &'a Overview,
    /// The run's directory.
    pub directory: String,
}

/// A run in a list whose journal cannot be read.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnknownView {
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

impl Listed {
    /// Reads what a list says of a run; nothing if nothing of it was ever recorded.
    pub fn read(run: RunDir) -> Option<Self> {
        match Overview::read(&run) {
            Err(error) if error.is_nothing() && !is_left_of_a_run(&run) => None,
            known => Some(Self { run, known }),
        }
    }

    /// When the run began: to the second if it cannot be read.
    pub fn started(&self) -> Timestamp {
        let known = self.known.as_ref().ok();
        let started = known.and_then(|known| Timestamp::parse(&known.started_at).ok());
        started.unwrap_or_else(|| self.run.started())
    }

    /// What has become of the run, in one word.
    pub fn word(&self) -> &'static str {
        match &self.known {
            Ok(known) => Status::from(known.status).word(),
            Err(error) if error.is_damage() || error.is_nothing() => DAMAGED,
            Err(_) => UNREADABLE,
        }
    }

    /// The same for programs.
    pub fn view(&self) -> ListedView<'_> {
        let directory = self.run.path().display().to_string();
        match &self.known {
            Ok(overview) => ListedView::Sound(SoundView { overview, directory }),
            Err(error) => ListedView::Unknown(UnknownView {
                id: self.run.run().to_string(),
                status: self.word(),
                error: error.to_string(),
                started_at: self.run.started().to_string(),
                directory,
            }),
        }
    }
}
