//! Reads the journal of one run while it is written.

use std::io;
use std::path::Path;
use std::sync::Arc;

use forkhestra_core::event::{Event, RunEnd};
use forkhestra_core::history::{HistoryMismatch, IterationRecord, Liveness, RunHistory};
use forkhestra_core::id::UnitId;
use forkhestra_core::plan::DirectSpawn;
use forkhestra_engine::{RepositoryChanges, RepositoryReader, now};
use forkhestra_store::journal::journal_contents::JournalReadError;
use forkhestra_store::journal::recorded_run;
use forkhestra_store::journal::recorded_run::HistoryError;
use forkhestra_store::{FileError, JournalFollower, RunDir};
use forkhestra_tui::{
    ChangedFile, IterationChanges, IterationDiff, OutputFeed, OutputRendering, RunFeed, TaskBoard,
    TaskDetails,
};
use typeset::color_mode::PrintStyle;

use super::agent_output_reader::AgentOutputReader;
use super::iteration_diff::DiffSource;
use super::last_agent_message::last_message;
use super::project_tasks::ProjectTasks;
use crate::cli::command_error::in_full;
use crate::past_runs::resume_command;
use crate::project::project_location::ProjectLocation;

/// A run, as far as its journal is read.
pub(super) struct RunJournalReader {
    run: RunDir,
    project: Arc<ProjectLocation>,
    style: PrintStyle,
    follower: JournalFollower<'static>,
    /// Number of events read.
    number: usize,
    /// The history of these events; `None` before the first.
    history: Option<RunHistory>,
    /// Why the following events are inconsistent.
    misfit: Option<String>,
    is_replaced: bool,
    tasks: ProjectTasks,
    /// The repository, opened on first use.
    repository: Option<Result<Option<RepositoryReader>, String>>,
}

impl RunJournalReader {
    pub(super) fn open(
        run: RunDir,
        project: Arc<ProjectLocation>,
        style: PrintStyle,
    ) -> Result<Self, String> {
        let follower = JournalFollower::open(run.journal()).map_err(|error| in_full(&error))?;
        let tasks = ProjectTasks::new(&project, run.run());
        Ok(Self {
            run,
            project,
            style,
            follower,
            number: 0,
            history: None,
            misfit: None,
            is_replaced: false,
            tasks,
            repository: None,
        })
    }

    /// Checks that the journal was neither replaced nor removed.
    fn check_journal_file(&mut self) -> Result<(), String> {
        self.is_replaced = false;
        match self.follower.is_in_place() {
            Ok(true) => Ok(()),
            Ok(false) => {
                self.is_replaced = true;
                Err("the journal was repaired, and is read again".to_owned())
            }
            Err(error) if error.source.kind() == io::ErrorKind::NotFound => {
                Err(format!("run {} was removed", self.run.run()))
            }
            Err(error) => Err(in_full(&error)),
        }
    }

    /// Applies events until one is inconsistent.
    fn apply_all(&mut self, events: &mut Vec<Event>) {
        for index in 0..events.len() {
            self.number += 1;
            if let Err(why) = RunHistory::advance(&mut self.history, &events[index]) {
                let (path, misfit) =
                    (self.run.journal(), HistoryMismatch { number: self.number, why });
                self.misfit = Some(self.error_line(&HistoryError::Misfit { path, misfit }));
                events.truncate(index);
                return;
            }
        }
    }

    /// The repository in which the run works.
    fn repository(&mut self) -> Option<Result<&RepositoryReader, String>> {
        let directory = &self.history.as_ref()?.state.plan.working_directory;
        let environment = &self.project.environment.inherited;
        let open = || RepositoryReader::open(Path::new(directory), environment);
        match self.repository.get_or_insert_with(open) {
            Ok(found) => found.as_ref().map(Ok),
            Err(why) => Some(Err(why.clone())),
        }
    }

    /// The error as one line. The remedy comes first, since the rest may not fit.
    fn error_line(&self, error: &HistoryError) -> String {
        let message = journal_error(error);
        if error.needs_newer_version() {
            return format!("a newer version of forkhestra is needed: {message}");
        }
        if !error.is_damage() {
            return message;
        }
        let command = resume_command::without_plan(&self.run, &self.project);
        format!("damaged journal; to resume: {command} --repair ({message})")
    }

