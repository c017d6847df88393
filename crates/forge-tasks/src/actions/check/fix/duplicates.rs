//! Tasks that share an id, and which task a reference to that id means.

use std::collections::BTreeMap;

use crate::TaskId;
use crate::actions::check::fix::file_stages;
use crate::database::StoredFile;
use crate::document::{FrontMatter, TaskDocument};
use crate::written_time::{compare, sortable};

/// Tasks with the same id, by their positions. All but the keeper move.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct DuplicateGroup {
    pub(super) members: Vec<usize>,
    /// Each moving task, with its new id if an earlier run has chosen one.
    pub(super) movers: Vec<(usize, Option<TaskId>)>,
}

/// Finds the groups in tasks that are sorted by id. The oldest task keeps the id. A task whose move
/// has begun moves even if it is alone by now.
pub(super) fn find(
    files: &[StoredFile<TaskDocument>],
    fronts: &[StoredFile<FrontMatter>],
) -> Vec<DuplicateGroup> {
    let mut groups = Vec::new();
    let mut start = 0;
    for same in fronts.chunk_by(|one, other| one.content.id == other.content.id) {
        let members: Vec<usize> = (start..start + same.len()).collect();
        start += same.len();
        let pending = |at: usize| file_stages::pending_id(&files[at].content);
        let settled = members.iter().filter(|at| pending(**at).is_none());
        let keeper = settled.min_by_key(|at| seniority(&fronts[**at])).copied();
        let movers = members.iter().filter(|at| Some(**at) != keeper);
        let movers: Vec<_> = movers.map(|at| (*at, pending(*at))).collect();
        if !movers.is_empty() {
            groups.push(DuplicateGroup { members, movers });
        }
    }
    groups
}

/// The key to sort by, oldest first.
fn seniority(task: &StoredFile<FrontMatter>) -> (bool, Option<String>, String) {
    let created = task.content.created_at.as_deref().map(sortable);
    (created.is_none(), created, task.path())
}

/// Decides which task of a group a reference means.
///
/// Ids rise on each side of a merge. If every task that keeps its id is older than every task that
/// moves, all keepers are of one side and all movers of the other. A member of one group then refers
/// to a member of its own side in another group. The side of every other task is unknown.
pub(super) struct ReferenceResolver {
    /// The keepers and the movers by their positions; none if the sides are not known.
    sides: BTreeMap<usize, MergeSide>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MergeSide {
    Keeper,
    Mover,
}

impl ReferenceResolver {
    pub(super) fn new(fronts: &[StoredFile<FrontMatter>], groups: &[DuplicateGroup]) -> Self {
        let sides = sides(groups).filter(|sides| are_apart(sides, fronts));
        // The first moved task shows that an earlier run has rewritten all references.
        let mut movers = groups.iter().flat_map(|group| &group.movers);
        let has_moved = movers.any(|(at, id)| Some(&fronts[*at].content.id) == id.as_ref());
        Self { sides: sides.filter(|_| !has_moved).unwrap_or_default() }
    }

    /// The member of the group that a task refers to; `None` if it is ambiguous.
    pub(super) fn resolve(&self, referrer: usize, members: &[usize]) -> Option<usize> {
        if let [only] = members {
            return Some(*only);
        }
        let side = self.sides.get(&referrer).filter(|_| !members.contains(&referrer))?;
        members.iter().find(|member| self.sides.get(member) == Some(side)).copied()
    }
}

/// The sides of all tasks that share an id; `None` if more than two share one.
fn sides(groups: &[DuplicateGroup]) -> Option<BTreeMap<usize, MergeSide>> {
    let mut sides = BTreeMap::new();
    for group in groups.iter().filter(|group| group.members.len() > 1) {
        let [(mover, _)] = group.movers[..] else { return None };
        for at in &group.members {
            let side = if *at == mover { MergeSide::Mover } else { MergeSide::Keeper };
            sides.insert(*at, side);
        }
    }
    Some(sides)
}

/// Whether every keeper was created before every mover.
fn are_apart(sides: &BTreeMap<usize, MergeSide>, fronts: &[StoredFile<FrontMatter>]) -> bool {
    let created = |side: MergeSide| {
        let of_side = sides.iter().filter(move |(_, its)| **its == side);
        of_side.map(|(at, _)| fronts[*at].content.created_at.as_deref())
    };
    created(MergeSide::Keeper).all(|keeper| {
        created(MergeSide::Mover).all(|mover| {
            matches!((keeper, mover), (Some(keeper), Some(mover)) if compare(keeper, mover).is_lt())
        })
    })
}
