//! Asking a run for something, for somebody who sees what becomes of it.

use forkhestra_core::control::{Reply, Request};
use forkhestra_core::history::Liveness;
use forkhestra_store::control::{self, AskError};
use forkhestra_store::{RunDir, history};

use crate::error::in_full;

/// Asks a run for something. An error says why it did not answer.
pub(super) fn ask(run: &RunDir, request: &Request) -> Result<Reply, String> {
    control::ask(run, request).map_err(|error| told(run, &error))
}

fn told(run: &RunDir, error: &AskError) -> String {
    let is_gone = || history::liveness(run) == Liveness::Gone;
    match error {
        AskError::NoSocket | AskError::Stale | AskError::HungUp if is_gone() => {
            "nobody is at work on the run any more".to_owned()
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
