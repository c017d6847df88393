//! Finds runs: by the start of an id, by a path, or by work tree.

use std::cmp::Reverse;
use std::path::Path;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::time::Timestamp;
use forkhestra_store::journal::recorded_run::{self, HistoryError, RecordedRun};
use forkhestra_store::view::{self, IdentifiedRun};
use forkhestra_store::{FindRunError, RunDir, RunOverview};

use crate::cli::command_error::{CommandError, in_full};
use crate::past_runs::{repair, state_home};
use crate::project::project_location::ProjectLocation;

/// Upper bound for the runs that a message lists.
const MAX_LISTED: usize = 5;

/// Searches for runs from a project location.
pub(crate) struct RunFinder<'a> {
    pub(crate) project: &'a ProjectLocation,
    /// The value of `--state-dir`.
    pub(crate) state_dir: Option<&'a str>,
}

impl RunFinder<'_> {
    /// The run with this name: the start of its id, or a path.
    pub(crate) fn find_named(&self, name: &str) -> Result<RunDir, CommandError> {
        let path = self.project.environment.current_directory.join(name);
        if name.contains('/') {
            return self.at(&path);
        }
        match forkhestra_store::find_by_prefix(name, self.all_runs()?) {
            Ok(run) => Ok(run),
            Err(FindRunError::Unknown { .. }) if path.is_file() => self.at(&path),
            Err(error) => Err(cannot_find(&error)),
        }
    }

    /// The named runs without duplicates, or all errors.
    pub(crate) fn find_all_named(&self, names: &[String]) -> Result<Vec<RunDir>, CommandError> {
        let (mut found, mut errors): (Vec<RunDir>, Vec<Diagnostic>) = (Vec::new(), Vec::new());
        for name in names {
            match self.find_named(name) {
                Ok(run) if found.iter().any(|other| other.path() == run.path()) => {}
                Ok(run) => found.push(run),
                Err(CommandError::Wrong(diagnostics)) => errors.extend(diagnostics),
                Err(error) => return Err(error),
            }
        }
        if errors.is_empty() { Ok(found) } else { Err(errors.into()) }
    }

    /// Reads the named run, or the last run of this work tree that has recorded anything.
    pub(crate) fn read_named_or_last(
        &self,
        name: Option<&str>,
    ) -> Result<(RunDir, RecordedRun), CommandError> {
        let refused =
            |error: &HistoryError, run: &RunDir| repair::refused(error, run, self.project);
        if let Some(name) = name {
            let run = self.find_named(name)?;
            let past = recorded_run::read(&run).map_err(|error| refused(&error, &run))?;
            return Ok((run, past));
        }
        for run in self.work_tree_runs_by_start()? {
            match recorded_run::read(&run) {
                Ok(past) => return Ok((run, past)),
                Err(error) if error.is_empty_run() => {}
                Err(error) => return Err(refused(&error, &run)),
            }
        }
        Err(no_runs_here())
    }

    /// The run of this journal, directory or view file.
    fn at(&self, path: &Path) -> Result<RunDir, CommandError> {
        let error = match RunDir::at(path) {
            Ok(run) => return Ok(run),
            Err(error) => error,
        };
        let Some(IdentifiedRun { run, journal }) = view::identify(path) else {
            return Err(CommandError::wrong(Diagnostic::error(in_full(&error))));
        };
        // The view names a journal; it is used if it still belongs to that run.
        let there = journal.and_then(|journal| RunDir::at(&journal).ok());
        match there.filter(|there| *there.run() == run) {
            Some(there) => Ok(there),
            None => forkhestra_store::find_by_prefix(run.as_str(), self.all_runs()?)
                .map_err(|error| cannot_find(&error)),
        }
    }

    /// The runs of all work trees, newest first.
    pub(crate) fn all_runs(&self) -> Result<Vec<RunDir>, CommandError> {
        let mut runs = Vec::new();
        for directory in state_home::search_places(self.project, self.state_dir) {
            runs.extend(directory.root.runs()?);
        }
        runs.sort_by(RunDir::newest_first);
        Ok(runs)
    }

    /// The runs of this work tree, newest first, also among runs of the same second. Directory
    /// names have a resolution of one second, so runs of the same second are read.
    pub(crate) fn work_tree_runs_by_start(&self) -> Result<Vec<RunDir>, CommandError> {
        let mut runs = self.work_tree_runs()?;
        for of_one_second in runs.chunk_by_mut(|one, other| one.started() == other.started()) {
            if of_one_second.len() > 1 {
                of_one_second.sort_by_cached_key(|run| Reverse(began(run)));
            }
        }
        Ok(runs)
    }

    /// The runs of this work tree, newest first.
    pub(crate) fn work_tree_runs(&self) -> Result<Vec<RunDir>, CommandError> {
        let mut runs = Vec::new();
        let mut is_found_in_project = false;
        for directory in state_home::search_places(self.project, self.state_dir) {
            if directory.is_in_project && is_found_in_project {
                continue;
            }
            let found = directory.root.work_tree(&directory.work_tree).runs()?;
            is_found_in_project |= directory.is_in_project && !found.is_empty();
            runs.extend(found);
        }
        runs.sort_by(RunDir::newest_first);
        Ok(runs)
    }
}

/// The start of a run; with a resolution of one second if it cannot be read.
fn began(run: &RunDir) -> Timestamp {
    let known = RunOverview::read(run).ok();
    let began = known.and_then(|known| Timestamp::parse(&known.started_at).ok());
    began.unwrap_or_else(|| run.started())
}

/// The error for a work tree without runs. It points to runs of other work trees, so that they do
/// not seem lost.
pub(crate) fn no_runs_here() -> CommandError {
    CommandError::wrong(
        Diagnostic::error("there are no runs of this work tree")
            .hint("`forkhestra runs --all` lists those of all work trees"),
    )
}

fn cannot_find(error: &FindRunError) -> CommandError {
    let diagnostic = Diagnostic::error(in_full(error));
    let (runs, heading) = match error {
        FindRunError::Unknown { known, .. } => (known.as_slice(), "the newest runs are"),
        FindRunError::Ambiguous { matches, .. } => (matches.as_slice(), "one of"),
        FindRunError::File(_) => (&[] as &[RunDir], ""),
    };
    let listed: Vec<String> = runs.iter().take(MAX_LISTED).map(candidate).collect();
    let more = if runs.len() > MAX_LISTED { ", …" } else { "" };
    let hint = (!listed.is_empty()).then(|| format!("{heading}: {}{more}", listed.join(", ")));
    CommandError::wrong(diagnostic.maybe_hint(hint))
}

/// A run in a list of ambiguous matches.
fn candidate(run: &RunDir) -> String {
    let (id, started) = (run.run(), run.started());
    match RunOverview::read(run) {
        Ok(known) => format!("{id} ({}, {}, started {started})", known.definition, known.status),
        Err(_) => format!("{id} (started {started})"),
    }
}
