//! The tasks that share an id, and who of them keeps it.

use super::lineage::sortable;
use super::note;
use crate::TaskId;
use crate::database::Stored;
use crate::document::{Document, Front};

/// Tasks with the same id, not all of which can keep it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// All of them, by their places.
    pub(super) places: Vec<usize>,
    /// Those that move, and where to if that is known already.
    pub(super) movers: Vec<(usize, Option<TaskId>)>,
}

/// Finds the groups of tasks that are sorted by their ids. A task whose move was begun moves on, even if
/// it is alone by now.
pub(super) fn find(files: &[Stored<Document>], fronts: &[Stored<Front>]) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut start = 0;
    for same in fronts.chunk_by(|one, other| one.content.id == other.content.id) {
        let places: Vec<usize> = (start..start + same.len()).collect();
        start += same.len();
        let planned = |place: usize| note::planned(&files[place].content);
        let settled = places.iter().filter(|place| planned(**place).is_none());
        let keeper = settled.min_by_key(|place| seniority(&fronts[**place])).copied();
        let movers = places.iter().filter(|place| Some(**place) != keeper);
        let movers: Vec<_> = movers.map(|place| (*place, planned(*place))).collect();
        if !movers.is_empty() {
            groups.push(Group { places, movers });
        }
    }
    groups
}

/// The smaller, the older.
fn seniority(task: &Stored<Front>) -> (bool, Option<String>, String) {
    let created = task.content.created_at.as_deref().map(sortable);
    (created.is_none(), created, task.path())
}
