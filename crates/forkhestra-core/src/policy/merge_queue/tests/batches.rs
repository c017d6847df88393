//! What happens to batches, with all actions.

use super::queue_simulation::{QueueEvent, QueueSimulation};
use super::repository_model::RepositoryModel;

/// A model with one check.
fn checked() -> RepositoryModel {
    RepositoryModel { checks: 1, ..RepositoryModel::default() }
}

fn with_red<const N: usize>(red: [u32; N]) -> RepositoryModel {
    RepositoryModel { red: red.map(|number| (number, 1)).into(), ..checked() }
}

/// Lets the letters happen: `+` an arrival, `.` an answer, `!` a crash, and a digit the end of the lane
/// of this entry.
fn apply(simulation: &mut QueueSimulation, letters: &str) {
    for letter in letters.chars() {
        let event = match letter {
            '+' => QueueEvent::Arrive,
            '.' => QueueEvent::Answer,
            '!' => QueueEvent::Crash,
            digit => QueueEvent::Withdraw(digit.to_digit(10).expect("it is a digit")),
        };
        simulation.apply(event, u32::MAX);
    }
}

/// Lets the letters happen and answers everything. The actions must be the lines.
fn assert_actions(model: RepositoryModel, letters: &str, expected: &[&str]) {
    let mut simulation = QueueSimulation::new(model);
    apply(&mut simulation, letters);
    simulation.finish(0);
    assert_eq!(simulation.transcript, expected, "{letters}");
}

/// Like [`assert_actions`], for a batch of all entries.
fn assert_batch_actions(model: RepositoryModel, entries: usize, expected: &[&str]) {
    let mut simulation = QueueSimulation::new(model);
    apply(&mut simulation, &"+".repeat(entries));
    simulation.transcript.clear();
    apply(&mut simulation, "!");
    simulation.finish(0);
    assert_eq!(simulation.transcript, expected);
}

#[test]
fn what_waits_during_a_landing_becomes_one_batch() {
    let expected = [
        "merge 1 onto base",
        "check 1 at base+1",
        "land 1 at base+1",
        "merge 2 3 4 onto base+1",
        "check 2 3 4 at base+1+2+3+4",
        "land 2 3 4 at base+1+2+3+4",
    ];
    assert_actions(checked(), "+++.+", &expected);
    assert_actions(checked(), "+.++.+", &expected);
    assert_actions(checked(), "+..+++", &expected);
}

#[test]
fn without_checks_a_batch_lands_when_it_is_merged() {
    let conflicts = [(1, 2)].into();
    let model = RepositoryModel { conflicts, ..RepositoryModel::default() };
    assert_batch_actions(
        model,
        3,
        &["merge 1 2 3 onto base", "land 1 3 at base+1+3", "refuse 2: [\"2.rs\"] with base+1+3"],
    );
}

#[test]
fn a_red_batch_is_halved_until_the_red_entry_is_alone() {
    // The second half is known to be red: its tip is that of the batch.
    assert_batch_actions(
        with_red([4]),
        4,
        &[
            "merge 1 2 3 4 onto base",
            "check 1 2 3 4 at base+1+2+3+4",
            "check 1 2 at base+1+2",
            "land 1 2 at base+1+2",
            "check 3 at base+1+2+3",
            "land 3 at base+1+2+3",
            "refuse 4: [1] red at base+1+2+3+4",
        ],
    );
    assert_batch_actions(
        with_red([1]),
        1,
        &["merge 1 onto base", "check 1 at base+1", "refuse 1: [1] red at base+1"],
    );
}

#[test]
fn what_is_behind_a_refused_entry_is_merged_and_checked_anew() {
    assert_batch_actions(
        with_red([2, 4]),
        5,
        &[
            "merge 1 2 3 4 5 onto base",
            "check 1 2 3 4 5 at base+1+2+3+4+5",
            "check 1 2 3 at base+1+2+3",
            "check 1 2 at base+1+2",
            "check 1 at base+1",
            "land 1 at base+1",
            "refuse 2: [1] red at base+1+2",
            "merge 3 4 5 onto base+1",
            "check 3 4 5 at base+1+3+4+5",
            "check 3 4 at base+1+3+4",
            "check 3 at base+1+3",
            "land 3 at base+1+3",
            "refuse 4: [1] red at base+1+3+4",
            "merge 5 onto base+1+3",
            "check 5 at base+1+3+5",
            "land 5 at base+1+3+5",
        ],
    );
}

#[test]
fn arrivals_during_a_bisection_wait_for_the_next_batch() {
    assert_actions(
        with_red([3]),
        "+...++.+.+",
        &[
            "merge 1 onto base",
            "check 1 at base+1",
            "land 1 at base+1",
            "merge 2 onto base+1",
            "check 2 at base+1+2",
            "land 2 at base+1+2",
            "merge 3 4 5 onto base+1+2",
            "check 3 4 5 at base+1+2+3+4+5",
            "check 3 4 at base+1+2+3+4",
            "check 3 at base+1+2+3",
            "refuse 3: [1] red at base+1+2+3",
            "merge 4 5 onto base+1+2",
            "check 4 5 at base+1+2+4+5",
            "land 4 5 at base+1+2+4+5",
        ],
    );
}

