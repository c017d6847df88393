//! How states and priorities look. Everything reads well without colours.

use anstyle::Style;
use typeset::style::{BAD, DIM, GOING_ON, GOOD};

use crate::{Priority, Status};

/// The colour of a status.
pub(crate) const fn of_status(status: Status) -> Style {
    match status {
        Status::ToDo => Style::new(),
        Status::InProgress => GOING_ON,
        Status::Blocked => BAD,
        Status::Done => GOOD,
    }
}

/// The sign of a status, which says the same where there are no colours.
pub(crate) const fn symbol(status: Status) -> &'static str {
    match status {
        Status::ToDo => "○",
        Status::InProgress => "◐",
        Status::Blocked => "✗",
        Status::Done => "●",
    }
}

/// The colour of a priority.
pub(crate) const fn of_priority(priority: Priority) -> Style {
    match priority {
        Priority::High => BAD.bold(),
        Priority::Medium => Style::new(),
        Priority::Low => DIM,
    }
}
