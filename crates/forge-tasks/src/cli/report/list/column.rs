//! The columns of a list of tasks.

use jiff::Timestamp;
use typeset::style::{BAD, DIM, NAME};
use typeset::table::TableCell;
use typeset::text::visible;

use super::ListedTask;
use crate::cli::report::due::is_overdue;
use crate::cli::report::style::{of_priority, of_status, symbol};

/// A column of a list of tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListColumn {
    Id,
    Status,
    Priority,
    /// Whether it is late, or archived.
    Note,
    Title,
    Assignee,
    Labels,
}

/// The note on an overdue task.
pub(super) const OVERDUE: &str = "overdue";
/// The note on an archived task.
pub(super) const ARCHIVED: &str = "archived";

impl ListColumn {
    pub(super) const ALL: [Self; 7] = [
        Self::Id,
        Self::Status,
        Self::Priority,
        Self::Note,
        Self::Title,
        Self::Assignee,
        Self::Labels,
    ];

    pub(super) const fn title(self) -> &'static str {
        match self {
            Self::Id => "ID",
            Self::Status => "STATUS",
            Self::Priority => "PRIORITY",
            Self::Note => "NOTE",
            Self::Title => "TITLE",
            Self::Assignee => "ASSIGNEE",
            Self::Labels => "LABELS",
        }
    }

    pub(super) fn cell(self, task: &ListedTask<'_>, now: Timestamp) -> TableCell {
        let front = task.front;
        match self {
            Self::Id => TableCell::painted(front.id.as_str(), NAME),
            Self::Status => TableCell::painted(
                format!("{} {}", symbol(front.status), front.status),
                of_status(front.status),
            ),
            Self::Priority => match front.priority {
                Some(priority) => TableCell::painted(priority.name(), of_priority(priority)),
                None => TableCell::painted("-", DIM),
            },
            Self::Note if task.is_archived => TableCell::painted(ARCHIVED, DIM),
            Self::Note if is_overdue(front, now) => TableCell::painted(OVERDUE, BAD),
            Self::Note => TableCell::new(""),
            Self::Title => TableCell::new(visible(&front.title)),
            Self::Assignee => {
                TableCell::new(visible(front.assignee.as_deref().unwrap_or_default()))
            }
            Self::Labels => TableCell::painted(visible(&front.labels.join(", ")), DIM),
        }
    }

    /// Whether there is something to show for any task.
    pub(super) fn is_wanted(self, tasks: &[ListedTask<'_>], now: Timestamp) -> bool {
        match self {
            Self::Note => tasks.iter().any(|task| task.is_archived || is_overdue(task.front, now)),
            Self::Assignee => tasks.iter().any(|task| task.front.assignee.is_some()),
            Self::Labels => tasks.iter().any(|task| !task.front.labels.is_empty()),
            Self::Id | Self::Status | Self::Priority | Self::Title => true,
        }
    }
}