    /// A finished iteration.
    fn record(&self, unit: UnitId) -> Option<&IterationRecord> {
        let step = self.history.as_ref()?.steps.get(unit.step.checked_sub(1)?)?;
        step.iterations.iter().rfind(|record| record.unit == unit)
    }

    /// The agent of an attempt, if its stream format is supported.
    fn direct(&self, unit: UnitId) -> Option<&DirectSpawn> {
        self.history.as_ref()?.agent_of(unit)?.kind.direct()
    }
}

/// The error of a journal without its path.
fn journal_error(error: &HistoryError) -> String {
    match error {
        HistoryError::Read(JournalReadError::Line { line, why, .. }) => {
            format!("line {line} {}", in_full(why))
        }
        HistoryError::Read(JournalReadError::OutOfOrder { line, found, .. }) => {
            format!("line {line} has the number {found}")
        }
        HistoryError::Misfit { misfit, .. } => in_full(misfit),
        other => in_full(other),
    }
}

impl RunFeed for RunJournalReader {
    fn liveness(&mut self) -> Liveness {
        recorded_run::liveness(&self.run)
    }

    fn events(&mut self, at_most: usize) -> Result<Vec<Event>, String> {
        self.check_journal_file()?;
        if let Some(misfit) = &self.misfit {
            return Err(misfit.clone());
        }
        if !self.follower.has_grown().map_err(|error: FileError| in_full(&error))? {
            // Events of a changed journal are shown, and so is the warning.
            let broken = self.follower.wrong_hash();
            return broken.map_or(Ok(Vec::new()), |broken| {
                let path = self.run.journal();
                Err(self.error_line(&HistoryError::WrongHash { path, broken }))
            });
        }
        let news = self.follower.read_new_events_at_most(at_most);
        let mut events = news.map_err(|error: JournalReadError| self.error_line(&error.into()))?;
        self.apply_all(&mut events);
        match &self.misfit {
            Some(misfit) if events.is_empty() => Err(misfit.clone()),
            _ => Ok(events),
        }
    }

    fn is_replaced(&mut self) -> bool {
        self.is_replaced
    }

    fn output(
        &mut self,
        unit: UnitId,
        form: OutputRendering,
    ) -> Result<Box<dyn OutputFeed>, String> {
        let agent = self.direct(unit).filter(|_| form == OutputRendering::Rendered);
        Ok(Box::new(AgentOutputReader::open(&self.run, unit, agent, self.style)))
    }

    fn resume_command(&mut self) -> Option<String> {
        let state = &self.history.as_ref()?.state;
        let can_go_on = state.end != Some(RunEnd::Complete);
        can_go_on.then(|| resume_command::raising(&self.run, state, &self.project, now().wall))
    }

    fn tasks(&mut self) -> Option<Result<TaskBoard, String>> {
        self.tasks.read(&self.history.as_ref()?.state.plan)
    }

    fn task(&mut self, id: &str) -> Result<Option<TaskDetails>, String> {
        let Some(history) = &self.history else { return Ok(None) };
        self.tasks.details(&history.state.plan, id)
    }

    fn changes(&mut self, unit: UnitId) -> Option<Result<IterationChanges, String>> {
        let record = self.record(unit)?;
        let (before, after) = (record.before.clone(), record.report.observation.repository());
        after.signals.as_ref()?;
        let changes = match self.repository()? {
            Ok(repository) => repository.changes(&before, &after).transpose()?,
            Err(why) => Err(why),
        };
        Some(changes.map(iteration_changes))
    }

    fn diff(&mut self, unit: UnitId, at_most: usize) -> Result<IterationDiff, String> {
        let (Some(history), Some(record)) = (&self.history, self.record(unit)) else {
            return Err("the iteration is not over".to_owned());
        };
        let source = DiffSource { run: &self.run, history, project: &self.project };
        source.read(record, at_most)
    }

    fn last_message(&mut self, unit: UnitId) -> Result<Option<String>, String> {
        last_message(&self.run, unit, self.direct(unit))
    }
}

fn iteration_changes(changes: RepositoryChanges) -> IterationChanges {
    let RepositoryChanges { commits, more_commits, files, more_files } = changes;
    let files = files.into_iter().map(|(path, lines)| ChangedFile { path, lines }).collect();
    IterationChanges { commits, more_commits, files, more_files }
}
