//! Operator requests to a run and the sentences about them.

use forkhestra_core::event::{AuxJob, CancelCause, Event, EventKind, LimitChanges, RunEnd};
use forkhestra_core::hook::HookPoint;
use forkhestra_core::id::UnitId;
use forkhestra_core::text;

use super::current_activity::{PreviousActivity, PreviousWorker};
use super::run_tally::PreviousTally;
use super::{reason, sentence};
use crate::report::text::operator_message;

/// Operator requests that are still pending.
#[derive(Debug, Default)]
pub(super) struct PreviousRequests {
    is_paused: bool,
    /// Whether the run stops after this iteration.
    is_stopping: bool,
    /// Messages that no finished iteration has received, oldest first.
    messages: Vec<PreviousMessage>,
}

#[derive(Debug)]
struct PreviousMessage {
    number: u32,
    /// The first line, safe to print.
    text: String,
    /// The iteration that received the message, if any.
    given: Option<UnitId>,
}

impl PreviousRequests {
    /// Applies an event.
    pub(super) fn absorb(&mut self, event: &Event) {
        match &event.kind {
            EventKind::Paused => self.is_paused = true,
            EventKind::Continued => self.is_paused = false,
            EventKind::StopRequested => self.is_stopping = true,
            EventKind::RunFinished { .. } => self.is_stopping = false,
            EventKind::RunResumed { .. } => {
                self.is_paused = false;
                self.is_stopping = false;
                self.messages.iter_mut().for_each(|message| message.given = None);
            }
            EventKind::MessageQueued { message } => {
                let (number, text) = (message.number, operator_message::in_brief(&message.text));
                self.messages.push(PreviousMessage { number, text, given: None });
            }
            EventKind::MessagesGiven { unit, messages } => {
                let given = self.messages.iter_mut().filter(|told| messages.contains(&told.number));
                given.for_each(|told| told.given = Some(*unit));
            }
            EventKind::IterationFinished { unit, report } if report.has_outcome() => {
                self.messages.retain(|told| told.given != Some(*unit));
            }
            EventKind::IterationFinished { unit, .. } => {
                let back = self.messages.iter_mut().filter(|told| told.given == Some(*unit));
                back.for_each(|told| told.given = None);
            }
            _ => {}
        }
    }

    /// Prefix of the live line. It comes first, so that a narrow terminal does not cut it off.
    pub(super) const fn before_status(&self) -> Option<&'static str> {
        match (self.is_paused, self.is_stopping) {
            (true, _) => Some("[Paused]"),
            (false, true) => Some("[Stopping]"),
            (false, false) => None,
        }
    }

    /// Messages that reached no agent, reported at the end of a run.
    pub(super) fn left(&self, end: &RunEnd) -> Option<String> {
        let numbers: Vec<u32> = self.messages.iter().map(|told| told.number).collect();
        let (first, called) = (self.messages.first()?, operator_message::called(&numbers));
        let text = &first.text;
        let quoted = if numbers.len() == 1 { format!(" ({text})") } else { String::new() };
        let was = if numbers.len() == 1 { "was" } else { "were" };
        Some(match end {
            RunEnd::Complete => {
                format!(
                    "Warning: {called}{quoted} {was} given to no agent: the run was over before"
                )
            }
            RunEnd::Incomplete { .. } | RunEnd::Interrupted(_) => {
                format!(
                    "Note: {called}{quoted} will be given to the next agent when the run is resumed"
                )
            }
        })
    }
}

/// A message was queued.
pub(super) fn queued(number: u32, text: &str) -> String {
    format!("Message {number} waits for the next agent: {}", operator_message::in_brief(text))
}

/// Messages were given to an agent.
pub(super) fn given(numbers: &[u32]) -> String {
    format!("Given to the agent: {}", operator_message::called(numbers))
}

/// When the run will stop.
pub(super) fn stop_requested(activity: &PreviousActivity, tally: &PreviousTally) -> String {
    let unit = match activity {
        // No agent is started after it.
        PreviousActivity::Running { errand, .. } if is_before_agent(*errand) => None,
        activity => activity.unit(),
    };
    let Some(unit) = unit else { return "Stopping, as requested".to_owned() };
    let after = match tally.step(unit.step) {
        Some(step) if step.most.is_some() => sentence::label(step, unit).replacen('I', "i", 1),
        Some(step) => step.name.clone(),
        None => "this iteration".to_owned(),
    };
    format!("Stopping after {after}, as requested")
}

/// Which step is skipped, and the effect on the process at work.
pub(super) fn skip_requested(
    number: usize,
    at_work: Option<PreviousWorker>,
    tally: &PreviousTally,
) -> String {
    let name = tally.step(number).map(|step| format!(", {}", step.name)).unwrap_or_default();
    let ending = match at_work {
        None => "",
        Some(PreviousWorker::Agent) => ": ending its agent",
        Some(PreviousWorker::Check) => ": ending its check",
        Some(PreviousWorker::Setup) => ": ending the setup of its clean room",
        Some(PreviousWorker::Hook) => ": ending its hook",
    };
    format!("Skipping step {number}{name}, as requested{ending}")
}

/// The changed limits, as the options that set them.
pub(super) fn limits_changed(changes: &LimitChanges) -> String {
    let said = changes.options().into_iter().map(|(name, limit)| format!("{name} {limit}"));
    format!("Limits changed: {}", text::all_of(&said.collect::<Vec<_>>()))
}

/// A stop request ends the run. `at_work` holds the noun for the process at work and its pronoun.
pub(super) fn stopped(by: CancelCause, at_work: Option<(&str, &str)>, again: bool) -> String {
    match (by, at_work) {
        (CancelCause::Stop, _) => "Stopped, as requested".to_owned(),
        (_, None) => format!("Stopped ({})", reason::cancel(by)),
        (_, Some((what, _))) if again => {
            format!("Stopped again ({}): killing {what}", reason::cancel(by))
        }
        (_, Some((what, them))) => {
            let why = reason::cancel(by);
            format!("Stopped ({why}): ending {what}; a second one kills {them} at once")
        }
    }
}

/// Step counts of a run: `(1/3 steps, 1 skipped)`.
pub(super) fn steps(complete: usize, all: usize, skipped: usize) -> String {
    match skipped {
        0 => format!("({complete}/{all} steps)"),
        skipped => format!("({complete}/{all} steps, {skipped} skipped)"),
    }
}

/// Whether the aux job is a hook before an agent.
fn is_before_agent(errand: AuxJob) -> bool {
    matches!(errand, AuxJob::Hook { moment, .. } if moment.point == HookPoint::PreIteration)
}
