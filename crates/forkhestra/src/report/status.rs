//! What has become of something, in its colour.

use anstyle::Style;
use forkhestra_core::history::Status;
use typeset::style::{BAD, DIM, GOING_ON, GOOD, WARNING};
use typeset::table::Cell;

/// The word for what has become of something.
pub(crate) fn cell(status: Status) -> Cell {
    Cell::painted(status.word(), style(status))
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
