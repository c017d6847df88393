//! Sends requests from `forkhestra watch` to a run.

use forkhestra_core::control::{
    AcceptedRequest, AnswerRequest, ControlReply, ControlRequest, RefusedRequest,
};
use forkhestra_core::history::Liveness;
use forkhestra_store::RunDir;
use forkhestra_store::control::ControlError;
use forkhestra_store::journal::recorded_run;

use super::one_line_error;
use crate::cli::command_error::in_full;
use crate::past_runs::{control_client, pending_message, resume_answer};
use crate::project::project_location::ProjectLocation;

/// Sends a request to a run. A message is stored if the run can be resumed. The error says why
/// there is no reply.
pub(super) fn send_request(
    run: &RunDir,
    request: &ControlRequest,
    project: &ProjectLocation,
) -> Result<ControlReply, String> {
    if let ControlRequest::Tell { text, lane: None } = request {
        let kept = pending_message::store_for_resume(run, project, text);
        if let Some(number) = kept.map_err(|error| one_line_error(&error))? {
            return Ok(ControlReply::Accepted(AcceptedRequest::Queued { number }));
        }
    }
    let reply = control_client::send_request(run, request);
    if let ControlRequest::Answer(answer) = request
        && is_too_late(run, &reply)
        && let Some(command) = answering_resume(run, answer, project)
    {
        return Err(format!(
            "no process works on the run any more; to resume it with this answer: {command}"
        ));
    }
    reply.map_err(|error| control_error_text(run, &error))
}

/// Whether a request came after the end of the run.
fn is_too_late(run: &RunDir, reply: &Result<ControlReply, ControlError>) -> bool {
    match reply {
        Ok(ControlReply::Refused(RefusedRequest::Over)) => true,
        Err(error) => is_unreachable(error) && recorded_run::liveness(run) == Liveness::Gone,
        Ok(_) => false,
    }
}

/// Whether nothing listens at the socket of the run.
const fn is_unreachable(error: &ControlError) -> bool {
    matches!(error, ControlError::NoSocket | ControlError::Stale | ControlError::ConnectionClosed)
}

/// The command that resumes a run with an answer, if its question is still open.
fn answering_resume(
    run: &RunDir,
    answer: &AnswerRequest,
    project: &ProjectLocation,
) -> Option<String> {
    let past = recorded_run::read(run).ok()?;
    resume_answer::answering_command(run, &past.history.state, answer, project)
}

fn control_error_text(run: &RunDir, error: &ControlError) -> String {
    match error {
        error if is_unreachable(error) && recorded_run::liveness(run) == Liveness::Gone => {
            "no process works on the run any more".to_owned()
        }
        ControlError::Stopped { pid } => {
            format!(
                "the run does not answer: process {pid} is stopped by a signal (kill -CONT {pid})"
            )
        }
        ControlError::NoAnswer => {
            "the run does not answer; it may yet do what was asked".to_owned()
        }
        ControlError::NoSocket | ControlError::Stale => {
            format!("the run cannot be steered: {}; an older version works on it", in_full(error))
        }
        ControlError::RequestRejected(_) | ControlError::Unclear(_) => {
            format!("the run cannot be steered: {}; another version works on it", in_full(error))
        }
        ControlError::NotOurs
        | ControlError::NotTheRun(_)
        | ControlError::OtherNamespace
        | ControlError::ConnectionClosed
        | ControlError::System(_) => {
            format!("the run cannot be steered: {}", in_full(error))
        }
    }
}
