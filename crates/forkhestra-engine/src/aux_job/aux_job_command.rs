//! The commands of checks, hooks and set-ups of clean rooms.

mod context;
mod facts;
mod hook;
mod program;
#[cfg(test)]
pub(crate) mod tests;
mod variables;

use std::ffi::OsString;
use std::os::fd::AsFd;
use std::path::PathBuf;

use forkhestra_core::event::{AuxJob, AuxJobResult};
use forkhestra_core::machine::RunState;

use crate::aux_job::room_home::CheckRoomDir;
use crate::check;
use crate::launch::agent_files::AgentFiles;
use crate::launch::tools_directory::ToolsDirectory;
use crate::launch::workplace_settings::WorkplaceSettings;
use crate::ports::EnginePorts;
use crate::process::{KeeperCommand, SpawnCommand, SpawnStdin};
use crate::sandbox::{CheckSandboxRequest, ProcessSandbox, check_sandbox, remove_provider_keys};

pub(crate) use check::parse_program_result;
pub(crate) use context::AuxJobContext;
pub(crate) use facts::AuxJobFacts;
pub(crate) use program::{CommandLine, SHELL, is_executable};

/// How an aux job is run.
pub(crate) enum PreparedAuxJob {
    /// Not at all: the result is known.
    Known(AuxJobResult),
    /// In a thread.
    Slow(Box<dyn FnOnce() -> AuxJobResult + Send>),
    Process(AuxJobProcess),
    /// It cannot be run, for this reason.
    Impossible(String),
}

/// The process of an aux job.
pub(crate) struct AuxJobProcess {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) directory: PathBuf,
    /// Its standard input, and other files that it needs while it runs.
    pub(crate) files: AgentFiles,
    /// The sandbox, if it runs in one.
    pub(crate) sandbox: Option<Box<ProcessSandbox>>,
}

/// Prepares an aux job. Checks run in the clean room, if there is one.
pub(crate) fn prepare(
    aux_job: AuxJob,
    state: &RunState,
    ports: &EnginePorts,
    place: &WorkplaceSettings,
    room: Option<&CheckRoomDir>,
) -> PreparedAuxJob {
    let context = AuxJobContext {
        state,
        place,
        logs: &*ports.logs,
        tasks: &ports.tasks,
        room: room.filter(|_| !matches!(aux_job, AuxJob::Hook { .. })),
        own_program: ports.own_program.as_ref(),
    };
    let prepared = prepare_at(aux_job, &context);
    with_sandbox(prepared, aux_job, &context, ports).unwrap_or_else(PreparedAuxJob::Impossible)
}

/// Puts a check or a set-up into the sandbox of its step. Hooks are commands of the user, and run
/// without one.
fn with_sandbox(
    prepared: PreparedAuxJob,
    aux_job: AuxJob,
    context: &AuxJobContext<'_>,
    ports: &EnginePorts,
) -> Result<PreparedAuxJob, String> {
    let (AuxJob::Setup { unit } | AuxJob::Check { unit, .. }) = aux_job else {
        return Ok(prepared);
    };
    let PreparedAuxJob::Process(mut process) = prepared else { return Ok(prepared) };
    let Some(sandbox) = context.step(unit.step).active_sandbox() else {
        return Ok(PreparedAuxJob::Process(process));
    };
    remove_provider_keys(&mut process.environment);
    let sandbox = check_sandbox(&CheckSandboxRequest {
        project: context.project(),
        room: context.room_directory(),
        room_home: context.room.map(|room| room.home.path()),
        room_objects: context.room.map_or(&[], |room| &room.objects),
        step: unit.step,
        sandbox,
        host: &context.place.sandbox,
        environment: &process.environment,
        scratch: &context.place.scratch,
        files: &context.files_of(aux_job),
        tools: process.files.tools.as_ref().map(ToolsDirectory::path),
        user_environment: &ports.environment,
        state: &ports.state,
        is_setup: matches!(aux_job, AuxJob::Setup { .. }),
    })
    .map_err(|error| format!("its sandbox cannot be prepared: {error}"))?;
    sandbox.adjust(&mut process.environment);
    process.sandbox = Some(Box::new(sandbox));
    Ok(PreparedAuxJob::Process(process))
}

pub(crate) fn prepare_at(aux_job: AuxJob, context: &AuxJobContext<'_>) -> PreparedAuxJob {
    let prepared = match aux_job {
        AuxJob::Setup { unit } => setup(aux_job, unit.step, context),
        AuxJob::Check { unit, number } => check::prepare(unit, number, context),
        AuxJob::Hook { moment, number } => hook::prepare(moment, number, context),
    };
    prepared.unwrap_or_else(PreparedAuxJob::Impossible)
}

/// Prepares the set-up of a clean room. Elsewhere than in the user's own work tree, a set-up without a
/// clean room is that of the clone.
fn setup(
    aux_job: AuxJob,
    step: usize,
    job_context: &AuxJobContext<'_>,
) -> Result<PreparedAuxJob, String> {
    let is_of_clone = job_context.room.is_none() && job_context.place.place.is_some();
    let command = match is_of_clone {
        true => {
            let settings = job_context.step(step).lane_settings.as_ref();
            let setup = settings.and_then(|settings| settings.value.setup.as_ref());
            setup.ok_or("the lanes of this step need no setup")?
        }
        false => {
            let room = job_context.step(step).clean_room.as_ref().map(|room| &room.value);
            let setup = room.and_then(|room| room.setup.as_ref());
            setup.ok_or("the clean room of this step needs no setup")?
        }
    };
    let facts = AuxJobFacts::of(aux_job, job_context);
    let context = check::context(&facts, job_context)?;
    job_context.process(aux_job, &facts, CommandLine::shell(command), &context)
}

/// The command that starts an aux job.
pub(crate) fn spawn_command<'a>(
    process: &'a AuxJobProcess,
    keeper: Option<&'a KeeperCommand>,
) -> SpawnCommand<'a> {
    SpawnCommand {
        program: &process.program,
        args: &process.args,
        env: &process.environment,
        directory: &process.directory,
        stdin: process.files.stdin().map_or(SpawnStdin::Null, |file| SpawnStdin::Fd(file.as_fd())),
        keeper,
    }
}
