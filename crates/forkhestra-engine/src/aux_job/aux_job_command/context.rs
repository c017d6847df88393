//! Where in a run an errand is run.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use forkhestra_core::event::{AuxJob, HookMoment};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::RunState;
use forkhestra_core::plan::PlanStep;
use serde_json::Value;

use super::facts::AuxJobFacts;
use super::program::CommandLine;
use super::variables;
use super::{AuxJobProcess, PreparedAuxJob};
use crate::launch::agent_files::AgentFiles;
use crate::ports::{OutputLogs, TaskDatabases};

/// Where in a run an errand is run, and what there is to run it with.
pub(crate) struct AuxJobContext<'a> {
    pub(crate) state: &'a RunState,
    /// What agents inherit.
    pub(crate) environment: &'a [(OsString, OsString)],
    pub(crate) logs: &'a dyn OutputLogs,
    pub(crate) tasks: &'a Arc<dyn TaskDatabases>,
    /// A directory for files of ours.
    pub(crate) scratch: &'a Path,
    /// Where the errand is run, if not in the work tree.
    pub(crate) room: Option<&'a Path>,
}

impl<'a> AuxJobContext<'a> {
    /// A step, from one.
    pub(crate) fn step(&self, number: usize) -> &'a PlanStep {
        &self.state.plan.steps[number - 1]
    }

    /// Where agents work.
    pub(crate) fn project(&self) -> &'a Path {
        Path::new(&self.state.plan.working_directory)
    }

    /// Where the errand is run.
    pub(crate) fn directory(&self) -> &'a Path {
        self.room.unwrap_or_else(|| self.project())
    }

    /// A variable that agents inherit.
    pub(crate) fn variable(&self, name: &str) -> Option<&'a OsStr> {
        let known = self.environment.iter().find(|(known, _)| known == name);
        known.map(|(_, value)| value.as_os_str())
    }

    /// A process that reads this.
    pub(crate) fn process(
        &self,
        errand: AuxJob,
        facts: &AuxJobFacts<'_>,
        line: CommandLine,
        context: &Value,
    ) -> Result<PreparedAuxJob, String> {
        let CommandLine { program, args, files } = line;
        let stdin = context.to_string();
        let files = AgentFiles::write(&self.files_of(errand), &files, Some(&stdin))
            .map_err(|error| format!("a file for it cannot be written: {error}"))?;
        Ok(PreparedAuxJob::Process(AuxJobProcess {
            program,
            args,
            environment: variables::environment(facts, self),
            directory: self.directory().to_owned(),
            files,
        }))
    }

    /// Where the files of an errand are.
    pub(crate) fn files_of(&self, errand: AuxJob) -> PathBuf {
        let scratch = std::path::absolute(self.scratch).unwrap_or_else(|_| self.scratch.to_owned());
        let named = |UnitId { step, iteration, attempt }| format!("{step}-{iteration}-{attempt}");
        scratch.join("errand").join(match errand {
            AuxJob::Setup { unit } => format!("setup-{}", named(unit)),
            AuxJob::Check { unit, number } => format!("check-{}-{number}", named(unit)),
            AuxJob::Hook { moment: HookMoment { point, .. }, number } => {
                format!("{point}-{number}")
            }
        })
    }
}
