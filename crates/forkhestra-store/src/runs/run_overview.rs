//! A summary of a run for lists, and a cache of it that avoids reading the journal.
//!
//! When a run ends, its summary is stored beside the journal together with the journal's length.
//! The cache is valid while the journal has that length; otherwise the journal is read. The cache
//! can be deleted at any time.

use std::fs;
use std::io;
use std::os::unix::fs::FileExt;

use forkhestra_core::event::CancelCause;
use forkhestra_core::history::{ExecutionStatus, Liveness, RunHistory};
use forkhestra_core::machine::StepState;
use forkhestra_core::text::count::Count;
use forkhestra_core::text::digest::ContentHasher;
use forkhestra_core::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::disk::file_error::FileError;
use crate::disk::{files, reading};
use crate::format::{self, LineHash};
use crate::journal::journal_contents::JournalContents;
use crate::journal::recorded_run::{self, HistoryError};
use crate::runs::run_dir::RunDir;
use crate::view::cost_fields::CostFields;
use crate::view::milliseconds;

/// How many bytes at the end of a journal hold the last line's hash.
const MAX_HASH_SUFFIX: usize = 64;

/// A run in one line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunOverview {
    /// The run's id.
    pub id: String,
    /// The name of the chain, if it has one.
    pub chain: Option<String>,
    /// The chain in one line.
    pub definition: String,
    /// Its working directory.
    pub working_directory: String,
    /// Its status.
    pub status: ExecutionStatus,
    /// The reason for its end, as one word; null before it is over.
    pub reason: Option<String>,
    /// The running, last or next step, from one; 0 in an empty chain.
    pub step: usize,
    /// How many steps there are.
    pub steps: usize,
    /// The agent of that step.
    pub agent: Option<String>,
    /// How many iterations of that step have an outcome.
    pub step_iterations: u32,
    /// The maximum number of iterations of that step; null if it runs once.
    pub max_iterations: Option<u32>,
    /// How many iterations have an outcome, in all steps together.
    pub iterations: u32,
    /// When the run began.
    pub started_at: String,
    /// The time of the last event.
    pub updated_at: String,
    /// When it ended, if it is over.
    pub completed_at: Option<String>,
    /// Its running time, awake and not paused, in milliseconds; up to `updatedAt` if it is running.
    pub duration_ms: u64,
    /// Until when it waits for its agent's provider; omitted if it does not wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_until: Option<String>,
    /// Since when it is paused; omitted if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_since: Option<String>,
    /// When a stop after the current iteration was requested; omitted once it is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_requested_at: Option<String>,
    /// How many tokens it used, if that is known.
    #[serde(default)]
    pub tokens: Option<u64>,
    /// Its cost in US dollars, if that is known.
    pub cost: Option<f64>,
    /// A lower bound of its cost in US dollars, if that is known only in part.
    #[serde(default)]
    pub cost_at_least: Option<f64>,
}

/// The cache file beside the journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OverviewNote {
    journal_length: u64,
    /// A digest of the rest and of the last line's hash. Without it the note was changed, or an older version wrote it.
    #[serde(default)]
    seal: Option<String>,
    /// The text of the summary, which the seal covers.
    run: Box<RawValue>,
}

impl RunOverview {
    /// Whether the run ended because of `forkhestra stop`.
    pub fn was_stopped(&self) -> bool {
        let is_stop_request = |by: &CancelCause| self.reason.as_deref() == Some(by.as_str());
        self.status == ExecutionStatus::Interrupted
            && CancelCause::STOP_REQUESTS.iter().any(is_stop_request)
    }

    /// Summarises a history.
    pub fn of(history: &RunHistory, liveness: Liveness) -> Self {
        let state = &history.state;
        let number = history.current_step();
        let current = number.and_then(|number| state.plan.steps.get(number - 1));
        let figures = CostFields::of(history.spend());
        let current_state = number.and_then(|number| state.steps.get(number - 1));
        let waiting = current_state.and_then(|step| step.postponement.wait_in_progress());
        let waiting = waiting.map(|(_, until)| until);
        let goes_on = history.status(liveness) == ExecutionStatus::Running;
        let time_text = |timestamp: Option<Timestamp>| {
            timestamp.filter(|_| goes_on).map(|timestamp| timestamp.to_string())
        };
        Self {
            id: state.run.to_string(),
            chain: state.plan.chain.clone(),
            definition: state.plan.definition.clone(),
            working_directory: state.plan.working_directory.clone(),
            status: history.status(liveness),
            reason: history.reason().map(str::to_owned),
            step: number.unwrap_or(0),
            steps: state.steps.len(),
            agent: current.map(|step| step.agent.name.clone()),
            step_iterations: current_state.map_or(0, StepState::iterations),
            max_iterations: current.and_then(|step| step.iterations).map(Count::get),
            iterations: history.iterations(),
            started_at: history.started.to_string(),
            updated_at: history.updated.to_string(),
            completed_at: history.ended.map(|timestamp| timestamp.to_string()),
            duration_ms: milliseconds(state.elapsed),
            waiting_until: time_text(waiting),
            paused_since: time_text(history.steering.paused),
            stop_requested_at: time_text(history.steering.stop_requested),
            tokens: figures.tokens,
            cost: figures.cost,
            cost_at_least: figures.cost_at_least,
        }
    }

