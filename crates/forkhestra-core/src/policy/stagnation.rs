//! Stagnation: whether iterations still change anything.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::{Fingerprint, Observation};

/// The work trees that a step has produced, and for how many iterations none was new.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StagnationTracker {
    seen: BTreeSet<Fingerprint>,
    last: Option<Fingerprint>,
    /// Consecutive iterations that led to a known state.
    known_states: u32,
    /// The latest of those that changed nothing at all.
    unchanged: u32,
    /// The files after each iteration, and the first iteration that left them so; 0 is before the
    /// first.
    files: BTreeMap<Fingerprint, u32>,
    last_files: Option<Fingerprint>,
    /// Everything but the commit that is checked out.
    last_content: Option<Vec<Fingerprint>>,
    /// The earlier iteration with the same files as now, with others in between.
    repeats: Option<u32>,
}

/// How a step stagnates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StagnationKind {
    /// Nothing has changed for this many iterations.
    Stagnated(u32),
    /// For this many iterations changes only restored earlier states.
    Cycling(u32),
}

impl StagnationTracker {
    /// Starts with the observation before a step.
    pub fn begin(observation: &Observation) -> Self {
        let (tree, files) = (observation.tree.clone(), files(observation).cloned());
        Self {
            seen: tree.clone().into_iter().collect(),
            last: tree,
            files: files.clone().map(|files| (files, 0)).into_iter().collect(),
            last_files: files,
            last_content: content(observation),
            ..Self::default()
        }
    }

    /// Takes the observation after an iteration. An unknown tree counts as new.
    pub fn observe(&mut self, observation: &Observation, iteration: u32) {
        let tree = observation.tree.as_ref();
        let known = tree.is_some_and(|tree| self.seen.contains(tree));
        let same = tree.is_some() && tree == self.last.as_ref();
        self.known_states = if known { self.known_states + 1 } else { 0 };
        self.unchanged = if same { self.unchanged + 1 } else { 0 };
        self.seen.extend(tree.cloned());
        self.last = tree.cloned();
        let files = files(observation).cloned();
        let is_other = files.is_some() && files != self.last_files;
        self.repeats =
            files.as_ref().filter(|_| is_other).and_then(|files| self.files.get(files).copied());
        if let Some(files) = &files {
            self.files.entry(files.clone()).or_insert(iteration);
        }
        self.last_files = files;
        self.last_content = content(observation);
    }

    /// The earlier iteration with the same files as now, if others were in between; 0 for the state
    /// before the first one.
    pub const fn repeats(&self) -> Option<u32> {
        self.repeats
    }

    /// Whether a tree differs from the last one; unknown if either is unknown.
    pub fn is_change(&self, tree: Option<&Fingerprint>) -> Option<bool> {
        Some(self.last.as_ref()? != tree?)
    }

    /// Whether files, index or tasks differ from the last ones; unknown if either are unknown. A commit alone is no
    /// difference.
    pub fn is_content_change(&self, observation: &Observation) -> Option<bool> {
        Some(*self.last_content.as_ref()? != content(observation)?)
    }

    /// The kind of stagnation, if there was no new state for `limit` iterations.
    pub fn stagnation(&self, limit: u32) -> Option<StagnationKind> {
        if self.known_states < limit {
            None
        } else if self.unchanged == self.known_states {
            Some(StagnationKind::Stagnated(self.unchanged))
        } else {
            Some(StagnationKind::Cycling(self.known_states))
        }
    }

    /// Resets the count of iterations without a new state.
    pub fn reset(&mut self) {
        self.known_states = 0;
        self.unchanged = 0;
        self.repeats = None;
    }
}

/// The fingerprint of the files; of the whole state if its parts are unknown.
fn files(observation: &Observation) -> Option<&Fingerprint> {
    let files = observation.signals.as_ref().map(|signals| &signals.files);
    files.or(observation.tree.as_ref())
}

