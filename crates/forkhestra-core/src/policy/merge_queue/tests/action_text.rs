//! Actions as text.

use super::repository_model::{number, numbers};
use crate::policy::{QueueAction, QueueEntry, QueueRefusal};

pub(super) fn action_text(action: &QueueAction) -> String {
    let list = |entries: &[QueueEntry]| {
        let numbers = numbers(entries).into_iter().map(|number| format!(" {number}"));
        numbers.collect::<String>()
    };
    match action {
        QueueAction::Merge { onto, entries } => format!("merge{} onto {onto}", list(entries)),
        QueueAction::Check { tip, entries } => format!("check{} at {tip}", list(entries)),
        QueueAction::Land { tip, entries } => format!("land{} at {tip}", list(entries)),
        QueueAction::Stop { tip, entries, not_run } => {
            format!("stop{} at {tip}: {not_run:?} not run", list(entries))
        }
        QueueAction::Refuse { entry, why } => match why {
            QueueRefusal::Conflict { integration, paths } => {
                format!("refuse {}: {paths:?} with {integration}", number(entry))
            }
            QueueRefusal::RedChecks { tip, checks, .. } => {
                format!("refuse {}: {checks:?} red at {tip}", number(entry))
            }
        },
    }
}
