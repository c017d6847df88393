//! Whether iterations still bring anything new.

use std::collections::BTreeSet;

use crate::event::Fingerprint;

/// The work trees that a step has produced, and how long nothing new has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Novelty {
    seen: BTreeSet<Fingerprint>,
    last: Option<Fingerprint>,
    /// Iterations in a row that led to a tree that was known already.
    familiar: u32,
    /// Those of them, counted from the last one back, that changed nothing at all.
    unchanged: u32,
}

/// What is the matter with a step that brings nothing new.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sameness {
    /// Nothing has changed for so many iterations.
    Stagnated(u32),
    /// There were changes, but for so many iterations only back to what had been there before.
    Cycling(u32),
}

impl Novelty {
    /// Begins with the tree as it was found.
    pub fn begin(tree: Option<&Fingerprint>) -> Self {
        let seen = tree.cloned().into_iter().collect();
        Self { seen, last: tree.cloned(), ..Self::default() }
    }

    /// Takes in the tree after an iteration. A tree that nobody can tell is taken for a new one.
    pub fn observe(&mut self, tree: Option<&Fingerprint>) {
        let known = tree.is_some_and(|tree| self.seen.contains(tree));
        let same = tree.is_some() && tree == self.last.as_ref();
        self.familiar = if known { self.familiar + 1 } else { 0 };
        self.unchanged = if same { self.unchanged + 1 } else { 0 };
        self.seen.extend(tree.cloned());
        self.last = tree.cloned();
    }

    /// Whether a tree is another one than the last; unknown if nobody can tell one of them.
    pub fn is_change(&self, tree: Option<&Fingerprint>) -> Option<bool> {
        Some(self.last.as_ref()? != tree?)
    }

    /// What is the matter, if nothing new has come for so many iterations.
    pub fn sameness(&self, limit: u32) -> Option<Sameness> {
        if self.familiar < limit {
            None
        } else if self.unchanged == self.familiar {
            Some(Sameness::Stagnated(self.unchanged))
        } else {
            Some(Sameness::Cycling(self.familiar))
        }
    }

    /// Forgets how long nothing new has come.
    pub fn forgive(&mut self) {
        self.familiar = 0;
        self.unchanged = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(trees: &str) -> Novelty {
        let tree = |letter: char| (letter != '?').then(|| Fingerprint(letter.to_string()));
        let mut letters = trees.chars();
        let mut novelty = Novelty::begin(letters.next().and_then(tree).as_ref());
        letters.for_each(|letter| novelty.observe(tree(letter).as_ref()));
        novelty
    }

    #[test]
    fn three_iterations_without_anything_new() {
        let table = [
            ("abcd", None),
            ("aa", None),
            ("aaa", None),
            ("aaaa", Some(Sameness::Stagnated(3))),
            ("abbbb", Some(Sameness::Stagnated(3))),
            ("aaabaaa", Some(Sameness::Cycling(3))),
            ("ababa", Some(Sameness::Cycling(3))),
            ("abab", None),
            ("aaba", None),
            ("aaabbb", None),
            ("????", None),
            ("aa?aa", None),
        ];
        for (trees, expected) in table {
            assert_eq!(after(trees).sameness(3), expected, "{trees}");
        }
    }

    #[test]
    fn a_change_is_told_from_the_last_tree() {
        let tree = |letter: &str| Some(Fingerprint(letter.to_owned()));
        let novelty = after("ab");
        assert_eq!(novelty.is_change(tree("b").as_ref()), Some(false));
        assert_eq!(novelty.is_change(tree("a").as_ref()), Some(true));
        assert_eq!(novelty.is_change(None), None);
        assert_eq!(after("a?").is_change(tree("a").as_ref()), None);
    }

    #[test]
    fn who_is_forgiven_may_try_as_often_again() {
        let mut novelty = after("aaaa");
        novelty.forgive();
        assert_eq!(novelty.sameness(3), None);
        for _ in 0..3 {
            novelty.observe(Some(&Fingerprint("a".to_owned())));
        }
        assert_eq!(novelty.sameness(3), Some(Sameness::Stagnated(3)));
    }
}
