//! Which runs go when somebody tidies up. Nothing is removed here, and nothing is read.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::PathBuf;

use forkhestra_core::time::Timestamp;
use forkhestra_store::RunSize;

/// What is known of a run that may go.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    /// Where the runs of its work tree are kept.
    pub(crate) tree: PathBuf,
    /// When something last happened in it.
    pub(crate) updated: Timestamp,
    pub(crate) size: RunSize,
    pub(crate) standing: Standing,
}

/// Whether a run may go at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It may.
    Over,
    /// Only if somebody insists: it was cut off or interrupted, or is damaged.
    Open,
    /// Only if somebody names it and insists: nothing is known of it, and all may be well with it.
    Unreadable,
    /// It may not: somebody is at work on it.
    GoingOn,
}

/// What makes a run go. All that is given must agree.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rules {
    /// Nothing has happened in it since then.
    pub(crate) older_than: Option<Timestamp>,
    /// There are so many newer ones of its work tree.
    pub(crate) keep: Option<usize>,
    /// All together are larger than this.
    pub(crate) max_size: Option<u64>,
    /// Only what agents printed goes.
    pub(crate) only_output: bool,
    /// Somebody insists.
    pub(crate) force: bool,
}

/// What becomes of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Stays,
    LosesOutput,
    Goes,
}

/// What becomes of all runs.
#[derive(Debug)]
pub(crate) struct Decision {
    /// What becomes of each, in the order in which they were given.
    pub(crate) fates: Vec<Fate>,
    /// How many would have gone if somebody had insisted.
    pub(crate) spared: usize,
    /// How many would have gone if anything were known of them.
    pub(crate) unreadable: usize,
    /// How large everything is that is left.
    pub(crate) left: u64,
}

/// Decides what becomes of each run.
pub(crate) fn decide(candidates: &[Candidate], rules: &Rules) -> Decision {
    let chosen = chosen(candidates, rules);
    let may_go = |index: &usize| match candidates[*index].standing {
        Standing::Over => true,
        Standing::Open => rules.force,
        Standing::Unreadable | Standing::GoingOn => false,
    };
    let going: Vec<usize> = chosen.iter().copied().filter(may_go).collect();
    let mut fates = vec![Fate::Stays; candidates.len()];
    let mut left: u64 = candidates.iter().map(|candidate| candidate.size.total()).sum();
    // Without a limit, everything that may go goes.
    let most = rules.max_size.unwrap_or(0);
    let is_enough = |left: u64| rules.max_size.is_some() && left <= most;
    for &index in &going {
        let output = candidates[index].size.output;
        if output > 0 && !is_enough(left) {
            fates[index] = Fate::LosesOutput;
            left -= output;
        }
    }
    for &index in going.iter().filter(|_| !rules.only_output) {
        if !is_enough(left) {
            fates[index] = Fate::Goes;
            left -= candidates[index].size.rest;
        }
    }
    let standing = |index: &usize| candidates[*index].standing;
    let kept: Vec<Standing> =
        if is_enough(left) { Vec::new() } else { chosen.iter().map(standing).collect() };
    let count = |wanted| kept.iter().filter(|standing| **standing == wanted).count();
    let spared = if rules.force { 0 } else { count(Standing::Open) };
    Decision { fates, spared, unreadable: count(Standing::Unreadable), left }
}

