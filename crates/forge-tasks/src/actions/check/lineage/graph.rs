//! Which commits come before which.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// Commits, by their places in a list.
#[derive(Debug)]
pub(super) struct Graph {
    parents: Vec<Vec<usize>>,
    before: RefCell<HashMap<usize, Rc<[bool]>>>,
}

impl Graph {
    /// From the parents of each commit.
    pub(super) fn new(parents: Vec<Vec<usize>>) -> Self {
        Self { parents, before: RefCell::default() }
    }

    /// Whether whoever made a commit had another one. Everybody has their own.
    pub(super) fn has(&self, commit: usize, other: usize) -> bool {
        self.before(commit)[other]
    }

    /// Those of some commits that come after none of the others.
    pub(super) fn first(&self, commits: &[usize]) -> Vec<usize> {
        let is_first = |commit: &&usize| {
            let mut others = commits.iter().filter(|other| other != commit);
            !others.any(|other| self.has(**commit, *other))
        };
        commits.iter().filter(is_first).copied().collect()
    }

    /// For every commit whether it is this one or before it.
    fn before(&self, commit: usize) -> Rc<[bool]> {
        if let Some(known) = self.before.borrow().get(&commit) {
            return Rc::clone(known);
        }
        let mut is_before = vec![false; self.parents.len()];
        is_before[commit] = true;
        let mut open = vec![commit];
        while let Some(next) = open.pop() {
            for parent in &self.parents[next] {
                if !std::mem::replace(&mut is_before[*parent], true) {
                    open.push(*parent);
                }
            }
        }
        let is_before: Rc<[bool]> = is_before.into();
        self.before.borrow_mut().insert(commit, Rc::clone(&is_before));
        is_before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_of_a_merge_do_not_have_one_another() {
        // 0 merges 1 and 2, which both come after 3.
        let graph = Graph::new(vec![vec![1, 2], vec![3], vec![3], vec![]]);
        assert!(graph.has(0, 1) && graph.has(0, 2) && graph.has(0, 3) && graph.has(2, 2));
        assert!(!graph.has(1, 2) && !graph.has(2, 1) && !graph.has(3, 0));
        assert_eq!(graph.first(&[0, 1, 2]), [1, 2]);
        assert_eq!(graph.first(&[1, 3, 0]), [3]);
    }
}
