//! The few colours we use. Everything reads well without them.

use anstyle::{AnsiColor, Style};

use crate::{Priority, Status};

/// Headings and names.
pub(crate) const NAME: Style = Style::new().bold();
/// What is less important.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What needs attention.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// What is as it should be.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// What is going on.
pub(crate) const GOING_ON: Style = AnsiColor::Cyan.on_default();
/// What has gone wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();

/// Paints a text.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

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
