//! The data of `forkhestra watch`: runs, journals, output of agents, commits and tasks. Requests go
//! to the control socket of a run. A message for a run that can be resumed is stored next to its
//! journal; nothing else is written. A run is resumed, and a work tree rewound, by a separate process
//! of this program.

mod agent_output_reader;
mod iteration_diff;
mod last_agent_message;
mod own_process;
mod project_tasks;
mod resume;
mod rewind;
mod run_journal_reader;
mod run_list_cache;
mod send_request;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forkhestra_core::control::{ControlReply, ControlRequest};
use forkhestra_core::history::SnapshotAddress;
use forkhestra_core::id::RunId;
use forkhestra_core::time::Timestamp;
use forkhestra_engine::now;
use forkhestra_store::RunDir;
use forkhestra_store::journal::recorded_run;
use forkhestra_tui::{RunFeed, RunListItem, RunScope, RunSource};
use typeset::color_mode::PrintStyle;

use crate::cli::command_error::{CommandError, in_full};
use crate::past_runs::resume_command;
use crate::past_runs::run_finder::RunFinder;
use crate::project::project_location::ProjectLocation;

use self::run_journal_reader::RunJournalReader;
use self::run_list_cache::RunListCache;

/// The runs on this machine as a [`RunSource`].
pub(crate) struct LocalRunSource {
    project: Arc<ProjectLocation>,
    state_dir: Option<String>,
    style: PrintStyle,
    cache: Mutex<RunSourceCache>,
}

/// Results that are reused between queries.
#[derive(Default)]
struct RunSourceCache {
    runs: HashMap<RunId, RunDir>,
    listings: RunListCache,
}

impl LocalRunSource {
    /// Creates the source for a project. `opened` is a run that the user named; it may be in any
    /// state directory.
    pub(crate) fn new(
        project: ProjectLocation,
        state_dir: Option<String>,
        style: PrintStyle,
        opened: Option<&RunDir>,
    ) -> Self {
        let mut known = RunSourceCache::default();
        known.runs.extend(opened.map(|run| (run.run().clone(), run.clone())));
        Self { project: Arc::new(project), state_dir, style, cache: Mutex::new(known) }
    }

    fn finder(&self) -> RunFinder<'_> {
        RunFinder { project: &self.project, state_dir: self.state_dir.as_deref() }
    }

    fn known(&self) -> MutexGuard<'_, RunSourceCache> {
        // A panic cannot corrupt the cache: missing entries are read again.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The directory of a run.
    fn find(&self, run: &RunId) -> Result<RunDir, String> {
        if let Some(found) = self.known().runs.get(run).filter(|found| found.path().exists()) {
            return Ok(found.clone());
        }
        let everywhere = self.finder().all_runs().map_err(|error| one_line_error(&error))?;
        let found = everywhere.into_iter().find(|found| found.run() == run);
        found.ok_or_else(|| format!("run {run} is not there any more"))
    }
}

impl RunSource for LocalRunSource {
    fn now(&self) -> Timestamp {
        now().wall
    }

    fn runs(&self, scope: RunScope) -> Result<Vec<RunListItem>, String> {
        let finder = self.finder();
        let found = match scope {
            RunScope::Here => finder.work_tree_runs(),
            RunScope::Everywhere => finder.all_runs(),
        };
        let found = found.map_err(|error| one_line_error(&error))?;
        let mut known = self.known();
        known.runs.extend(found.iter().map(|run| (run.run().clone(), run.clone())));
        Ok(known.listings.read(found, &self.project.environment))
    }

    fn open(&self, run: &RunId) -> Result<Box<dyn RunFeed>, String> {
        let found = self.find(run)?;
        Ok(Box::new(RunJournalReader::open(found, Arc::clone(&self.project), self.style)?))
    }

    fn send_request(&self, run: &RunId, request: ControlRequest) -> Result<ControlReply, String> {
        send_request::send_request(&self.find(run)?, &request, &self.project)
    }

    fn resume(&self, run: &RunId) -> Result<(), String> {
        let found = self.find(run)?;
        let past = recorded_run::read(&found).map_err(|error| in_full(&error))?;
        let state = &past.history.state;
        let arguments = resume_command::arguments(&found, state, &self.project, now().wall);
        resume::resume(&self.project, arguments)
    }

    fn rewind(&self, run: &RunId, to: SnapshotAddress) -> Result<String, String> {
        rewind::rewind(&self.find(run)?, to, &self.project)
    }
}

/// The messages of an error as one line.
pub(super) fn one_line_error(error: &CommandError) -> String {
    let messages: Vec<String> =
        error.diagnostics().into_iter().map(|diagnostic| diagnostic.message).collect();
    messages.join("; ")
}
