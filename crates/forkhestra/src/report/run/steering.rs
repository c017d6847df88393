//! Sentences about operator requests to a run.

use forkhestra_core::event::{AuxJob, CancelCause, LimitChanges, OperatorMessage, RunEnd, StepEnd};
use forkhestra_core::history::{RunActivity, RunHistory};
use forkhestra_core::hook::HookPoint;
use forkhestra_core::machine::{RunState, StepState, StepStatus};
use forkhestra_core::text;

use super::live_line::CurrentWorker;
use super::reported_step::ReportedStep;
use super::{reason, sentence};
use crate::report::text::operator_message;

/// Messages that reached no agent, reported at the end of a run.
pub(super) fn undelivered(run: &RunState, end: &RunEnd) -> Option<String> {
    let messages: Vec<&OperatorMessage> = run.undelivered().collect();
    let numbers: Vec<u32> = messages.iter().map(|message| message.number).collect();
    let (called, text) = (
        operator_message::message_numbers(&numbers),
        operator_message::first_line(&messages.first()?.text),
    );
    let (quoted, was) = match messages.len() {
        1 => (format!(" ({text})"), "was"),
        _ => (String::new(), "were"),
    };
    Some(match end {
        RunEnd::Complete => {
            format!("Warning: {called}{quoted} {was} not delivered: the run ended first")
        }
        RunEnd::Incomplete { .. } | RunEnd::Interrupted(_) => {
            format!(
                "Note: {called}{quoted} will be given to the next agent when the run is resumed"
            )
        }
    })
}

/// A message was queued.
pub(super) fn queued(message: &OperatorMessage) -> String {
    let (number, text) = (message.number, operator_message::first_line(&message.text));
    let lane = message.lane.map_or_else(String::new, |lane| format!(" of lane {lane}"));
    format!("Message {number} waits for the next agent{lane}: {text}")
}

/// Messages were given to an agent.
pub(super) fn messages_given(numbers: &[u32]) -> String {
    format!("Given to the agent: {}", operator_message::message_numbers(numbers))
}

/// When the run will stop.
pub(super) fn stop_requested(run: &RunHistory) -> String {
    let unit = match run.activity {
        // No agent is started after it.
        RunActivity::AuxJobRunning { job, .. } if is_before_agent(job) => None,
        // Each lane ends its own iteration.
        _ if run.lanes.running_agents() > 1 => {
            return "Stopping after the iterations of all lanes, as requested".to_owned();
        }
        activity => activity.unit(),
    };
    let Some(unit) = unit else { return "Stopping, as requested".to_owned() };
    let after = match ReportedStep::of(run, unit.step) {
        Some(step) if step.max_iterations().is_some() => {
            sentence::label(step, unit).replacen('I', "i", 1)
        }
        Some(step) => step.name(),
        None => "this iteration".to_owned(),
    };
    format!("Stopping after {after}, as requested")
}

/// Which step or group (both one-based) is skipped, and the effect on the active process.
pub(super) fn skip_requested(run: &RunHistory, step: usize, group: Option<usize>) -> String {
    let group = group.and_then(|group| Some(run.state.plan.group(group)?.stages.steps()));
    let skipped = match group.as_deref() {
        Some([first, .., last]) => format!("the rest of the group of steps {first} to {last}"),
        _ => match ReportedStep::of(run, step) {
            Some(reported) => format!("step {step}, {}", reported.name_in_sentence()),
            None => format!("step {step}"),
        },
    };
    let ending = match CurrentWorker::of_run(run) {
        None => "",
        Some(CurrentWorker::Agent) => ": ending its agent",
        Some(CurrentWorker::Check) => ": ending its check",
        Some(CurrentWorker::Setup) => ": ending the setup of its clean room",
        Some(CurrentWorker::Hook) => ": ending its hook",
    };
    format!("Skipping {skipped}, as requested{ending}")
}

/// The changed limits, as the options that set them.
pub(super) fn limits_changed(changes: &LimitChanges) -> String {
    let options = changes.options().into_iter().map(|(name, limit)| format!("{name} {limit}"));
    format!("Limits changed: {}", text::join_with_and(&options.collect::<Vec<_>>()))
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
pub(crate) fn steps_of(state: &RunState) -> String {
    let (complete, all) = (state.complete_steps(), state.steps_on_path().len());
    format!("({complete}/{all} steps{})", left_out(state))
}

/// Steps that were skipped, not needed or replaced, after a comma.
pub(crate) fn left_out(state: &RunState) -> String {
    let parts = [
        (state.skipped_steps(), "skipped"),
        (state.not_needed_steps(), "not needed"),
        (replaced_steps(state), "replaced"),
    ];
    let parts = parts.into_iter().filter(|(number, _)| *number > 0);
    parts.map(|(number, word)| format!(", {number} {word}")).collect()
}

/// The number of steps that worked, and that an alternative ran instead of.
fn replaced_steps(state: &RunState) -> usize {
    let counted = state.steps_on_path();
    let others = (1..).zip(&state.steps).filter(|(number, _)| !counted.contains(number));
    let has_worked = |step: &StepState| match &step.status {
        StepStatus::Pending => false,
        StepStatus::Open => true,
        StepStatus::Ended(end) => *end != StepEnd::NotNeeded,
    };
    others.filter(|(_, step)| has_worked(step)).count()
}

/// Whether the aux job is a hook before an agent.
fn is_before_agent(aux_job: AuxJob) -> bool {
    matches!(aux_job, AuxJob::Hook { moment, .. } if moment.point == HookPoint::PreIteration)
}
