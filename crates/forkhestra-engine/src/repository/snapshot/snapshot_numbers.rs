//! The numbers of the snapshots of a run.

use std::sync::{Arc, Mutex, PoisonError};

/// Gives the numbers of snapshots. Several places of work take snapshots at the same time, and each may
/// not know yet what the others have taken.
#[derive(Debug, Clone, Default)]
pub(crate) struct SnapshotNumbers(Arc<Mutex<u32>>);

impl SnapshotNumbers {
    /// A number that was not given before, and that is not below the one that follows the snapshots
    /// known to the caller.
    pub(super) fn next(&self, least: u32) -> u32 {
        // A panic cannot leave the value inconsistent.
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let number = least.max(*free);
        *free = number.saturating_add(1);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_number_is_given_twice() {
        let numbers = SnapshotNumbers::default();
        let (lane, other) = (numbers.clone(), numbers);
        let given = [lane.next(3), other.next(3), lane.next(4), other.next(9), lane.next(0)];
        assert_eq!(given, [3, 4, 5, 9, 10]);
    }
}