/// The fingerprints of everything but the commit; of the whole state if its parts are unknown.
fn content(observation: &Observation) -> Option<Vec<Fingerprint>> {
    let parts = observation.signals.as_ref().map(|signals| {
        let parts = [Some(&signals.index), Some(&signals.files), signals.tasks.as_ref()];
        parts.into_iter().flatten().cloned().collect()
    });
    parts.or_else(|| Some(vec![observation.tree.clone()?]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::WorkTreeFingerprints;

    fn tracker_after(trees: &str) -> StagnationTracker {
        let tree = |letter: char| Observation {
            tree: (letter != '?').then(|| Fingerprint(letter.to_string())),
            ..Observation::default()
        };
        let mut letters = trees.chars().map(tree);
        let mut stagnation =
            StagnationTracker::begin(&letters.next().expect("there is a beginning"));
        (1..)
            .zip(letters)
            .for_each(|(iteration, observation)| stagnation.observe(&observation, iteration));
        stagnation
    }

    #[test]
    fn three_iterations_without_anything_new() {
        let table = [
            ("abcd", None),
            ("aa", None),
            ("aaa", None),
            ("aaaa", Some(StagnationKind::Stagnated(3))),
            ("abbbb", Some(StagnationKind::Stagnated(3))),
            ("aaabaaa", Some(StagnationKind::Cycling(3))),
            ("ababa", Some(StagnationKind::Cycling(3))),
            ("abab", None),
            ("aaba", None),
            ("aaabbb", None),
            ("????", None),
            ("aa?aa", None),
        ];
        for (trees, expected) in table {
            assert_eq!(tracker_after(trees).stagnation(3), expected, "{trees}");
        }
    }

    #[test]
    fn a_work_tree_that_comes_back_is_known_by_its_first_iteration() {
        let table = [
            ("abc", None),
            ("aa", None),
            ("aba", Some(0)),
            ("abcb", Some(1)),
            ("abcbb", None),
            ("abcbc", Some(2)),
            ("a?a", Some(0)),
            ("a?", None),
        ];
        for (trees, expected) in table {
            assert_eq!(tracker_after(trees).repeats(), expected, "{trees}");
        }
    }

    #[test]
    fn a_commit_of_existing_changes_is_no_repetition() {
        let observation = |tree: &str, files: &str| Observation {
            tree: Some(Fingerprint(tree.to_owned())),
            signals: Some(WorkTreeFingerprints {
                branch: None,
                head: None,
                index: Fingerprint("i".to_owned()),
                files: Fingerprint(files.to_owned()),
                tasks: None,
            }),
            ..Observation::default()
        };
        let mut tracker = StagnationTracker::begin(&observation("1", "a"));
        tracker.observe(&observation("2", "b"), 1);
        tracker.observe(&observation("3", "b"), 2);
        assert_eq!((tracker.repeats(), tracker.stagnation(1)), (None, None));
        tracker.observe(&observation("4", "a"), 3);
        assert_eq!((tracker.repeats(), tracker.stagnation(1)), (Some(0), None));
    }

    #[test]
    fn a_change_is_measured_against_the_last_tree() {
        let tree = |letter: &str| Some(Fingerprint(letter.to_owned()));
        let stagnation = tracker_after("ab");
        assert_eq!(stagnation.is_change(tree("b").as_ref()), Some(false));
        assert_eq!(stagnation.is_change(tree("a").as_ref()), Some(true));
        assert_eq!(stagnation.is_change(None), None);
        assert_eq!(tracker_after("a?").is_change(tree("a").as_ref()), None);
    }

    #[test]
    fn forgiven_stagnation_resets_the_count() {
        let mut tracker = tracker_after("aaaa");
        tracker.reset();
        assert_eq!(tracker.stagnation(3), None);
        for _ in 0..3 {
            let tree = Some(Fingerprint("a".to_owned()));
            tracker.observe(&Observation { tree, ..Observation::default() }, 9);
        }
        assert_eq!(tracker.stagnation(3), Some(StagnationKind::Stagnated(3)));
    }
}
