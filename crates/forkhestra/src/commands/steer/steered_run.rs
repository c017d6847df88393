//! Selects the run that is steered.

use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::history::Liveness;
use forkhestra_store::RunDir;
use forkhestra_store::journal::recorded_run;

use crate::cli::args::runs::RunLocationArgs;
use crate::cli::command_error::CommandError;
use crate::past_runs::past_run;
use crate::past_runs::resume_command::resume_command;
use crate::past_runs::run_finder::RunFinder;
use crate::project::project_location::ProjectLocation;
use crate::report::text::shell_word::shell_word;

/// A run, and the project location from which it is steered.
pub(super) struct SteeredRun {
    pub(super) run: RunDir,
    pub(super) project: ProjectLocation,
}

impl SteeredRun {
    /// The named run, or the active run of this work tree.
    pub(super) fn find(
        name: Option<&str>,
        location: &RunLocationArgs,
    ) -> Result<Self, CommandError> {
        let project = ProjectLocation::find(&location.project())?;
        let finder = RunFinder { project: &project, state_dir: location.state_dir.as_deref() };
        let run = match name {
            Some(name) => finder.find_named(name)?,
            None => single_active_run(&finder)?,
        };
        Ok(Self { run, project })
    }

    /// The same for a message, which can also be kept for a run that can be resumed. If no run is
    /// named and none is active, the error names the last run that can be resumed.
    pub(super) fn of_message(
        name: Option<&str>,
        location: &RunLocationArgs,
    ) -> Result<Self, CommandError> {
        let project = ProjectLocation::find(&location.project())?;
        let finder = RunFinder { project: &project, state_dir: location.state_dir.as_deref() };
        if name.is_none()
            && finder.work_tree_runs()?.iter().all(|run| !is_active(run))
            && let Ok(last) = past_run::last_unfinished(&finder)
        {
            let id = last.run();
            return Err(CommandError::wrong(
                no_active_run()
                    .hint(format!(
                        "the last run that can be resumed is {id}: forkhestra tell {id} \"…\""
                    ))
                    .hint("to resume it with the message: forkhestra resume --tell \"…\""),
            ));
        }
        Self::find(name, location)
    }

    /// The same for an answer. If no run is named and none is active, the error names the last run
    /// that can be resumed with the answer.
    pub(super) fn of_answer(
        name: Option<&str>,
        verb: &str,
        comment: Option<&str>,
        location: &RunLocationArgs,
    ) -> Result<Self, CommandError> {
        let project = ProjectLocation::find(&location.project())?;
        let finder = RunFinder { project: &project, state_dir: location.state_dir.as_deref() };
        if name.is_none()
            && finder.work_tree_runs()?.iter().all(|run| !is_active(run))
            && let Ok(last) = past_run::last_unfinished(&finder)
            && let Ok(past) = past_run::read(&last)
            && past.history.state.answerable_step().is_some()
        {
            let mut command = resume_command(&last, &past.history.state.plan, &project);
            command.push_str(&format!(" --{verb}"));
            command.extend(comment.map(|comment| format!(" {}", shell_word(comment))));
            let hint = format!("to resume the last one with this answer: {command}");
            return Err(CommandError::wrong(no_active_run().hint(hint)));
        }
        Self::find(name, location)
    }
}

fn no_active_run() -> Diagnostic {
    Diagnostic::error("no run is active in this work tree")
}

fn single_active_run(finder: &RunFinder<'_>) -> Result<RunDir, CommandError> {
    let mut going_on: Vec<RunDir> =
        finder.work_tree_runs()?.into_iter().filter(is_active).collect();
    match going_on.len() {
        0 => Err(CommandError::wrong(
            no_active_run()
                .hint("`forkhestra runs` lists its runs, and `forkhestra runs --all` those of all"),
        )),
        1 => Ok(going_on.swap_remove(0)),
        several => {
            let ids: Vec<String> = going_on.iter().map(|run| run.run().to_string()).collect();
            Err(CommandError::wrong(
                Diagnostic::error(format!("{several} runs are active in this work tree"))
                    .hint(format!("name one of them: {}", ids.join(", "))),
            ))
        }
    }
}

/// Whether a process works on the run. The owner file is checked first because that is cheaper: a
/// finished run has none.
pub(crate) fn is_active(run: &RunDir) -> bool {
    run.has_owner_file() && recorded_run::liveness(run) == Liveness::Alive
}
