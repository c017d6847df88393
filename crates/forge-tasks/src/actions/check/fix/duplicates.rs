//! Tasks that share an id, and which task a reference to that id means.

use std::cmp::Ordering;

use super::pending_id;
use crate::TaskId;
use crate::actions::check::created_order::{compare, sortable};
use crate::database::StoredFile;
use crate::document::{FrontMatter, TaskDocument};

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
        let pending = |at: usize| pending_id::read(&files[at].content);
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
pub(super) struct ReferenceResolver<'a> {
    fronts: &'a [StoredFile<FrontMatter>],
    /// Whether every task that keeps its id is older than every task that moves. Then the two sides
    /// of a merge were written one after the other, and a task refers to the side that it was
    /// created with.
    are_sides_apart: bool,
}

impl<'a> ReferenceResolver<'a> {
    pub(super) fn new(fronts: &'a [StoredFile<FrontMatter>], groups: &[DuplicateGroup]) -> Self {
        let created = |at: usize| fronts[at].content.created_at.as_deref();
        let is_mover = |group: &DuplicateGroup, at: usize| group.movers.iter().any(|it| it.0 == at);
        let shared = || groups.iter().filter(|group| group.members.len() > 1);
        let side = |is_moving: bool| -> Vec<Option<&str>> {
            let members = shared().flat_map(|group| {
                group.members.iter().filter(move |at| is_mover(group, **at) == is_moving)
            });
            members.map(|at| created(*at)).collect()
        };
        let movers = side(true);
        let is_older = |keeper: Option<&str>| {
            movers.iter().all(|mover| {
                matches!((keeper, mover), (Some(keeper), Some(mover)) if compare(keeper, mover).is_lt())
            })
        };
        // The first moved task shows that an earlier run has rewritten all references.
        let has_moved = groups.iter().flat_map(|group| &group.movers);
        let mut has_moved =
            has_moved.filter(|(at, id)| Some(&fronts[*at].content.id) == id.as_ref());
        let are_sides_apart = has_moved.next().is_none() && side(false).into_iter().all(is_older);
        Self { fronts, are_sides_apart }
    }

    /// The member of the group that a task refers to; `None` if it is ambiguous.
    pub(super) fn resolve(&self, referrer: usize, members: &[usize]) -> Option<usize> {
        if let [only] = members {
            return Some(*only);
        }
        let created = |at: usize| self.fronts[at].content.created_at.as_deref();
        let mut older = Vec::new();
        for member in members {
            match compare(created(*member)?, created(referrer)?) {
                Ordering::Less => older.push(*member),
                Ordering::Equal => return None,
                Ordering::Greater => {}
            }
        }
        match older[..] {
            [only] => Some(only),
            [one, other] if self.are_sides_apart => {
                let is_later = compare(created(one)?, created(other)?).is_gt();
                Some(if is_later { one } else { other })
            }
            _ => None,
        }
    }
}
