//! Decides which runs `runs prune` removes. It reads and removes no files.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::PathBuf;

use forkhestra_core::time::Timestamp;
use forkhestra_store::RunSize;

/// A run that may be removed.
#[derive(Debug, Clone)]
pub(crate) struct RetentionCandidate {
    /// The directory that holds the runs of its work tree.
    pub(crate) tree: PathBuf,
    /// Time of its last event.
    pub(crate) updated: Timestamp,
    pub(crate) size: RunSize,
    pub(crate) status: RetentionStatus,
}

/// Whether a run may be removed at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RetentionStatus {
    /// It may be removed.
    Over,
    /// With `--force` only: it was cut off or interrupted, or is damaged.
    Open,
    /// With `--force` and by name only: nothing is known of it, and it may be intact.
    Unreadable,
    /// Never: a process works on it.
    Running,
}

/// The criteria for removal. All given criteria must match.
#[derive(Debug, Clone, Default)]
pub(crate) struct RetentionRules {
    /// The last event is before this time.
    pub(crate) older_than: Option<Timestamp>,
    /// At least this many newer runs exist in its work tree.
    pub(crate) keep: Option<usize>,
    /// The total size exceeds this number of bytes.
    pub(crate) max_size: Option<u64>,
    /// Only the output of agents is removed.
    pub(crate) only_output: bool,
    /// `--force` was given.
    pub(crate) force: bool,
}

/// The decision about one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RetentionAction {
    Keep,
    RemoveOutput,
    Remove,
}

/// The decision about all runs.
#[derive(Debug)]
pub(crate) struct RetentionDecision {
    /// In the order of the candidates.
    pub(crate) actions: Vec<RetentionAction>,
    /// Number of runs that `--force` would also remove.
    pub(crate) spared: usize,
    /// Number of unreadable runs that would otherwise be removed.
    pub(crate) unreadable: usize,
    /// Total size of what is left, in bytes.
    pub(crate) left: u64,
}

/// Decides about each run.
pub(crate) fn decide(
    candidates: &[RetentionCandidate],
    rules: &RetentionRules,
) -> RetentionDecision {
    let chosen = chosen(candidates, rules);
    let may_go = |index: &usize| match candidates[*index].status {
        RetentionStatus::Over => true,
        RetentionStatus::Open => rules.force,
        RetentionStatus::Unreadable | RetentionStatus::Running => false,
    };
    let going: Vec<usize> = chosen.iter().copied().filter(may_go).collect();
    let mut fates = vec![RetentionAction::Keep; candidates.len()];
    let mut left: u64 = candidates.iter().map(|candidate| candidate.size.total()).sum();
    // Without a size limit, everything that may be removed is removed.
    let limit = rules.max_size.unwrap_or(0);
    let is_enough = |left: u64| rules.max_size.is_some() && left <= limit;
    for &index in &going {
        let output = candidates[index].size.output;
        if output > 0 && !is_enough(left) {
            fates[index] = RetentionAction::RemoveOutput;
            left -= output;
        }
    }
    for &index in going.iter().filter(|_| !rules.only_output) {
        if !is_enough(left) {
            fates[index] = RetentionAction::Remove;
            left -= candidates[index].size.rest;
        }
    }
    let status = |index: &usize| candidates[*index].status;
    let kept: Vec<RetentionStatus> =
        if is_enough(left) { Vec::new() } else { chosen.iter().map(status).collect() };
    let count = |wanted| kept.iter().filter(|status| **status == wanted).count();
    let spared = if rules.force { 0 } else { count(RetentionStatus::Open) };
    RetentionDecision {
        actions: fates,
        spared,
        unreadable: count(RetentionStatus::Unreadable),
        left,
    }
}

