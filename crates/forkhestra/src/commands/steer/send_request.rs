//! Sends a request to a run, and explains why it is refused or cannot be delivered.

use std::thread;
use std::time::{Duration, Instant};

use forkhestra_core::control::{AcceptedRequest, ControlReply, ControlRequest, RefusedRequest};
use forkhestra_core::diagnostic::Diagnostic;
use forkhestra_core::event::RunEnd;
use forkhestra_core::history::Liveness;
use forkhestra_store::control::{self, ControlError};
use forkhestra_store::journal::recorded_run::{self, RecordedRun};
use forkhestra_store::{JournalLock, RunDir};

use super::reply_text;
use super::steered_run::SteeredRun;
use crate::cli::command_error::{CommandError, in_full};
use crate::past_runs::resume_command::resume_command;
use crate::past_runs::{pending_message, repair};

/// How long a missing or stale socket is retried: a run that just started opens its socket soon,
/// and a killed one is soon seen as over.
const CONNECT_RETRY_TIME: Duration = Duration::from_secs(2);

/// Interval between retries.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

/// Sends a request to a run and waits for the reply.
pub(super) fn send_request(
    target: &SteeredRun,
    request: &ControlRequest,
) -> Result<AcceptedRequest, CommandError> {
    let deadline = Instant::now() + CONNECT_RETRY_TIME;
    loop {
        return match control::send_request(&target.run, request) {
            Ok(ControlReply::Accepted(accepted)) => Ok(accepted),
            Ok(ControlReply::Refused(why)) => Err(refused(target, request, why)),
            Err(ControlError::NoSocket | ControlError::Stale)
                if is_active(&target.run) && Instant::now() < deadline =>
            {
                thread::sleep(RETRY_INTERVAL);
                continue;
            }
            Err(error) => Err(unreachable(target, request, &error)),
        };
    }
}

/// Whether a process works on a run that is not over.
fn is_active(run: &RunDir) -> bool {
    let is_over = || recorded_run::read(run).is_ok_and(|past| past.history.state.end.is_some());
    recorded_run::liveness(run) == Liveness::Alive && !is_over()
}

/// The error for a refused request.
fn refused(target: &SteeredRun, request: &ControlRequest, why: RefusedRequest) -> CommandError {
    let run = target.run.run();
    let diagnostic = Diagnostic::error(match why {
        RefusedRequest::Over => return finished_run_error(target, request),
        RefusedRequest::Ending => format!("run {run} is ending"),
        RefusedRequest::NotPaused => format!("run {run} is not paused"),
        RefusedRequest::NoLoop => format!("no step that is left of run {run} is a loop"),
        RefusedRequest::EmptyMessage
        | RefusedRequest::LongMessage
        | RefusedRequest::ManyMessages
        | RefusedRequest::HoldsMarker
        | RefusedRequest::NoChange => why.to_string(),
    });
    CommandError::wrong(diagnostic.maybe_hint(pending_message::hint(why).map(str::to_owned)))
}

/// The error for a request that could not be delivered.
fn unreachable(
    target: &SteeredRun,
    request: &ControlRequest,
    error: &ControlError,
) -> CommandError {
    let run = target.run.run();
    let diagnostic = match error {
        ControlError::NoSocket | ControlError::Stale => {
            if !is_active(&target.run) {
                return finished_run_error(target, request);
            }
            let owner = JournalLock::owner_of(&target.run).ok().flatten();
            let hint = owner.map(|owner| format!("signals still work: kill {}", owner.pid));
            cannot_be_steered(target, error)
                .hint("an older version of forkhestra executes it, or its control socket could not be opened (see the warning at its start)")
                .maybe_hint(hint)
        }
        ControlError::ConnectionClosed if !is_active(&target.run) => {
            return finished_run_error(target, request);
        }
        ControlError::ConnectionClosed => cannot_be_steered(target, error)
            .hint("it has too many control clients, or is ending; try again"),
        ControlError::NotOurs => Diagnostic::error(format!("run {run} belongs to another user"))
            .hint("its owner can steer it, and root"),
        ControlError::Stopped { pid } => Diagnostic::error(format!(
            "run {run} does not answer: process {pid} is stopped by a signal"
        ))
        .hint(format!("to continue it: `fg` in its terminal, or kill -CONT {pid}")),
        ControlError::NoAnswer => Diagnostic::error(format!("run {run} does not answer"))
            .hint("its machine may have too much to do; try again"),
        ControlError::RequestRejected(_) | ControlError::Unclear(_) => {
            cannot_be_steered(target, error)
                .hint("another version of forkhestra works on it, and can steer it")
        }
        ControlError::System(_) => cannot_be_steered(target, error),
    };
    CommandError::wrong(diagnostic)
}

fn cannot_be_steered(target: &SteeredRun, error: &ControlError) -> Diagnostic {
    Diagnostic::error(format!("run {} cannot be steered: {}", target.run.run(), in_full(error)))
}

/// The error for a run that no process works on any more.
fn finished_run_error(target: &SteeredRun, request: &ControlRequest) -> CommandError {
    let SteeredRun { run, project } = target;
    let past = match recorded_run::read(run) {
        Ok(past) => past,
        Err(error) => return repair::refused(&error, run, project),
    };
    let id = run.run();
    let diagnostic = match past.history.state.end {
        Some(_) => format!("run {id} is over: {}", reply_text::run_end_text(&past.history)),
        None => format!("run {id} was cut off"),
    };
    CommandError::wrong(
        Diagnostic::error(diagnostic).maybe_hint(resume_hint(target, request, &past)),
    )
}

/// The command that resumes the run with the requested change, where that makes sense.
fn resume_hint(
    target: &SteeredRun,
    request: &ControlRequest,
    past: &RecordedRun,
) -> Option<String> {
    let state = &past.history.state;
    let is_wanted = match (request, &state.end) {
        (_, Some(RunEnd::Complete)) => false,
        (ControlRequest::Stop | ControlRequest::StopNow | ControlRequest::Pause, Some(_)) => false,
        (_, _) => true,
    };
    let mut command = resume_command(&target.run, &state.plan, &target.project);
    if let ControlRequest::Set(changes) = request {
        for option in changes.command_options() {
            command.push_str(&format!(" {option}"));
        }
    }
    is_wanted.then(|| format!("to resume: {command}"))
}
