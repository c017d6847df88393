//! Asking a run for something, for somebody who sees what becomes of it.

use forkhestra_core::control::{Accepted, Reply, Request};
use forkhestra_core::history::Liveness;
use forkhestra_store::control::{self, AskError};
use forkhestra_store::{RunDir, history};

use super::in_a_line;
use crate::error::in_full;
use crate::kept_message;
use crate::project::Project;

/// Asks a run for something. A message is kept if the run can be resumed. An error says why it did not
/// answer.
pub(super) fn ask(run: &RunDir, request: &Request, project: &Project) -> Result<Reply, String> {
    if let Request::Tell(text) = request {
        let kept = kept_message::keep_for_resume(run, project, text);
        if let Some(number) = kept.map_err(|error| in_a_line(&error))? {
            return Ok(Reply::Accepted(Accepted::Queued { number }));
        }
    }
    control::ask(run, request).map_err(|error| told(run, &error))
}

fn told(run: &RunDir, error: &AskError) -> String {
    let is_gone = || history::liveness(run) == Liveness::Gone;
    match error {
        AskError::NoSocket | AskError::Stale | AskError::HungUp if is_gone() => {
            "no process works on the run any more".to_owned()
        }
        AskError::Stopped { pid } => {
            format!(
                "the run does not answer: process {pid} is stopped by a signal (kill -CONT {pid})"
            )
        }
        AskError::NoAnswer => "the run does not answer; it may yet do what was asked".to_owned(),
        AskError::NoSocket | AskError::Stale => {
            format!("the run cannot be steered: {}; an older version works on it", in_full(error))
        }
        AskError::NotUnderstood(_) | AskError::Unclear(_) => {
            format!("the run cannot be steered: {}; another version works on it", in_full(error))
        }
        AskError::NotOurs | AskError::HungUp | AskError::System(_) => {
            format!("the run cannot be steered: {}", in_full(error))
        }
    }
}
