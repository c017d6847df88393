//! What has become of a run or a step, in the words that people see, in its colour.
//!
//! They differ from those of JSON: a run that was stopped on request is `stopped`, one whose tasks are blocked
//! is `incomplete`, one that goes on may be `paused`, `stopping` or `waiting`, and a step that a run which is
//! over never came to is `not reached`.

use anstyle::Style;
use forkhestra_core::event::{RunEnd, StepEnd};
use forkhestra_core::history::{History, Liveness, Status};
use forkhestra_store::Overview;
use typeset::style::{BAD, DIM, GOING_ON, GOOD, WARNING};
use typeset::table::Cell;

const STOPPED: &str = "stopped";
const INCOMPLETE: (&str, Style) = ("incomplete", WARNING);
const PAUSED: (&str, Style) = ("paused", WARNING);
const STOPPING: (&str, Style) = ("stopping", GOING_ON);
const WAITING: (&str, Style) = ("waiting", GOING_ON);

/// What has become of a run.
pub(crate) fn of_run(history: &History, liveness: Liveness) -> Cell {
    let (word, style) = run_word(history, liveness);
    Cell::painted(word, style)
}

/// The status of a run as one word, and its colour.
pub(crate) fn run_word(history: &History, liveness: Liveness) -> (&'static str, Style) {
    let status = history.status(liveness);
    let step = history.current_step().and_then(|step| history.state.steps.get(step - 1));
    let waiting = step.and_then(|step| step.postponement.waiting_until);
    match &history.state.end {
        None if liveness == Liveness::Gone => (status.word(), style(status)),
        None if history.steering.paused.is_some() => PAUSED,
        None if history.steering.stop_requested.is_some() => STOPPING,
        None if waiting.is_some() => WAITING,
        Some(RunEnd::Incomplete { end: StepEnd::TasksBlocked(_), .. }) => INCOMPLETE,
        _ if history.was_stopped() => (STOPPED, style(status)),
        _ => (status.word(), style(status)),
    }
}

/// What has become of a step, from one: the word and its colour.
pub(crate) fn of_step(
    history: &History,
    number: usize,
    liveness: Liveness,
) -> (&'static str, Style) {
    let status = history.step_status(number, liveness);
    let is_over = history.state.end.is_some() || liveness == Liveness::Gone;
    let end = history.state.steps.get(number.wrapping_sub(1)).and_then(|step| step.end());
    let word = match status {
        Status::Failed if matches!(end, Some(StepEnd::TasksBlocked(_))) => return INCOMPLETE,
        Status::Pending if is_over => "not reached",
        Status::Interrupted if history.was_stopped() => STOPPED,
        status => status.word(),
    };
    (word, style(status))
}

/// What has become of a run in a list.
pub(crate) fn of_overview(known: &Overview) -> Cell {
    let (word, style) = overview_word(known);
    Cell::painted(word, style)
}

/// The status of a run in a list as one word, and its colour.
pub(crate) fn overview_word(known: &Overview) -> (&'static str, Style) {
    let status: Status = known.status.into();
    match known.reason.as_deref() {
        _ if known.paused_since.is_some() => PAUSED,
        _ if known.stop_requested_at.is_some() => STOPPING,
        _ if known.waiting_until.is_some() => WAITING,
        Some("tasks_blocked") => INCOMPLETE,
        _ if known.was_stopped() => (STOPPED, style(status)),
        _ => (status.word(), style(status)),
    }
}

const fn style(status: Status) -> Style {
    match status {
        Status::Complete => GOOD,
        Status::Running => GOING_ON,
        Status::Failed => BAD,
        Status::Pending => DIM,
        Status::Stagnated
        | Status::MaxIterations
        | Status::Interrupted
        | Status::Limited
        | Status::Skipped => WARNING,
    }
}
