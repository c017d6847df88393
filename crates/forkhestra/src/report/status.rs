//! What has become of a run or a step, in the words that people see, in its colour.
//!
//! They differ from those of JSON in two cases: a run that was stopped on request is `stopped`, and a step
//! that a run which is over never came to is `not reached`.

use anstyle::Style;
use forkhestra_core::event::RunEnd;
use forkhestra_core::history::{History, Liveness, Status};
use forkhestra_store::Overview;
use typeset::style::{BAD, DIM, GOING_ON, GOOD, WARNING};
use typeset::table::Cell;

use super::run::steering::is_wish;

const STOPPED: &str = "stopped";

/// What has become of a run.
pub(crate) fn of_run(history: &History, liveness: Liveness) -> Cell {
    let status = history.status(liveness);
    let word = if was_stopped(history) { STOPPED } else { status.word() };
    Cell::painted(word, style(status))
}

/// What has become of a step, from one: the word and its colour.
pub(crate) fn of_step(
    history: &History,
    number: usize,
    liveness: Liveness,
) -> (&'static str, Style) {
    let status = history.step_status(number, liveness);
    let is_over = history.state.end.is_some() || liveness == Liveness::Gone;
    let word = match status {
        Status::Pending if is_over => "not reached",
        Status::Interrupted if was_stopped(history) => STOPPED,
        status => status.word(),
    };
    (word, style(status))
}

/// What has become of a run in a list.
pub(crate) fn of_overview(known: &Overview) -> Cell {
    let status: Status = known.status.into();
    let is_wish = matches!(known.reason.as_deref(), Some("stop" | "stop_now"));
    let word = if status == Status::Interrupted && is_wish { STOPPED } else { status.word() };
    Cell::painted(word, style(status))
}

fn was_stopped(history: &History) -> bool {
    matches!(history.state.end, Some(RunEnd::Interrupted(by)) if is_wish(by))
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
