//! What iterations changed in their work tree.

use crate::event::{Fingerprint, Observation};
use crate::history::IterationRecord;

/// What an iteration changed in its work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IterationTreeChange {
    /// The state was not recorded.
    Unknown,
    /// The state is new.
    New,
    None,
    /// The state equals that after an earlier iteration, with others in between; 0 is before the
    /// first iteration.
    BackTo(u32),
}

impl IterationTreeChange {
    /// What each iteration of a step changed.
    pub fn of(before: &Observation, records: &[IterationRecord]) -> Vec<Self> {
        let mut seen: Vec<(u32, &Fingerprint)> = before.tree.iter().map(|tree| (0, tree)).collect();
        let changes = records.iter().map(|record| {
            let Some(tree) = &record.report.observation.tree else { return Self::Unknown };
            let change = match seen.iter().rfind(|(_, known)| *known == tree) {
                None => Self::New,
                Some(_) if seen.last().is_some_and(|(_, last)| *last == tree) => Self::None,
                Some((iteration, _)) => Self::BackTo(*iteration),
            };
            seen.push((record.unit.iteration, tree));
            change
        });
        changes.collect()
    }

    /// Whether the state was known before the iteration.
    pub const fn is_known_state(self) -> bool {
        matches!(self, Self::None | Self::BackTo(_))
    }
}
