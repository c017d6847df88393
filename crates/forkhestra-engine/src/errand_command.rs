//! What checks, hooks and the setups of clean rooms are started with.

mod facts;
mod hook;
mod place;
mod program;
#[cfg(test)]
pub(crate) mod tests;
mod variables;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use forkhestra_core::event::{Answer, Errand};
use forkhestra_core::machine::RunState;

use crate::agent_files::AgentFiles;
use crate::check;
use crate::setting::Setting;

pub(crate) use check::answer;
pub(crate) use facts::Facts;
pub(crate) use place::Place;
pub(crate) use program::{CommandLine, bash, is_executable};

/// What an errand takes.
pub(crate) enum Prepared {
    /// Nothing: the answer is known.
    Known(Answer),
    /// No process, but a while.
    Slow(Box<dyn FnOnce() -> Answer + Send>),
    /// A process.
    Process(ErrandProcess),
    /// It cannot be run, for this reason.
    Impossible(String),
}

/// A process that runs an errand.
pub(crate) struct ErrandProcess {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<OsString>,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) directory: PathBuf,
    /// What it reads, and what else it needs on disk while it runs.
    pub(crate) files: AgentFiles,
}

/// Puts together what an errand takes. Checks run in the room, if there is one.
pub(crate) fn prepare(
    errand: Errand,
    state: &RunState,
    setting: &Setting,
    room: Option<&Path>,
) -> Prepared {
    let place = Place {
        state,
        environment: &setting.environment,
        logs: &*setting.logs,
        tasks: &setting.tasks,
        scratch: &setting.scratch,
        room: room.filter(|_| !matches!(errand, Errand::Hook { .. })),
    };
    prepare_at(errand, &place)
}

pub(crate) fn prepare_at(errand: Errand, place: &Place<'_>) -> Prepared {
    let prepared = match errand {
        Errand::Setup { unit } => setup(errand, unit.step, place),
        Errand::Check { unit, number } => check::prepare(unit, number, place),
        Errand::Hook { moment, number } => hook::prepare(moment, number, place),
    };
    prepared.unwrap_or_else(Prepared::Impossible)
}

/// Makes a clean room ready.
fn setup(errand: Errand, step: usize, place: &Place<'_>) -> Result<Prepared, String> {
    let room = place.step(step).clean_room.as_ref().map(|room| &room.value);
    let command = room.and_then(|room| room.setup.as_ref());
    let command = command.ok_or("the clean room of this step needs no setup")?;
    let facts = Facts::of(errand, place);
    let context = check::context(&facts, place)?;
    place.process(errand, &facts, CommandLine::shell(command), &context)
}
