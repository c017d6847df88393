//! What single inputs do.

use super::repository_model::{Content, RepositoryModel, entry};
use crate::id::CommitId;
use crate::policy::{
    CheckResults, LandingCheckOutcome, MergeQueue, MergeResult, QueueAction, QueueFacts,
    QueueInput, QueuePhase,
};

fn results(outcomes: &[LandingCheckOutcome]) -> CheckResults {
    (1..).zip(outcomes.iter().copied()).collect()
}

fn commit(text: &str) -> CommitId {
    CommitId(text.to_owned())
}

fn merged(tips: &[&str]) -> QueueInput {
    let result = |tip: &&str| MergeResult::Merged { tip: commit(tip) };
    QueueInput::Merged { results: tips.iter().map(result).collect() }
}

fn checked_at(tip: &str, outcomes: &[LandingCheckOutcome]) -> QueueInput {
    QueueInput::Checked { tip: commit(tip), results: results(outcomes) }
}

/// A queue with one check and without a baseline, which lands entry 1 at `one`.
fn queue_that_checks_one() -> MergeQueue {
    let mut queue = MergeQueue::new([1].into(), commit("base"));
    queue.handle(QueueInput::Enqueue(entry(1)));
    let tip = commit("one");
    let expected = QueueAction::Check { tip, entries: vec![entry(1)] };
    assert_eq!(queue.handle(merged(&["one"])), [expected]);
    queue
}

#[test]
fn the_result_of_a_landing_is_the_next_baseline() {
    use LandingCheckOutcome::{Green, Red};
    let table = [
        (Some(Red), Red, true),
        (Some(Red), Green, false),
        (Some(Green), Green, false),
        (None, Green, false),
    ];
    for (baseline, first, second_lands) in table {
        let mut queue = queue_that_checks_one();
        if let Some(baseline) = baseline {
            let (commit, results) = (commit("base"), results(&[baseline]));
            assert_eq!(queue.handle(QueueInput::CheckBaseline { commit, results }), []);
        }
        queue.handle(checked_at("one", &[first]));
        queue.handle(QueueInput::Landed { tip: commit("one") });
        assert_eq!(queue.results(&commit("one")), Some(&results(&[first])));
        assert_eq!(queue.results(&commit("base")), None);
        queue.handle(QueueInput::Enqueue(entry(2)));
        queue.handle(merged(&["two"]));
        let actions = queue.handle(checked_at("two", &[Red]));
        let lands = matches!(actions[..], [QueueAction::Land { .. }]);
        assert_eq!(lands, second_lands, "{baseline:?} {first:?}");
    }
}

#[test]
fn without_a_baseline_every_check_must_be_green() {
    let mut queue = queue_that_checks_one();
    let actions = queue.handle(checked_at("one", &[LandingCheckOutcome::Red]));
    assert!(matches!(actions[..], [QueueAction::Refuse { .. }]), "{actions:?}");
}

#[test]
fn work_that_changes_nothing_lands_without_a_baseline() {
    let mut queue = MergeQueue::new([1].into(), commit("base"));
    queue.handle(QueueInput::Enqueue(entry(1)));
    let actions = queue.handle(QueueInput::Merged { results: vec![MergeResult::AlreadyContained] });
    assert_eq!(actions, [QueueAction::Land { tip: commit("base"), entries: vec![entry(1)] }]);
}

#[test]
fn a_baseline_of_another_commit_is_not_taken() {
    let mut queue = queue_that_checks_one();
    let results = results(&[LandingCheckOutcome::Red]);
    queue.handle(QueueInput::CheckBaseline { commit: commit("other"), results });
    assert_eq!(queue.results(&commit("other")), None);
    let actions = queue.handle(checked_at("one", &[LandingCheckOutcome::Red]));
    assert!(matches!(actions[..], [QueueAction::Refuse { .. }]), "{actions:?}");
}

