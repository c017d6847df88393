//! The styles of statuses and priorities. All texts are readable without colours.

use anstyle::Style;
use typeset::style::{ACTIVE, BAD, DIM, GOOD};

use crate::{Priority, TaskStatus};

/// The colour of a status.
pub(crate) const fn of_status(status: TaskStatus) -> Style {
    match status {
        TaskStatus::ToDo => Style::new(),
        TaskStatus::InProgress | TaskStatus::Landing => ACTIVE,
        TaskStatus::Blocked => BAD,
        TaskStatus::Done => GOOD,
    }
}

/// The symbol of a status, for output without colours.
pub(crate) const fn symbol(status: TaskStatus) -> &'static str {
    match status {
        TaskStatus::ToDo => "○",
        TaskStatus::InProgress => "◐",
        TaskStatus::Blocked => "✗",
        TaskStatus::Landing => "◒",
        TaskStatus::Done => "●",
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
