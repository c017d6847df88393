//! Sends requests from `forkhestra watch` to a run.

use forkhestra_core::control::{AcceptedRequest, ControlReply, ControlRequest};
use forkhestra_core::history::Liveness;
use forkhestra_store::RunDir;
use forkhestra_store::control::ControlError;
use forkhestra_store::journal::recorded_run;

use super::one_line_error;
use crate::cli::command_error::in_full;
use crate::past_runs::{control_client, pending_message};
use crate::project::project_location::ProjectLocation;

/// Sends a request to a run. A message is stored if the run can be resumed. The error says why
/// there is no reply.
pub(super) fn send_request(
    run: &RunDir,
    request: &ControlRequest,
    project: &ProjectLocation,
) -> Result<ControlReply, String> {
    if let ControlRequest::Tell(text) = request {
        let kept = pending_message::store_for_resume(run, project, text);
        if let Some(number) = kept.map_err(|error| one_line_error(&error))? {
            return Ok(ControlReply::Accepted(AcceptedRequest::Queued { number }));
        }
    }
    control_client::send_request(run, request).map_err(|error| control_error_text(run, &error))
}

fn control_error_text(run: &RunDir, error: &ControlError) -> String {
    let is_gone = || recorded_run::liveness(run) == Liveness::Gone;
    match error {
        ControlError::NoSocket | ControlError::Stale | ControlError::ConnectionClosed
            if is_gone() =>
        {
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
