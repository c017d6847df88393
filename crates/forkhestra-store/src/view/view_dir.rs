//! Writes the views in `.agent-state/`.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use forkhestra_core::history::{Liveness, RunHistory};
use forkhestra_core::id::RunId;
use serde::Serialize;

use super::chain_view::ChainView;
use super::iterations_log::{self, IterationsLog};
use super::run_view::RunView;
use super::{ViewFacts, chain_file, run_file, summary_file};
use crate::disk::file_error::FileError;
use crate::disk::files;
use crate::disk::{Disk, NO_FOLLOW_DISK};
use crate::runs::state_root::entries;

const NAME: &str = ".agent-state";
const ITERATIONS_FILE: &str = "iterations.jsonl";
/// Makes git ignore the directory.
const IGNORE_FILE: &str = ".gitignore";

/// A step's file is written again when it has grown by one part in `GROWTH`.
const GROWTH: usize = 32;

/// The directory with the views of runs. It need not exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewDir {
    disk: &'static dyn Disk,
    path: PathBuf,
}

impl ViewDir {
    /// The directory for this working directory.
    pub fn of(working_directory: &Path) -> Self {
        Self::with_disk(&NO_FOLLOW_DISK, working_directory)
    }

    /// The directory for this working directory, changed through `disk`.
    pub fn with_disk(disk: &'static dyn Disk, working_directory: &Path) -> Self {
        Self { disk, path: working_directory.join(NAME) }
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Removes the lines of these runs, and invalid lines, from `iterations.jsonl`, so that they
    /// can be written again. Lines of other runs stay: they may be all that is left of those runs.
    pub fn forget_iterations(&self, runs: &[RunId]) -> Result<(), FileError> {
        let path = self.path.join(ITERATIONS_FILE);
        iterations_log::without_runs(self.disk, &path, runs)
    }

    /// The existing files of a run. `iterations.jsonl` is not among them.
    pub fn files_of(&self, run: &RunId) -> Result<Vec<PathBuf>, FileError> {
        let steps = format!("run-{run}-");
        let is_its = |name: &str| {
            name == chain_file(run) || name == summary_file(run) || name.starts_with(&steps)
        };
        let mut found = entries(&self.path)?;
        found.retain(|path| path.file_name().and_then(OsStr::to_str).is_some_and(is_its));
        Ok(found)
    }

    /// Creates the directory, and makes git ignore it.
    fn create(&self) -> Result<(), FileError> {
        let ignore = self.path.join(IGNORE_FILE);
        if ignore.exists() {
            return Ok(());
        }
        files::create_public_directory(self.disk, &self.path)?;
        files::replace(self.disk, &ignore, b"*\n")
    }
}

/// Writes the views of one run.
#[derive(Debug)]
pub struct ViewWriter {
    directory: ViewDir,
    facts: ViewFacts,
    iterations: IterationsLog,
    /// The state of each step's file when it was last written.
    written: Vec<Option<WrittenStep>>,
}

/// The state of a step's file when it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WrittenStep {
    iterations: usize,
    is_over: bool,
}

impl ViewWriter {
    /// A writer that has written nothing yet.
    pub fn new(directory: ViewDir, facts: ViewFacts) -> Self {
        let iterations = IterationsLog::new(directory.disk, directory.path.join(ITERATIONS_FILE));
        Self { directory, facts, iterations, written: Vec::new() }
    }

    /// A writer for a new run, which has no files yet.
    pub fn of_new_run(directory: ViewDir, facts: ViewFacts) -> Self {
        let mut writer = Self::new(directory, facts);
        writer.iterations.begin();
        writer
    }

    /// The facts that the events do not contain.
    pub const fn facts(&self) -> &ViewFacts {
        &self.facts
    }

    /// Changes the command that resumes the run, if there is one.
    pub fn change_resume(&mut self, change: impl FnOnce(String) -> String) {
        self.facts.resume = self.facts.resume.take().map(change);
    }

    /// Writes the views that have changed enough, while the run continues.
    pub fn update(&mut self, history: &RunHistory) -> Result<(), FileError> {
        self.write(history, Liveness::Alive, WrittenStep::is_worth_it)
    }

    /// Writes all views and a summary, once no process works on the run any more.
    pub fn finish(&mut self, history: &RunHistory, summary: &str) -> Result<(), FileError> {
        self.write(history, Liveness::Gone, |_, _| true)?;
        if !self.directory.path.is_dir() {
            return Ok(());
        }
        let path = self.path(&summary_file(&history.state.run));
        files::replace(self.directory.disk, &path, summary.as_bytes())
    }

    fn write(
        &mut self,
        history: &RunHistory,
        liveness: Liveness,
        is_wanted: fn(Option<WrittenStep>, WrittenStep) -> bool,
    ) -> Result<(), FileError> {
        // Without its working directory a run gets no views.
        if !self.directory.path.parent().is_none_or(Path::is_dir) {
            return Ok(());
        }
        self.directory.create()?;
        let run = &history.state.run;
        self.written.resize(history.steps.len(), None);
        for (index, step) in history.steps.iter().enumerate() {
            let is_over = history.step_state(index + 1).is_some_and(|state| state.end().is_some());
            let now = WrittenStep { iterations: step.iterations.len(), is_over };
            let number = index + 1;
            let path = self.path(&run_file(run, number));
            if (is_wanted(self.written[index], now) || !path.exists())
                && let Some(view) = RunView::of(history, number, liveness, &self.facts)
            {
                replace(self.directory.disk, &path, &view)?;
                self.written[index] = Some(now);
            }
        }
        let view = ChainView::of(history, liveness, &self.facts);
        replace(self.directory.disk, &self.path(&chain_file(run)), &view)?;
        self.iterations.append_missing(history)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path.join(name)
    }
}

impl WrittenStep {
    /// Whether a file in state `before` should be written again.
    fn is_worth_it(before: Option<Self>, now: Self) -> bool {
        let Some(before) = before else { return true };
        let grown = now.iterations.saturating_sub(before.iterations);
        before.is_over != now.is_over || grown > now.iterations / GROWTH
    }
}

fn replace(disk: &dyn Disk, path: &Path, view: &impl Serialize) -> Result<(), FileError> {
    let mut text = serde_json::to_vec_pretty(view).expect("texts and numbers are JSON");
    text.push(b'\n');
    files::replace(disk, path, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often a file is written while it grows, and the total amount written, in iterations.
    fn writing(iterations: usize) -> (usize, usize) {
        let (mut written, mut times, mut amount) = (None, 0, 0);
        for iterations in 0..=iterations {
            let now = WrittenStep { iterations, is_over: false };
            if WrittenStep::is_worth_it(written, now) {
                (written, times, amount) = (Some(now), times + 1, amount + iterations);
            }
        }
        (times, amount)
    }

    #[test]
    fn a_view_file_is_up_to_date_while_that_is_cheap() {
        assert_eq!(writing(30), (31, (0..=30).sum()));
    }

    #[test]
    fn writing_is_linear_in_the_iterations() {
        let (times, amount) = writing(100_000);
        assert!(times < 400, "written {times} times");
        assert!(amount < 40 * 100_000, "{amount} iterations written");
    }

    #[test]
    fn ended_and_resumed_runs_are_written() {
        let written = |iterations, is_over| WrittenStep { iterations, is_over };
        assert!(WrittenStep::is_worth_it(Some(written(1000, false)), written(1000, true)));
        assert!(WrittenStep::is_worth_it(Some(written(1000, true)), written(1000, false)));
        assert!(!WrittenStep::is_worth_it(Some(written(1000, true)), written(1000, true)));
    }
}
