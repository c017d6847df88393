//! Status words of runs and steps for people, with their colours.
//!
//! They differ from those of JSON: a run that was stopped on request is `stopped`, one whose tasks
//! are blocked is `incomplete`, a live one may be `paused`, `stopping`, `asking` or `waiting`, and
//! a step that a finished run did not reach is `not reached`.

use anstyle::Style;
use forkhestra_core::event::{CompletionSignal, StepEnd};
use forkhestra_core::explain::is_incomplete;
use forkhestra_core::history::{ExecutionStatus, Liveness, RunHistory};
use forkhestra_store::RunOverview;
use typeset::style::{ACTIVE, BAD, DIM, GOOD, WARNING};
use typeset::table::TableCell;

const STOPPED: &str = "stopped";
const INCOMPLETE: (&str, Style) = ("incomplete", WARNING);
const PAUSED: (&str, Style) = ("paused", WARNING);
const STOPPING: (&str, Style) = ("stopping", ACTIVE);
const ASKING: (&str, Style) = ("asking", WARNING);
const WAITING: (&str, Style) = ("waiting", ACTIVE);

/// Status of a run as a table cell.
pub(crate) fn of_run(history: &RunHistory, liveness: Liveness) -> TableCell {
    let (word, style) = run_word(history, liveness);
    TableCell::painted(word, style)
}

/// Status of a run as one word, and its colour.
pub(crate) fn run_word(history: &RunHistory, liveness: Liveness) -> (&'static str, Style) {
    let status = history.status(liveness);
    let step = history.current_step().and_then(|step| history.state.steps.get(step - 1));
    let waiting = step.and_then(|step| step.postponement.wait_in_progress());
    match &history.state.end {
        None if liveness == Liveness::Gone => (status.as_str(), style(status)),
        None if history.steering.paused.is_some() => PAUSED,
        None if history.steering.stop_requested.is_some() => STOPPING,
        None if history.asked_now(liveness).is_some() => ASKING,
        None if waiting.is_some() => WAITING,
        Some(_) if history.reason().is_some_and(is_incomplete) => INCOMPLETE,
        _ if history.was_stopped() => (STOPPED, style(status)),
        _ => (status.as_str(), style(status)),
    }
}

/// Status of a step, counted from one, as one word, and its colour.
pub(crate) fn of_step(
    history: &RunHistory,
    number: usize,
    liveness: Liveness,
) -> (&'static str, Style) {
    let status = history.step_status(number, liveness);
    let is_over = history.state.end.is_some() || liveness == Liveness::Gone;
    let end = history.state.steps.get(number.wrapping_sub(1)).and_then(|step| step.end());
    if end.map(StepEnd::as_str).is_some_and(is_incomplete) && status != ExecutionStatus::NotAccepted
    {
        return INCOMPLETE;
    }
    // A crash may prevent the end of the step, and a hook that fails decides about it.
    let answer =
        history.state.step(number).and_then(|step| step.question.as_ref()?.answer.as_ref());
    if let Some(answer) = answer {
        return if answer.approved { ("approved", GOOD) } else { ("denied", WARNING) };
    }
    let is_asked = history.asked_now(liveness).is_some_and(|question| question.step == number);
    let word = match status {
        ExecutionStatus::Running if is_asked => return ASKING,
        ExecutionStatus::Pending if is_over && history.is_unneeded_alternative(number) => {
            "not needed"
        }
        ExecutionStatus::Pending if is_over => "not reached",
        ExecutionStatus::Complete if is_approval(end) => "approved",
        ExecutionStatus::NotNeeded => "not needed",
        ExecutionStatus::NotAccepted => "not accepted",
        ExecutionStatus::Interrupted if history.was_stopped() => STOPPED,
        status => status.as_str(),
    };
    (word, style(status))
}

/// Whether a person, a timeout or `--yes` approved a question.
const fn is_approval(end: Option<&StepEnd>) -> bool {
    matches!(end, Some(StepEnd::Complete(CompletionSignal::Approved)))
}

/// Status of a listed run as a table cell.
pub(crate) fn of_overview(known: &RunOverview) -> TableCell {
    let (word, style) = overview_word(known);
    TableCell::painted(word, style)
}

/// Status of a listed run as one word, and its colour.
pub(crate) fn overview_word(known: &RunOverview) -> (&'static str, Style) {
    let status = known.status;
    match known.reason.as_deref() {
        _ if known.paused_since.is_some() => PAUSED,
        _ if known.stop_requested_at.is_some() => STOPPING,
        _ if known.asking_since.is_some() => ASKING,
        _ if known.waiting_until.is_some() => WAITING,
        Some(reason) if is_incomplete(reason) => INCOMPLETE,
        _ if known.was_stopped() => (STOPPED, style(status)),
        _ => (status.as_str(), style(status)),
    }
}

const fn style(status: ExecutionStatus) -> Style {
    match status {
        ExecutionStatus::Complete => GOOD,
        ExecutionStatus::Running => ACTIVE,
        ExecutionStatus::Failed => BAD,
        ExecutionStatus::Pending | ExecutionStatus::NotNeeded => DIM,
        ExecutionStatus::Stagnated
        | ExecutionStatus::MaxIterations
        | ExecutionStatus::MaxRounds
        | ExecutionStatus::NotAccepted
        | ExecutionStatus::Denied
        | ExecutionStatus::Interrupted
        | ExecutionStatus::Limited
        | ExecutionStatus::Skipped => WARNING,
    }
}