/// The runs that age and number select, oldest first.
fn chosen(candidates: &[RetentionCandidate], rules: &RetentionRules) -> Vec<usize> {
    let mut newest_first: Vec<usize> = (0..candidates.len()).collect();
    newest_first.sort_by_key(|&index| Reverse(candidates[index].updated));
    let mut newer: HashMap<&PathBuf, usize> = HashMap::new();
    let mut chosen = Vec::new();
    for index in newest_first {
        let RetentionCandidate { tree, updated, .. } = &candidates[index];
        let newer = newer.entry(tree).or_default();
        let is_old = rules.older_than.is_none_or(|limit| *updated < limit);
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
    use RetentionAction::{Keep, Remove, RemoveOutput};

    /// A run with this last event and this size of output, plus ten bytes.
    fn run(updated: i64, output: u64) -> RetentionCandidate {
        RetentionCandidate {
            tree: PathBuf::from("tree"),
            updated: Timestamp::from_milliseconds(updated),
            size: RunSize { output, rest: 10 },
            status: RetentionStatus::Over,
        }
    }

    fn with_status(status: RetentionStatus, run: RetentionCandidate) -> RetentionCandidate {
        RetentionCandidate { status, ..run }
    }

    fn actions(candidates: &[RetentionCandidate], rules: &RetentionRules) -> Vec<RetentionAction> {
        decide(candidates, rules).actions
    }

    #[test]
    fn older_runs_are_removed() {
        let rules = RetentionRules {
            older_than: Some(Timestamp::from_milliseconds(5)),
            ..RetentionRules::default()
        };
        assert_eq!(actions(&[run(6, 0), run(5, 0), run(4, 0)], &rules), [Keep, Keep, Remove]);
    }

    #[test]
    fn the_last_runs_of_each_work_tree_stay() {
        let rules = RetentionRules { keep: Some(1), ..RetentionRules::default() };
        let other = RetentionCandidate { tree: PathBuf::from("other"), ..run(1, 0) };
        assert_eq!(actions(&[run(2, 0), run(3, 0), other], &rules), [Remove, Keep, Keep]);
        let rules = RetentionRules { keep: Some(0), ..rules };
        assert_eq!(actions(&[run(2, 0), run(3, 0)], &rules), [Remove, Remove]);
    }

    #[test]
    fn several_criteria_must_agree() {
        let older_than = Some(Timestamp::from_milliseconds(5));
        let rules = RetentionRules { older_than, keep: Some(2), ..RetentionRules::default() };
        assert_eq!(
            actions(&[run(9, 0), run(4, 0), run(3, 0), run(2, 0)], &rules),
            [Keep, Keep, Remove, Remove]
        );
    }

    #[test]
    fn the_oldest_runs_lose_their_output_before_any_run_is_removed() {
        let runs = [run(3, 100), run(2, 0), run(1, 100)];
        let fates = |max_size| {
            actions(
                &runs,
                &RetentionRules { max_size: Some(max_size), ..RetentionRules::default() },
            )
        };
        assert_eq!(fates(230), [Keep, Keep, Keep]);
        assert_eq!(fates(229), [Keep, Keep, RemoveOutput]);
        assert_eq!(fates(130), [Keep, Keep, RemoveOutput]);
        assert_eq!(fates(129), [RemoveOutput, Keep, RemoveOutput]);
        assert_eq!(fates(29), [RemoveOutput, Keep, Remove]);
        assert_eq!(fates(19), [RemoveOutput, Remove, Remove]);
        assert_eq!(fates(1), [Remove, Remove, Remove]);
    }

    #[test]
    fn only_output_is_removed_if_requested() {
        let rules =
            RetentionRules { keep: Some(0), only_output: true, ..RetentionRules::default() };
        assert_eq!(actions(&[run(2, 5), run(1, 0)], &rules), [RemoveOutput, Keep]);
        let rules = RetentionRules { keep: None, max_size: Some(1), ..rules };
        assert_eq!(actions(&[run(2, 5), run(1, 0)], &rules), [RemoveOutput, Keep]);
    }

    #[test]
    fn open_runs_stay_and_are_counted_unless_forced() {
        let runs = [
            with_status(RetentionStatus::Open, run(1, 5)),
            with_status(RetentionStatus::Running, run(2, 5)),
        ];
        let rules = RetentionRules { keep: Some(0), ..RetentionRules::default() };
        let decision = decide(&runs, &rules);
        assert_eq!((decision.actions, decision.spared), (vec![Keep, Keep], 1));
        let decision = decide(&runs, &RetentionRules { force: true, ..rules });
        assert_eq!((decision.actions, decision.spared, decision.left), (vec![Remove, Keep], 0, 15));
    }

    #[test]
    fn unreadable_runs_stay_even_if_forced() {
        let runs = [with_status(RetentionStatus::Unreadable, run(1, 5)), run(2, 0)];
        let rules = RetentionRules { keep: Some(0), force: true, ..RetentionRules::default() };
        let decision = decide(&runs, &rules);
        assert_eq!((decision.actions, decision.unreadable), (vec![Keep, Remove], 1));
        let only_output = RetentionRules { only_output: true, ..rules };
        assert_eq!(actions(&runs, &only_output), [Keep, Keep]);
    }

    #[test]
    fn open_runs_count_for_size_and_number() {
        let open = with_status(RetentionStatus::Open, run(9, 100));
        let rules = RetentionRules { max_size: Some(115), ..RetentionRules::default() };
        let decision = decide(&[open.clone(), run(1, 100)], &rules);
        assert_eq!(
            (decision.actions, decision.spared, decision.left),
            (vec![Keep, Remove], 0, 110)
        );
        let decision = decide(
            std::slice::from_ref(&open),
            &RetentionRules { max_size: Some(1), ..RetentionRules::default() },
        );
        assert_eq!((decision.spared, decision.left), (1, 110));
        let rules = RetentionRules { keep: Some(1), ..RetentionRules::default() };
        assert_eq!(actions(&[open, run(1, 0)], &rules), [Keep, Remove]);
    }
}