/// The runs that age and number let go, the oldest first.
fn chosen(candidates: &[Candidate], rules: &Rules) -> Vec<usize> {
    let mut newest_first: Vec<usize> = (0..candidates.len()).collect();
    newest_first.sort_by_key(|&index| Reverse(candidates[index].updated));
    let mut newer: HashMap<&PathBuf, usize> = HashMap::new();
    let mut chosen = Vec::new();
    for index in newest_first {
        let Candidate { tree, updated, .. } = &candidates[index];
        let newer = newer.entry(tree).or_default();
        let is_old = rules.older_than.is_none_or(|moment| *updated < moment);
        if is_old && rules.keep.is_none_or(|keep| *newer >= keep) {
            chosen.push(index);
        }
        *newer += 1;
    }
    chosen.reverse();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use Fate::{Goes, LosesOutput, Stays};

    /// A run that was last heard of then; ten bytes besides its output.
    fn run(updated: i64, output: u64) -> Candidate {
        Candidate {
            tree: PathBuf::from("tree"),
            updated: Timestamp::from_milliseconds(updated),
            size: RunSize { output, rest: 10 },
            standing: Standing::Over,
        }
    }

    fn standing(standing: Standing, run: Candidate) -> Candidate {
        Candidate { standing, ..run }
    }

    fn fates(candidates: &[Candidate], rules: &Rules) -> Vec<Fate> {
        decide(candidates, rules).fates
    }

    #[test]
    fn what_is_older_goes() {
        let rules = Rules { older_than: Some(Timestamp::from_milliseconds(5)), ..Rules::default() };
        assert_eq!(fates(&[run(6, 0), run(5, 0), run(4, 0)], &rules), [Stays, Stays, Goes]);
    }

    #[test]
    fn the_last_ones_of_each_work_tree_stay() {
        let rules = Rules { keep: Some(1), ..Rules::default() };
        let other = Candidate { tree: PathBuf::from("other"), ..run(1, 0) };
        assert_eq!(fates(&[run(2, 0), run(3, 0), other], &rules), [Goes, Stays, Stays]);
        let rules = Rules { keep: Some(0), ..rules };
        assert_eq!(fates(&[run(2, 0), run(3, 0)], &rules), [Goes, Goes]);
    }

    #[test]
    fn several_criteria_must_agree() {
        let older_than = Some(Timestamp::from_milliseconds(5));
        let rules = Rules { older_than, keep: Some(2), ..Rules::default() };
        assert_eq!(
            fates(&[run(9, 0), run(4, 0), run(3, 0), run(2, 0)], &rules),
            [Stays, Stays, Goes, Goes]
        );
    }

    #[test]
    fn the_oldest_lose_their_output_before_any_run_goes() {
        let runs = [run(3, 100), run(2, 0), run(1, 100)];
        let fates =
            |max_size| fates(&runs, &Rules { max_size: Some(max_size), ..Rules::default() });
        assert_eq!(fates(230), [Stays, Stays, Stays]);
        assert_eq!(fates(229), [Stays, Stays, LosesOutput]);
        assert_eq!(fates(130), [Stays, Stays, LosesOutput]);
        assert_eq!(fates(129), [LosesOutput, Stays, LosesOutput]);
        assert_eq!(fates(29), [LosesOutput, Stays, Goes]);
        assert_eq!(fates(19), [LosesOutput, Goes, Goes]);
        assert_eq!(fates(1), [Goes, Goes, Goes]);
    }

    #[test]
    fn only_output_goes_if_that_is_wanted() {
        let rules = Rules { keep: Some(0), only_output: true, ..Rules::default() };
        assert_eq!(fates(&[run(2, 5), run(1, 0)], &rules), [LosesOutput, Stays]);
        let rules = Rules { keep: None, max_size: Some(1), ..rules };
        assert_eq!(fates(&[run(2, 5), run(1, 0)], &rules), [LosesOutput, Stays]);
    }

    #[test]
    fn what_is_open_stays_and_is_counted_unless_somebody_insists() {
        let runs = [standing(Standing::Open, run(1, 5)), standing(Standing::GoingOn, run(2, 5))];
        let rules = Rules { keep: Some(0), ..Rules::default() };
        let decision = decide(&runs, &rules);
        assert_eq!((decision.fates, decision.spared), (vec![Stays, Stays], 1));
        let decision = decide(&runs, &Rules { force: true, ..rules });
        assert_eq!((decision.fates, decision.spared, decision.left), (vec![Goes, Stays], 0, 15));
    }

    #[test]
    fn what_nothing_is_known_of_stays_although_somebody_insists() {
        let runs = [standing(Standing::Unreadable, run(1, 5)), run(2, 0)];
        let rules = Rules { keep: Some(0), force: true, ..Rules::default() };
        let decision = decide(&runs, &rules);
        assert_eq!((decision.fates, decision.unreadable), (vec![Stays, Goes], 1));
        let only_output = Rules { only_output: true, ..rules };
        assert_eq!(fates(&runs, &only_output), [Stays, Stays]);
    }

    #[test]
    fn what_is_open_counts_for_the_size_and_for_the_number() {
        let open = standing(Standing::Open, run(9, 100));
        let rules = Rules { max_size: Some(115), ..Rules::default() };
        let decision = decide(&[open.clone(), run(1, 100)], &rules);
        assert_eq!((decision.fates, decision.spared, decision.left), (vec![Stays, Goes], 0, 110));
        let decision =
            decide(std::slice::from_ref(&open), &Rules { max_size: Some(1), ..Rules::default() });
        assert_eq!((decision.spared, decision.left), (1, 110));
        let rules = Rules { keep: Some(1), ..Rules::default() };
        assert_eq!(fates(&[open, run(1, 0)], &rules), [Stays, Goes]);
    }
}
