//! Texts for the replies of a run.

use forkhestra_core::control::{AcceptedRequest, ControlRequest};
use forkhestra_core::history::{Liveness, RunHistory};
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::text;

use super::steered_run::SteeredRun;
use crate::past_runs::resume_command;
use crate::report::text::status::run_word;

/// One line that says what the run will do or has done.
pub(super) fn accepted_text(
    run: &RunId,
    request: &ControlRequest,
    accepted: AcceptedRequest,
) -> String {
    match accepted {
        AcceptedRequest::Stops { after: Some(UnitId { step, iteration, .. }) } => {
            format!("Run {run} stops after iteration {iteration} of step {step}\n")
        }
        AcceptedRequest::Stops { after: None } => format!("Run {run} stops: no agent is at work\n"),
        AcceptedRequest::Ends => format!("Run {run} is ending, and so is everything it started\n"),
        AcceptedRequest::Paused => {
            format!("Run {run} is paused; to continue: forkhestra continue {run}\n")
        }
        AcceptedRequest::Continued => format!("Run {run} continues\n"),
        AcceptedRequest::Queued { number } => match request {
            ControlRequest::Tell { lane: Some(lane), .. } => {
                format!("Message {number} waits for the next agent of lane {lane} of run {run}\n")
            }
            _ => format!("Message {number} waits for the next agent of run {run}\n"),
        },
        AcceptedRequest::Skips { step } => format!("Run {run} skips step {step}\n"),
        AcceptedRequest::SkipsGroup { first_step, last_step } => {
            format!("Run {run} skips the rest of the group of steps {first_step} to {last_step}\n")
        }
        AcceptedRequest::Answered { step, approved } => {
            let word = if approved { "approved" } else { "denied" };
            format!("Step {step} of run {run} is {word}\n")
        }
        AcceptedRequest::Changed => {
            let changed = match request {
                ControlRequest::Set(changes) => changes.command_options(),
                _ => Vec::new(),
            };
            format!("Run {run} has new limits: {}\n", text::join_with_and(&changed))
        }
    }
}

/// The text for a message that is kept for a run which is over.
pub(super) fn kept_message_text(target: &SteeredRun, number: u32) -> String {
    let run = target.run.run();
    let resume = resume_command::without_plan(&target.run, &target.project);
    format!(
        "Message {number} is kept for run {run}: its next agent gets it when you resume it\n\
         To resume: {resume}\n"
    )
}

/// One line about a run that no process works on any more.
pub(super) fn ended_text(run: &RunId, history: &RunHistory) -> String {
    match history.state.end {
        Some(_) => format!("Run {run} is over: {}\n", run_end_text(history)),
        None => format!("Run {run} was cut off\n"),
    }
}

/// The end of a run, in words.
pub(super) fn run_end_text(history: &RunHistory) -> String {
    run_word(history, Liveness::Gone).0.replace('_', " ")
}