#[test]
fn a_check_that_cannot_run_stops_landing_and_refuses_nothing() {
    let tip = commit("one");
    for outcomes in [&[LandingCheckOutcome::NotRun][..], &[]] {
        let mut queue = queue_that_checks_one();
        let (entries, not_run) = (vec![entry(1)], vec![1]);
        let stop = QueueAction::Stop { tip: tip.clone(), entries: entries.clone(), not_run };
        assert_eq!(queue.handle(checked_at("one", outcomes)), [stop]);
        assert_eq!(queue.handle(QueueInput::Enqueue(entry(2))), []);
        assert_eq!(*queue.phase(), QueuePhase::Stopped { tip: tip.clone() });
        assert_eq!(queue.entries().count(), 2);
        let check = QueueAction::Check { tip: tip.clone(), entries: entries.clone() };
        assert_eq!(queue.handle(QueueInput::CheckAgain), [check]);
        let actions = queue.handle(checked_at("one", &[LandingCheckOutcome::Green]));
        assert_eq!(actions, [QueueAction::Land { tip: tip.clone(), entries }]);
    }
}

#[test]
fn a_check_of_withdrawn_work_does_not_stop_landing() {
    let mut queue = queue_that_checks_one();
    queue.handle(QueueInput::Withdraw { lane: entry(1).lane });
    queue.handle(QueueInput::Enqueue(entry(2)));
    let actions = queue.handle(checked_at("one", &[LandingCheckOutcome::NotRun]));
    let (onto, entries) = (commit("base"), vec![entry(2)]);
    assert_eq!(actions, [QueueAction::Merge { onto, entries }]);
}

#[test]
fn an_input_that_is_too_late_changes_nothing() {
    let inputs = [
        QueueInput::Enqueue(entry(1)),
        merged(&["two"]),
        checked_at("two", &[LandingCheckOutcome::Red]),
        QueueInput::Landed { tip: commit("one") },
        QueueInput::Withdraw { lane: entry(2).lane },
        QueueInput::CheckAgain,
    ];
    for input in inputs {
        let mut queue = queue_that_checks_one();
        assert_eq!(queue.handle(input.clone()), [], "{input:?}");
        assert_eq!(queue, queue_that_checks_one(), "{input:?}");
    }
    let mut queue = queue_that_checks_one();
    queue.handle(checked_at("one", &[LandingCheckOutcome::Green]));
    let landing = queue.clone();
    assert_eq!(queue.handle(QueueInput::Landed { tip: commit("two") }), []);
    assert_eq!(queue, landing);
}

#[test]
fn entries_without_a_result_are_merged_again() {
    let entries = vec![entry(1), entry(2)];
    let (mut queue, _) = MergeQueue::resume(QueueFacts {
        checks: [1].into(),
        integration: commit("base"),
        baseline: CheckResults::default(),
        entries,
    });
    let (onto, entries) = (commit("one"), vec![entry(2)]);
    assert_eq!(queue.handle(merged(&["one"])), [QueueAction::Merge { onto, entries }]);
}

#[test]
fn a_commit_that_was_checked_is_not_checked_again() {
    let mut queue = queue_that_checks_one();
    queue.handle(checked_at("one", &[LandingCheckOutcome::Red]));
    queue.handle(QueueInput::Enqueue(entry(1)));
    let actions = queue.handle(merged(&["one"]));
    assert!(matches!(actions[..], [QueueAction::Refuse { .. }]), "{actions:?}");
}

#[test]
fn a_resumed_queue_knows_its_baseline_and_makes_one_batch() {
    let model =
        RepositoryModel { checks: 1, red_at_start: [1].into(), ..RepositoryModel::default() };
    let (queue, actions) = MergeQueue::resume(QueueFacts {
        checks: model.check_numbers(),
        integration: RepositoryModel::base(),
        baseline: model.results(&Content::new()),
        entries: vec![entry(3), entry(2)],
    });
    let merge =
        QueueAction::Merge { onto: RepositoryModel::base(), entries: vec![entry(3), entry(2)] };
    assert_eq!(actions, [merge]);
    assert_eq!(queue.results(queue.integration()), Some(&model.results(&Content::new())));
}
