//! `forkhestra runs rebuild`: rebuilds the views of runs in `.agent-state/` from their journals.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::ExecutionStatus;
use forkhestra_core::id::RunId;
use forkhestra_core::text;
use forkhestra_store::view::ViewDir;
use forkhestra_store::{RunDir, RunOverview};

use crate::cli::args::runs::RunsRebuildArgs;
use crate::cli::command_error::{CommandError, in_full};
use crate::cli::console_output::ConsoleOutput;
use crate::cli::exit_code;
use crate::past_runs::run_finder::RunFinder;
use crate::project::project_location::ProjectLocation;
use crate::supervise::rebuild;

/// Rebuilds the views of the named runs, or of all runs of this work tree.
pub(super) fn execute(
    args: &RunsRebuildArgs,
    screen: &mut ConsoleOutput,
) -> Result<u8, CommandError> {
    let project = ProjectLocation::find(&args.place.project())?;
    let finder = RunFinder { project: &project, state_dir: args.place.state_dir.as_deref() };
    let runs = if args.runs.is_empty() {
        finder.work_tree_runs()?
    } else {
        finder.find_all_named(&args.runs)?
    };
    let mut work = ViewRebuild::default();
    runs.into_iter().for_each(|run| work.add_run(run));
    // The iterations log lists runs in the order of their start.
    work.runs.sort_by(|(one, _), (other, _)| one.cmp(other));
    work.forget_iterations()?;
    work.rebuild(&project);
    if work.rebuilt.is_empty() && work.errors.is_empty() {
        work.notes.push(Diagnostic::warning("there is no run here whose view could be rebuilt"));
    }
    screen.report(&work.notes);
    screen.print(&work.summary())?;
    if work.errors.is_empty() { Ok(exit_code::COMPLETE) } else { Err(work.errors.into()) }
}

/// The runs whose views are rebuilt, and the results.
#[derive(Default)]
struct ViewRebuild {
    /// Each with its start time.
    runs: Vec<(String, RunDir)>,
    /// The directories that hold their views.
    directories: BTreeSet<PathBuf>,
    /// Directories in which an active run writes as well.
    busy: BTreeSet<PathBuf>,
    rebuilt: BTreeMap<PathBuf, usize>,
    notes: Vec<Diagnostic>,
    errors: Vec<Diagnostic>,
}

impl ViewRebuild {
    /// Adds the run if it has a view to rebuild.
    fn add_run(&mut self, run: RunDir) {
        let known = match RunOverview::read(&run) {
            Ok(known) => known,
            // A run without any record has no view.
            Err(error) if error.is_empty_run() => return,
            Err(error) => return self.errors.push(Diagnostic::error(in_full(&error))),
        };
        let place = Path::new(&known.working_directory);
        if known.status == ExecutionStatus::Running {
            let id = run.run();
            self.busy.insert(place.to_owned());
            self.notes.push(Diagnostic::warning(format!(
                "run {id} is active, and writes its view by itself"
            )));
        } else if place.is_dir() {
            self.directories.insert(place.to_owned());
            self.runs.push((known.started_at, run));
        } else {
            let (id, place) = (run.run(), place.display());
            self.notes.push(Diagnostic::warning(format!(
                "run {id} has no view: its working directory {place} is not there any more"
            )));
        }
    }

    /// Removes the lines of these runs from the iterations log, so that they are written anew. A
    /// log to which an active run appends is left alone.
    fn forget_iterations(&self) -> Result<(), CommandError> {
        let runs: Vec<RunId> = self.runs.iter().map(|(_, run)| run.run().clone()).collect();
        for place in self.directories.difference(&self.busy) {
            ViewDir::of(place).forget_iterations(&runs)?;
        }
        Ok(())
    }

    fn rebuild(&mut self, project: &ProjectLocation) {
        for (_, run) in &self.runs {
            match rebuild(run, project) {
                Ok(directory) => {
                    *self.rebuilt.entry(directory.path().to_owned()).or_default() += 1;
                }
                Err(why) => self.errors.push(Diagnostic::error(why)),
            }
        }
    }

    fn summary(&self) -> String {
        let report = self.rebuilt.iter().map(|(directory, runs)| {
            let runs = text::count(*runs, "run");
            format!("Rebuilt the view of {runs} in {}\n", directory.display())
        });
        report.collect()
    }
}
