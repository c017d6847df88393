//! Sends control requests to a run. The process that listens is verified first, because an agent can
//! put a socket of its own in the place of the run's.

use std::ffi::OsStr;
use std::fs;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::MetadataExt;

use forkhestra_core::control::{ControlReply, ControlRequest};
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::id::RunId;
use forkhestra_engine::RUN_TAG;
use forkhestra_engine::process::{self, ForeignListener, Pid};
use forkhestra_store::control::{self, ControlError};
use forkhestra_store::{JournalLock, RunDir};

use crate::cli::command_error::CommandError;

/// Sends a request to a run and waits for the reply. The run refuses processes that it started,
/// except for those of its hooks.
pub(crate) fn send_request(
    run: &RunDir,
    request: &ControlRequest,
) -> Result<ControlReply, ControlError> {
    control::send_request(run, request, |socket| verify(run, socket))
}

/// Refuses a change of a run to the processes that the run started.
pub(crate) fn refuse_within(run: &RunId) -> Result<(), CommandError> {
    match is_in_run(run) {
        true => Err(CommandError::wrong(from_within(run))),
        false => Ok(()),
    }
}

/// The error for a request of a process that the run started.
pub(crate) fn from_within(run: &RunId) -> Diagnostic {
    Diagnostic::error(format!("run {run} cannot be steered by a process that it started"))
        .hint("use a terminal outside of the run; agents and checks cannot change their own run")
}

/// Ends a run by a signal to its guard, for a run whose control socket cannot be used. Returns the
/// pid of the guard, or `None` if it cannot be determined.
pub(crate) fn end_by_signal(run: &RunDir) -> Option<Pid> {
    let inode = fs::metadata(run.journal()).ok()?.ino();
    process::terminate_guard(inode, OsStr::new(RUN_TAG), OsStr::new(run.run().as_str()))
}

/// The pid of the run's guard, if it can be determined.
pub(crate) fn guard_pid(run: &RunDir) -> Option<Pid> {
    let inode = fs::metadata(run.journal()).ok()?.ino();
    process::guard_of(inode, OsStr::new(RUN_TAG), OsStr::new(run.run().as_str()))
}

/// Whether the run started this process.
pub(crate) fn is_in_run(run: &RunId) -> bool {
    process::is_in_run(OsStr::new(RUN_TAG), OsStr::new(run.as_str()))
}

fn verify(run: &RunDir, socket: BorrowedFd<'_>) -> Result<(), ControlError> {
    let owner = JournalLock::owner_of(run).ok().flatten().map(|owner| owner.pid);
    let id = OsStr::new(run.run().as_str());
    let verified = process::verify_listener(socket, owner, OsStr::new(RUN_TAG), id);
    verified.map_err(|why| match why {
        ForeignListener::Process(pid) => ControlError::NotTheRun(format!(
            "process {pid} listens at its control socket, and is not the process of the run"
        )),
        ForeignListener::Invisible => ControlError::OtherNamespace,
        ForeignListener::Gone => ControlError::Stale,
    })
}