#[test]
fn an_entry_in_conflict_is_refused_when_the_other_side_has_landed() {
    let model = |red: &[u32]| RepositoryModel {
        conflicts: [(1, 2)].into(),
        red: red.iter().map(|number| (*number, 1)).collect(),
        ..checked()
    };
    assert_batch_actions(
        model(&[]),
        3,
        &[
            "merge 1 2 3 onto base",
            "check 1 3 at base+1+3",
            "land 1 3 at base+1+3",
            "refuse 2: [\"2.rs\"] with base+1+3",
        ],
    );
    // Nothing is in conflict with an entry that does not land.
    assert_batch_actions(
        model(&[1]),
        3,
        &[
            "merge 1 2 3 onto base",
            "check 1 3 at base+1+3",
            "check 1 at base+1",
            "refuse 1: [1] red at base+1",
            "merge 2 3 onto base",
            "check 2 3 at base+2+3",
            "land 2 3 at base+2+3",
        ],
    );
    // Without another entry before it, the conflict is with the integration commit.
    assert_actions(
        model(&[]),
        "+...+",
        &[
            "merge 1 onto base",
            "check 1 at base+1",
            "land 1 at base+1",
            "merge 2 onto base+1",
            "refuse 2: [\"2.rs\"] with base+1",
        ],
    );
}

#[test]
fn a_conflict_that_a_later_entry_solves_is_refused_nevertheless() {
    let model = RepositoryModel {
        conflicts: [(1, 2)].into(),
        contains: [(3, 1), (3, 2)].into(),
        ..checked()
    };
    assert_batch_actions(
        model,
        3,
        &[
            "merge 1 2 3 onto base",
            "check 1 3 at base+1+3",
            "land 1 3 at base+1+3",
            "refuse 2: [\"2.rs\"] with base+1+3",
        ],
    );
}

#[test]
fn what_the_integration_commit_contains_lands_without_a_check() {
    let model = RepositoryModel { contains: [(1, 2)].into(), ..checked() };
    assert_actions(
        model,
        "+...+",
        &[
            "merge 1 onto base",
            "check 1 at base+1",
            "land 1 at base+1",
            "merge 2 onto base+1",
            "land 2 at base+1",
        ],
    );
    // The entry that contained the other one does not land.
    let model = RepositoryModel { contains: [(1, 2)].into(), ..with_red([1]) };
    assert_batch_actions(
        model,
        2,
        &[
            "merge 1 2 onto base",
            "check 1 2 at base+1",
            "refuse 1: [1] red at base+1",
            "merge 2 onto base",
            "check 2 at base+2",
            "land 2 at base+2",
        ],
    );
}

#[test]
fn a_check_that_is_red_may_stay_red() {
    let model = RepositoryModel {
        checks: 2,
        red_at_start: [1].into(),
        red: [(1, 1), (2, 2)].into(),
        ..RepositoryModel::default()
    };
    assert_batch_actions(
        model,
        2,
        &[
            "merge 1 2 onto base",
            "check 1 2 at base+1+2",
            "check 1 at base+1",
            "land 1 at base+1",
            "refuse 2: [2] red at base+1+2",
        ],
    );
}

#[test]
fn withdrawn_work_does_not_land_unless_it_is_landing() {
    // Before the batch.
    assert_actions(
        checked(),
        "++2",
        &["merge 1 onto base", "check 1 at base+1", "land 1 at base+1"],
    );
    // During its merge, its check and its landing.
    assert_actions(checked(), "+1", &["merge 1 onto base"]);
    assert_actions(checked(), "+.1", &["merge 1 onto base", "check 1 at base+1"]);
    let landed = ["merge 1 onto base", "check 1 at base+1", "land 1 at base+1"];
    assert_actions(checked(), "+..1", &landed);
}

#[test]
fn what_is_merged_onto_withdrawn_work_is_merged_anew() {
    let table: [(&str, &[&str]); 3] = [
        // During the merge.
        ("++++...3", &["merge 4 onto base+1+2"]),
        // During the check.
        ("++++....3", &["check 2 3 4 at base+1+2+3+4", "merge 4 onto base+1+2"]),
        // The first of them.
        ("++++....2", &["check 2 3 4 at base+1+2+3+4", "merge 3 4 onto base+1"]),
    ];
    for (letters, expected) in table {
        let mut simulation = QueueSimulation::new(checked());
        apply(&mut simulation, letters);
        simulation.finish(0);
        let batch = "merge 2 3 4 onto base+1";
        let begin = simulation.transcript.iter().position(|line| line == batch);
        let after = begin.map(|begin| &simulation.transcript[begin + 1..]);
        let after = after.expect("there is a second batch");
        assert_eq!(after[..expected.len()], *expected, "{letters}");
    }
}
