//! The context in which an aux job is run.

use std::ffi::OsString;
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
use crate::ports::{OutputLogs, OwnProgram, TaskDatabases};

/// The context in which an aux job is run.
pub(crate) struct AuxJobContext<'a> {
    pub(crate) state: &'a RunState,
    /// The environment that agents inherit.
    pub(crate) environment: &'a [(OsString, OsString)],
    pub(crate) logs: &'a dyn OutputLogs,
    pub(crate) tasks: &'a Arc<dyn TaskDatabases>,
    /// A directory for temporary files.
    pub(crate) scratch: &'a Path,
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
        Path::new(&self.state.plan.working_directory)
    }

    /// The working directory of the job.
    pub(crate) fn directory(&self) -> &'a Path {
        self.room_directory().unwrap_or_else(|| self.project())
    }

    /// The directory in the clean room, if there is one.
    pub(crate) fn room_directory(&self) -> Option<&'a Path> {
        self.room.map(|room| room.path.as_path())
    }

    /// The path of bash, or else of the shell that always exists.
    pub(crate) fn bash(&self) -> PathBuf {
        SearchPath::of(self.environment).find("bash").unwrap_or_else(|| SHELL.into())
    }

    /// Prepares a process with this context as its standard input.
    pub(crate) fn process(
        &self,
        aux_job: AuxJob,
        facts: &AuxJobFacts<'_>,
        line: CommandLine,
        context: &Value,
    ) -> Result<PreparedAuxJob, String> {
        let path = SearchPath::of(self.environment);
        let programs = AuxJobPrograms { plan: &self.state.plan, path: &path };
        if let Some(refusal) = programs.refusal(aux_job, self.directory()) {
            return Err(refusal);
        }
        let CommandLine { program, args, files } = line;
        let stdin = context.to_string();
        let mut files = AgentFiles::write(&self.files_of(aux_job), &files, Some(&stdin))
            .map_err(|error| format!("a file for it cannot be written: {error}"))?;
        let tools = self.own_program.map(|own| ToolsDirectory::prepare(self.scratch, own));
        files.tools = tools
            .transpose()
            .map_err(|error| format!("no directory can be made for its programs: {error}"))?;
        let mut environment = variables::environment(facts, self);
        set(&mut environment, "PATH", path.variable(files.tools.as_ref()));
        Ok(PreparedAuxJob::Process(AuxJobProcess {
            program,
            args,
            environment,
            directory: self.directory().to_owned(),
            files,
            sandbox: None,
        }))
    }

    /// The directory of an aux job's files.
    pub(crate) fn files_of(&self, aux_job: AuxJob) -> PathBuf {
        let scratch = std::path::absolute(self.scratch).unwrap_or_else(|_| self.scratch.to_owned());
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
