//! The snapshots of a recorded run.

use std::path::Path;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::{
    SnapshotAddress, SnapshotLookupError, SnapshotPoint, SnapshotTimeline,
};
use forkhestra_engine::{SnapshotLocation, SnapshotReadError, SnapshotReader};
use forkhestra_store::RunDir;
use forkhestra_store::journal::recorded_run::RecordedRun;

use crate::cli::command_error::CommandError;
use crate::past_runs::run_finder::RunFinder;
use crate::project::project_location::ProjectLocation;

/// The snapshots of a recorded run, with a reader of the repository that has them.
pub(crate) struct RunSnapshots {
    pub(crate) run_dir: RunDir,
    pub(crate) past: RecordedRun,
    pub(crate) timeline: SnapshotTimeline,
    pub(crate) reader: SnapshotReader,
}

impl RunSnapshots {
    /// Opens the snapshots of the named run, or of the last run of this work tree.
    pub(crate) fn find(name: Option<&str>, finder: &RunFinder<'_>) -> Result<Self, CommandError> {
        let (run_dir, past) = finder.read_named_or_last(name)?;
        Self::open(run_dir, past, finder.project)
    }

    /// Opens the snapshots of a run.
    pub(crate) fn open(
        run_dir: RunDir,
        past: RecordedRun,
        project: &ProjectLocation,
    ) -> Result<Self, CommandError> {
        let timeline = past.history.snapshots.clone();
        let plan = &past.history.state.plan;
        if timeline.points.is_empty() {
            return Err(no_snapshots(&run_dir, plan.snapshots).into());
        }
        let reader = SnapshotReader::open(SnapshotLocation {
            run: run_dir.run(),
            directory: Path::new(&plan.working_directory),
            persistent_directory: &run_dir.kept(),
            environment: &project.environment.inherited,
        });
        let reader = reader.map_err(|error| snapshot_error(&error))?;
        Ok(Self { run_dir, past, timeline, reader })
    }

    /// The point that an address names.
    pub(crate) fn point(&self, address: SnapshotAddress) -> Result<&SnapshotPoint, CommandError> {
        self.timeline.find(address).map_err(|error| self.lookup_error(&error).into())
    }

    /// The state before the run.
    pub(crate) fn first(&self) -> Result<&SnapshotPoint, CommandError> {
        self.timeline.first().map_err(|error| self.lookup_error(&error).into())
    }

    /// The last snapshot.
    pub(crate) fn last(&self) -> Result<&SnapshotPoint, CommandError> {
        self.timeline.last().map_err(|error| self.lookup_error(&error).into())
    }

    /// The address by which users name a point of this run.
    pub(crate) fn address(&self, point: &SnapshotPoint) -> SnapshotAddress {
        self.timeline.address_of(point, self.past.history.steps.len())
    }

    fn lookup_error(&self, error: &SnapshotLookupError) -> Diagnostic {
        let run = self.run_dir.run();
        let hint = match error {
            SnapshotLookupError::Ambiguous { iteration, steps } => {
                let addresses: Vec<String> =
                    steps.iter().map(|step| format!("`{step}.{iteration}`")).collect();
                format!("name the step as well: {}", addresses.join(" or "))
            }
            _ => format!("`forkhestra rewind {run} --list` lists the snapshots of the run"),
        };
        Diagnostic::error(format!("run {run}: {error}")).hint(hint)
    }
}

/// The error for a snapshot that cannot be read.
pub(crate) fn snapshot_error(error: &SnapshotReadError) -> CommandError {
    let hint = match error {
        SnapshotReadError::NoDirectory(_) => {
            Some("the snapshots are in the repository of the run: move it back to where it was")
        }
        SnapshotReadError::Gone(_) => Some(
            "its ref was deleted, and git has removed the commit; the snapshots before and after it may still be there",
        ),
        _ => None,
    };
    CommandError::wrong(Diagnostic::error(error.to_string()).maybe_hint(hint.map(str::to_owned)))
}

fn no_snapshots(run_dir: &RunDir, requested: bool) -> Diagnostic {
    let run = run_dir.run();
    let why = match requested {
        true => {
            "its work tree was in no git repository with snapshots, or it ended before the first one"
        }
        false => "it ran with `--no-snapshots`",
    };
    Diagnostic::error(format!("run {run} has no snapshots: {why}"))
        .hint("snapshots need a git repository and a run without `--no-snapshots`")
}
