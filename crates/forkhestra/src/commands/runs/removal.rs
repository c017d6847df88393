//! Operations that `rm` and `prune` share: observing a run, removing it, and reporting it.

use std::path::Path;

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::Liveness;
use forkhestra_engine::bisect::BisectDirectory;
use forkhestra_engine::{forget_snapshots, now};
use forkhestra_store::journal::recorded_run;
use forkhestra_store::{
    DAMAGED, FileError, JournalLength, ListedRun, LockError, LockOwner, RemoveError, RunDir,
    RunRemoval, RunSize, is_leftover,
};
use typeset::style::{NAME, paint};
use typeset::text::visible;

use crate::cli::command_error::{CommandError, in_full};
use crate::cli::console_output::ConsoleOutput;
use crate::past_runs::fork_directory::{kept_work_tree, work_tree_elsewhere};
use crate::past_runs::retention::RetentionStatus;
use crate::project::project_location::ProjectLocation;
use crate::report::text::lock_error;
use crate::report::text::shell_word::shell_word;
use crate::report::text::status::overview_word;

/// A run as it was when its removal was decided.
pub(super) struct RemovalCandidate {
    pub(super) run: RunDir,
    journal: JournalLength,
    /// `None` if nothing was ever recorded.
    pub(super) listed: Option<ListedRun>,
    pub(super) status: RetentionStatus,
}

impl RemovalCandidate {
    /// Reads the state of a run.
    pub(super) fn observe(run: RunDir) -> Result<Self, FileError> {
        // The length is taken first, so that everything read later covers at least this length.
        let journal = JournalLength::of(&run)?;
        let listed = ListedRun::read(run.clone());
        let status = match (recorded_run::liveness(&run), &listed) {
            (Liveness::Alive, _) => RetentionStatus::Running,
            (Liveness::Gone, None) if is_leftover(&run)? => RetentionStatus::Over,
            (Liveness::Gone, None) => RetentionStatus::Open,
            (Liveness::Gone, Some(listed)) => match &listed.overview {
                Ok(known) if known.status.is_unfinished() => RetentionStatus::Open,
                Ok(_) => RetentionStatus::Over,
                Err(error) if error.is_damage() => RetentionStatus::Open,
                Err(_) => RetentionStatus::Unreadable,
            },
        };
        Ok(Self { run, journal, listed, status })
    }

    /// The state of the run in one word.
    pub(super) fn state(&self) -> &'static str {
        match &self.listed {
            None if self.status == RetentionStatus::Open => DAMAGED,
            None => "nothing was recorded",
            Some(listed) => match &listed.overview {
                Ok(known) => overview_word(known).0,
                Err(_) => listed.status_text(),
            },
        }
    }

    /// The run in a sentence about its removal.
    pub(super) fn shown(&self) -> String {
        let id = paint(NAME, self.run.run().as_str());
        let known = self.listed.as_ref().and_then(|listed| listed.overview.as_ref().ok());
        match known {
            Some(known) => {
                let chain = visible(known.chain.as_ref().unwrap_or(&known.definition));
                format!("{id} ({chain}, {})", self.state())
            }
            None => format!("{id} ({})", self.state()),
        }
    }

    /// The disk space it takes.
    pub(super) fn size(&self) -> Result<RunSize, FileError> {
        RunSize::of(&self.run)
    }

    /// Removes the run and its snapshots in git. Returns warnings about what is left.
    pub(super) fn remove(&self, project: &ProjectLocation) -> Result<Vec<Diagnostic>, RemoveError> {
        let removal = self.begin()?;
        // Snapshots are removed while the run is locked and recorded: without the record they could
        // not be found.
        let left = self.forget_snapshots(project);
        removal.remove_everything(self.directory())?;
        Ok(left.into_iter().chain(self.kept_work_tree()).collect())
    }

    /// The warning for the work tree of a forked run, which holds its work.
    fn kept_work_tree(&self) -> Option<Diagnostic> {
        let (run, working_directory) = (self.run.run(), self.directory()?);
        let ours = kept_work_tree(&self.run, working_directory);
        let is_ours = ours.is_some();
        let elsewhere = || work_tree_elsewhere(run, working_directory).filter(|_| self.is_fork());
        let directory = ours.or_else(elsewhere)?.to_string_lossy().into_owned();
        let warning = format!("the work tree of fork {run} is kept: {}", visible(&directory));
        let command =
            || format!("to remove it with all work in it: rm -rf {}", shell_word(&directory));
        Some(Diagnostic::warning(warning).maybe_hint(is_ours.then(command)))
    }

    fn is_fork(&self) -> bool {
        let overview = self.listed.as_ref().and_then(|listed| listed.overview.as_ref().ok());
        overview.is_some_and(|known| known.origin.is_some())
    }

    /// The working directory of the run, if it can be read.
    fn directory(&self) -> Option<&Path> {
        let known = self.listed.as_ref()?.overview.as_ref().ok()?;
        Some(Path::new(&known.working_directory))
    }

    fn forget_snapshots(&self, project: &ProjectLocation) -> Option<Diagnostic> {
        // A run that was never recorded has no snapshots.
        self.listed.as_ref()?;
        // An unreadable run most likely ran here, and its id is unique.
        let directory = self.directory().unwrap_or(&project.working_directory);
        let run = self.run.run();
        let environment = &project.environment.inherited;
        match forget_snapshots(directory, run.as_str(), environment) {
            Ok(kept) => {
                let first = kept.first()?;
                let work = kept.join(", ");
                let warning =
                    format!("work of run {run} that no branch has is kept in git: {work}");
                let hint = format!(
                    "`git merge {first}` takes it over; `git update-ref -d {first}` drops it"
                );
                Some(Diagnostic::warning(warning).hint(hint))
            }
            Err(why) => Some(
                Diagnostic::warning(format!("the snapshots of run {run} are left in git: {why}"))
                    .hint(format!("`git for-each-ref refs/forkhestra/{run}/` lists them")),
            ),
        }
    }

    /// Removes the output of the run's agents.
    pub(super) fn remove_output(&self) -> Result<(), RemoveError> {
        Ok(self.begin()?.remove_output()?)
    }

    fn begin(&self) -> Result<RunRemoval, RemoveError> {
        if BisectDirectory::is_in_use(self.run.path()) {
            return Err(RemoveError::Bisected { run: self.run.run().clone() });
        }
        let owner =
            LockOwner { pid: std::process::id(), run: self.run.run().clone(), since: now().wall };
        RunRemoval::begin(&self.run, &owner, self.journal)
    }
}

/// The diagnostic for a failed removal.
pub(super) fn removal_error(error: &RemoveError) -> Diagnostic {
    let hint = match error {
        RemoveError::Lock(LockError::RunActive { owner: Some(owner), .. }) => {
            Some(format!("wait for it, or stop it: forkhestra stop {}", owner.run))
        }
        RemoveError::Lock(LockError::RunActive { owner: None, .. }) => {
            Some("wait for it, or stop it".to_owned())
        }
        RemoveError::Bisected { .. } => Some("wait for the search, or interrupt it".to_owned()),
        _ => None,
    };
    let message = match error {
        RemoveError::Lock(error) => lock_error::message(error),
        other => in_full(other),
    };
    Diagnostic::error(message).maybe_hint(hint)
}

/// Prints removed runs, then errors.
pub(super) fn report_removals(
    removed: &str,
    errors: Vec<Diagnostic>,
    screen: &mut ConsoleOutput,
) -> Result<(), CommandError> {
    screen.print(removed)?;
    if errors.is_empty() { Ok(()) } else { Err(errors.into()) }
}
