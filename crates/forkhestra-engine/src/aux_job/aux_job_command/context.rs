//! The context in which an aux job is run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use forkhestra_core::event::{AuxJob, HookMoment};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::RunState;
use forkhestra_core::plan::PlanStep;
use serde_json::Value;

use super::facts::AuxJobFacts;
use super::program::{CommandLine, SHELL};
use super::variables;
use super::{AuxJobProcess, PreparedAuxJob};
use crate::aux_job::program_baseline::AuxJobPrograms;
use crate::aux_job::room_home::CheckRoomDir;
use crate::aux_job::search_path::SearchPath;
use crate::launch::agent_command::set;
use crate::launch::agent_files::AgentFiles;
use crate::launch::tools_directory::ToolsDirectory;
use crate::launch::workplace_settings::WorkplaceSettings;
use crate::ports::{OutputLogs, OwnProgram, TaskDatabases};

/// The context in which an aux job is run.
pub(crate) struct AuxJobContext<'a> {
    pub(crate) state: &'a RunState,
    /// Where agents work.
    pub(crate) place: &'a WorkplaceSettings,
    pub(crate) logs: &'a dyn OutputLogs,
    pub(crate) tasks: &'a Arc<dyn TaskDatabases>,
    /// The clean room, if the job does not run in the work tree.
    pub(crate) room: Option<&'a CheckRoomDir>,
    pub(crate) own_program: Option<&'a OwnProgram>,
}

impl<'a> AuxJobContext<'a> {
    /// A step, counted from one.
    pub(crate) fn step(&self, number: usize) -> &'a PlanStep {
        &self.state.plan.steps[number - 1]
    }

    /// The working directory of agents.
    pub(crate) fn project(&self) -> &'a Path {
        &self.place.directory
    }

    /// The user's own working directory. Scripts of checks and hooks are read from there, even if agents
    /// work in a lane.
    pub(crate) fn user_directory(&self) -> &'a Path {
        Path::new(&self.state.plan.working_directory)
    }

    /// The directory that the job is about.
    pub(crate) fn directory(&self) -> &'a Path {
        self.room_directory().unwrap_or_else(|| self.project())
    }

    /// The directory in which the job starts. A hook starts in the user's own one: it is a command of the
    /// user and has no sandbox, so a relative path in it must not lead to a file that an agent wrote in
    /// its lane.
    pub(crate) fn start_directory(&self, is_hook: bool) -> &'a Path {
        if is_hook { self.user_directory() } else { self.directory() }
    }

    /// The directory in the clean room, if there is one.
    pub(crate) fn room_directory(&self) -> Option<&'a Path> {
        self.room.map(|room| room.path.as_path())
    }

    /// The path of bash, or else of the shell that always exists.
    pub(crate) fn bash(&self) -> PathBuf {
        SearchPath::of(&self.place.environment).find("bash").unwrap_or_else(|| SHELL.into())
    }

    /// Prepares a process with this context as its standard input.
    pub(crate) fn process(
        &self,
        aux_job: AuxJob,
        facts: &AuxJobFacts<'_>,
        line: CommandLine,
        context: &Value,
    ) -> Result<PreparedAuxJob, String> {
        let path = SearchPath::of(&self.place.environment);
        let programs = AuxJobPrograms { plan: &self.state.plan, path: &path };
        let directory = self.start_directory(facts.hook.is_some());
        if let Some(refusal) = programs.refusal(aux_job, directory) {
            return Err(refusal);
        }
        let CommandLine { program, args, files } = line;
        let stdin = context.to_string();
        let mut files = AgentFiles::write(&self.files_of(aux_job), &files, Some(&stdin))
            .map_err(|error| format!("a file for it cannot be written: {error}"))?;
        let tools = self.own_program.map(|own| ToolsDirectory::prepare(&self.place.scratch, own));
        files.tools = tools
            .transpose()
            .map_err(|error| format!("no directory can be made for its programs: {error}"))?;
        let mut environment = variables::environment(facts, self);
        set(&mut environment, "PATH", path.variable(files.tools.as_ref()));
        Ok(PreparedAuxJob::Process(AuxJobProcess {
            program,
            args,
            environment,
            directory: directory.to_owned(),
            files,
            sandbox: None,
        }))
    }

    /// The directory of an aux job's files.
    pub(crate) fn files_of(&self, aux_job: AuxJob) -> PathBuf {
        let scratch = &self.place.scratch;
        let scratch = std::path::absolute(scratch).unwrap_or_else(|_| scratch.clone());
        let named = |UnitId { step, iteration, attempt }| format!("{step}-{iteration}-{attempt}");
        scratch.join("errand").join(match aux_job {
            AuxJob::Setup { unit } => format!("setup-{}", named(unit)),
            AuxJob::Check { unit, number } => format!("check-{}-{number}", named(unit)),
            AuxJob::Hook { moment: HookMoment { point, .. }, number } => {
                format!("{point}-{number}")
            }
        })
    }
}
