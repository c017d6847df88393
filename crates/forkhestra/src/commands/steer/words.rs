//! What a run answers, in words.

use forkhestra_core::control::{Accepted, Request};
use forkhestra_core::event::LimitChanges;
use forkhestra_core::history::{History, Liveness};
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::words;

use super::target::Target;
use crate::report::shell_word::shell_word;
use crate::report::status::run_word;

/// What a run will do, or has done, as a line.
pub(super) fn accepted(run: &RunId, request: &Request, accepted: Accepted) -> String {
    match accepted {
        Accepted::Stops { after: Some(UnitId { step, iteration, .. }) } => {
            format!("Run {run} stops after iteration {iteration} of step {step}\n")
        }
        Accepted::Stops { after: None } => format!("Run {run} stops: no agent is at work\n"),
        Accepted::Ends => format!("Run {run} is ending, and so is everything it started\n"),
        Accepted::Paused => {
            format!("Run {run} is paused; to continue: forkhestra continue {run}\n")
        }
        Accepted::Continued => format!("Run {run} continues\n"),
        Accepted::Queued { number } => {
            format!("Message {number} waits for the next agent of run {run}\n")
        }
        Accepted::Skips { step } => format!("Run {run} skips step {step}\n"),
        Accepted::Changed => {
            let changed = match request {
                Request::Set(changes) => options(changes),
                _ => Vec::new(),
            };
            format!("Run {run} has new limits: {}\n", words::all_of(&changed))
        }
    }
}

/// That a message is kept for a run that is over.
pub(super) fn kept(target: &Target, number: u32) -> String {
    let run = target.run.run();
    format!(
        "Message {number} is kept for run {run}: its next agent gets it when you resume it\n\
         To resume: forkhestra resume {run}\n"
    )
}

/// What became of a run that nobody works on any more, as a line.
pub(super) fn ended(run: &RunId, history: &History) -> String {
    match history.state.end {
        Some(_) => format!("Run {run} is over: {}\n", fate(history)),
        None => format!("Run {run} was cut off\n"),
    }
}

/// What became of a run that is over.
pub(super) fn fate(history: &History) -> String {
    run_word(history, Liveness::Gone).0.replace('_', " ")
}

/// The options that say the same.
pub(super) fn options(changes: &LimitChanges) -> Vec<String> {
    let option = |(name, value): (&str, String)| {
        format!("--{name} {}", shell_word(value.trim_start_matches('$')))
    };
    changes.options().into_iter().map(option).collect()
}
