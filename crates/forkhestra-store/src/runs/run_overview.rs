//! A summary of a run for lists, and a [cache](sealed_note) of it that avoids reading the journal.

use forkhestra_core::event::{CancelCause, ForkOrigin};
use forkhestra_core::history::{ExecutionStatus, Liveness, RunHistory};
use forkhestra_core::machine::StepState;
use forkhestra_core::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::disk::file_error::FileError;
use crate::journal::journal_contents::JournalContents;
use crate::journal::recorded_run::{self, HistoryError};
use crate::runs::run_dir::RunDir;
use crate::runs::sealed_note::{self, NotedJournal};
use crate::view::cost_fields::CostFields;
use crate::view::flow_view::QuestionView;
use crate::view::milliseconds;

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
    /// The snapshot of another run with which it began; omitted if it was not forked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<ForkOrigin>,
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
    /// The number of the last iteration that it may have, in the current round; null if it runs once.
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
    /// What it waits for: `usage_limit`, `overloaded` or `quota`; omitted if it does not wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_for: Option<String>,
    /// Until when it waits for that; omitted if it does not wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting_until: Option<String>,
    /// Since when it is paused; omitted if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paused_since: Option<String>,
    /// When a stop after the current iteration was requested; omitted once it is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_requested_at: Option<String>,
    /// Since when a person is asked and no answer has come; omitted otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asking_since: Option<String>,
    /// The question that has no answer, also of a run that is over; omitted if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionView>,
    /// How many tokens it used, if that is known.
    #[serde(default)]
    pub tokens: Option<u64>,
    /// Its cost in US dollars, if that is known.
    pub cost: Option<f64>,
    /// A lower bound of its cost in US dollars, if that is known only in part.
    #[serde(default)]
    pub cost_at_least: Option<f64>,
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
        let wait = history.wait_in_progress(liveness);
        let goes_on = history.status(liveness) == ExecutionStatus::Running;
        let time_text = |timestamp: Option<Timestamp>| {
            timestamp.filter(|_| goes_on).map(|timestamp| timestamp.to_string())
        };
        Self {
            id: state.run.to_string(),
            chain: state.plan.chain.clone(),
            definition: state.plan.definition.clone(),
            working_directory: state.plan.working_directory.clone(),
            origin: state.origin.clone(),
            status: history.status(liveness),
            reason: history.reason().map(str::to_owned),
            step: number.unwrap_or(0),
            steps: state.steps.len(),
            agent: current.map(|step| step.agent.name.clone()),
            step_iterations: current_state.map_or(0, StepState::iterations),
            max_iterations: number.and_then(|number| state.last_iteration_number(number)),
            iterations: history.iterations(),
            started_at: history.started.to_string(),
            updated_at: history.updated.to_string(),
            completed_at: history.ended.map(|timestamp| timestamp.to_string()),
            duration_ms: milliseconds(state.elapsed),
            waiting_for: wait.map(|(why, _)| why.as_str().to_owned()),
            waiting_until: wait.map(|(_, until)| until.to_string()),
            paused_since: time_text(history.steering.paused),
            stop_requested_at: time_text(history.steering.stop_requested),
            asking_since: history.asked_now(liveness).map(|question| question.asked.to_string()),
            question: history.open_question().map(QuestionView::of),
            tokens: figures.tokens,
            cost: figures.cost,
            cost_at_least: figures.cost_at_least,
        }
    }

    /// Reads the summary of a run: from the cache if it is valid, else from the journal.
    pub fn read(run: &RunDir) -> Result<Self, HistoryError> {
        if let Some(noted) = sealed_note::read(run, &run.overview()) {
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
        sealed_note::read::<Self>(run, &run.overview()).is_some()
    }

    /// Writes the cache of a finished run. The caller must hold the journal's lock: another process
    /// could append before the length is known.
    pub fn write_note(self, run: &RunDir) -> Result<(), FileError> {
        sealed_note::write(run, &run.overview(), &self, NotedJournal::now(run)?)
    }

    /// Writes the cache of a run that was over when its journal was read. If the journal has
    /// changed since, the cache is invalid.
    pub fn write_note_if_unchanged(
        self,
        run: &RunDir,
        recorded: &JournalContents,
    ) -> Result<(), FileError> {
        sealed_note::write(run, &run.overview(), &self, NotedJournal::read(recorded))
    }

    /// Removes the cache: the journal is accepted as it is.
    pub(crate) fn remove_note(run: &RunDir) -> Result<(), FileError> {
        sealed_note::remove(run, &run.overview())
    }
}

/// The length of the journal when its run ended, as the cache file says. `None` without a file of this version.
pub(crate) fn noted_length(run: &RunDir) -> Option<u64> {
    sealed_note::noted_length(&run.overview())
}