    /// Reads the summary of a run: from the cache if it is valid, else from the journal.
    pub fn read(run: &RunDir) -> Result<Self, HistoryError> {
        if let Some(noted) = cached_overview(run) {
            return Ok(noted);
        }
        let past = recorded_run::read_unbroken(run)?;
        let liveness = match past.history.state.end {
            Some(_) => Liveness::Gone,
            None => recorded_run::liveness(run),
        };
        let overview = Self::of(&past.history, liveness);
        Ok(match liveness {
            Liveness::Gone => overview,
            // Readers of a running run add the time since its last event, in which it may have
            // printed something.
            Liveness::Alive => Self { duration_ms: milliseconds(past.recorded_time()), ..overview },
        })
    }

    /// Whether the run has a valid cache file.
    pub fn has_note(run: &RunDir) -> bool {
        cached_overview(run).is_some()
    }

    /// Writes the cache of a finished run. The caller must hold the journal's lock: another process
    /// could append before the length is known.
    pub fn write_note(self, run: &RunDir) -> Result<(), FileError> {
        let journal = run.journal();
        let length = fs::metadata(&journal).map_err(FileError::of("read", &journal))?.len();
        let hash = last_hash(run).map_err(FileError::of("read", &journal))?;
        self.put(run, length, hash)
    }

    /// Writes the cache of a run that was over when its journal was read. If the journal has
    /// changed since, the cache is invalid.
    pub fn write_note_if_unchanged(
        self,
        run: &RunDir,
        recorded: &JournalContents,
    ) -> Result<(), FileError> {
        self.put(run, recorded.length_read(), recorded.last_hash)
    }

    /// Removes the cache: the journal is accepted as it is.
    pub fn remove_note(run: &RunDir) -> Result<(), FileError> {
        let path = run.overview();
        match run.disk().remove_file(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(FileError::of("remove", &path)),
        }
    }

    fn put(
        self,
        run: &RunDir,
        journal_length: u64,
        hash: Option<LineHash>,
    ) -> Result<(), FileError> {
        let overview = serde_json::value::to_raw_value(&self).expect("texts and numbers are JSON");
        let seal = Some(seal(&overview, journal_length, hash));
        let note = OverviewNote { journal_length, seal, run: overview };
        let text = serde_json::to_vec(&note).expect("texts and numbers are JSON");
        files::replace(run.disk(), &run.overview(), &text)
    }
}

/// The length of the journal when its run ended, as the cache file says. `None` without a file of this version.
pub(crate) fn noted_length(run: &RunDir) -> Option<u64> {
    let note: OverviewNote = serde_json::from_slice(&reading::read(&run.overview()).ok()?).ok()?;
    note.seal.map(|_| note.journal_length)
}

/// The cached summary, if it is valid: written for a journal of this length and with this last line, and not changed.
fn cached_overview(run: &RunDir) -> Option<RunOverview> {
    let note: OverviewNote = serde_json::from_slice(&reading::read(&run.overview()).ok()?).ok()?;
    let length = fs::symlink_metadata(run.journal()).ok()?.len();
    if note.journal_length != length {
        return None;
    }
    let expected = seal(&note.run, length, last_hash(run).ok()?);
    if note.seal != Some(expected) {
        return None;
    }
    serde_json::from_str(note.run.get()).ok()
}

/// The digest that shows whether a summary was changed.
fn seal(overview: &RawValue, journal_length: u64, hash: Option<LineHash>) -> String {
    let mut hasher = ContentHasher::default();
    hasher.update(&journal_length.to_le_bytes());
    hasher.update(&hash.unwrap_or_default());
    hasher.update(overview.get().as_bytes());
    hasher.finish().to_string()
}

/// The hash of the journal's last line, if it has one.
fn last_hash(run: &RunDir) -> io::Result<Option<LineHash>> {
    let journal = reading::open(&run.journal())?;
    let length = journal.metadata()?.len();
    let mut end = [0; MAX_HASH_SUFFIX];
    let start = length.saturating_sub(end.len() as u64);
    let read = journal.read_at(&mut end, start)?;
    let line = end[..read].strip_suffix(b"\n").unwrap_or_default();
    Ok(format::split(line).map(|(_, hash)| hash))
}
