//! Journals of released versions. They are never changed.

use std::fs;

use forkhestra_core::event::{Event, RunEnd, StepEnd};
use forkhestra_core::history::RunHistory;
use forkhestra_core::machine::StepState;
use forkhestra_store::format::{LineHashes, Version, encode};
use forkhestra_store::journal::journal_contents::JournalContents;
use forkhestra_store::{Durability, Journal, JournalLock, LockProof, RunDir};

use crate::samples::{
    event, flows, forks, lanes, quotas, samples, samples_of_1_0, samples_of_1_1, samples_of_2_0,
    samples_of_2_1, warning,
};
use crate::temporary_dir::{TemporaryDir, owner, read};
use crate::what_if::fitting;

const JOURNAL_1_0: &str = include_str!("../../fixtures/journal-1.0.jsonl");
const JOURNAL_1_1: &str = include_str!("../../fixtures/journal-1.1.jsonl");
const JOURNAL_2_0: &str = include_str!("../../fixtures/journal-2.0.jsonl");
const JOURNAL_2_1: &str = include_str!("../../fixtures/journal-2.1.jsonl");
const JOURNAL_2_2: &str = include_str!("../../fixtures/journal-2.2.jsonl");

/// Each version with all its events and ends.
fn journals() -> [(&'static str, &'static str, Vec<Event>); 5] {
    [
        ("1.0", JOURNAL_1_0, samples_of_1_0()),
        ("1.1", JOURNAL_1_1, samples_of_1_1()),
        ("2.0", JOURNAL_2_0, samples_of_2_0()),
        ("2.1", JOURNAL_2_1, samples_of_2_1()),
        ("2.2", JOURNAL_2_2, samples()),
    ]
}

#[test]
fn a_journal_of_every_version_is_read() {
    for (version, journal, events) in journals() {
        let temporary = TemporaryDir::new();
        let recorded = read(&temporary.run_with(journal)).expect("it can be read");
        assert_eq!(recorded.format.to_string(), version);
        assert!(recorded.unknown.is_empty(), "{version}");
        assert_eq!(recorded.events, events);
    }
}

#[test]
fn every_version_is_rewritten_unchanged() {
    for (version, journal, events) in journals() {
        let again = written(&events, version);
        assert_eq!(without_new_members(&again, version), journal);
    }
}

/// The lines of events, as this program writes them, with another version.
fn written(events: &[Event], version: &str) -> String {
    let newest = format!("\"format\":\"{}\"", Version::CURRENT);
    let mut hashes = LineHashes::default();
    let lines = events.iter().zip(0..).map(|(event, seq)| {
        let line = encode(event, seq).replace(&newest, &format!("\"format\":\"{version}\""));
        let mut line = line.into_bytes();
        if !["1.0", "1.1", "2.0", "2.1"].contains(&version) {
            hashes.seal(&mut line, 0);
        }
        String::from_utf8(line).expect("it is text") + "\n"
    });
    lines.collect()
}

/// A forked run begins with its origin and the steps that it inherits, since 2.3.
#[test]
fn a_journal_of_a_forked_run_is_read_and_rewritten_unchanged() {
    let journal = include_str!("../../fixtures/journal-2.3-fork.jsonl");
    assert_read_and_rewritten(journal, &forks::samples(), "2.3");
}

/// What agents tell of their accounts, and limits of it, since 2.3.
#[test]
fn a_journal_of_a_run_with_a_quota_is_read_and_rewritten_unchanged() {
    let journal = include_str!("../../fixtures/journal-2.3-quota.jsonl");
    assert_read_and_rewritten(journal, &quotas::samples(), "2.3");
}

/// Groups, rounds, questions, alternatives and conditions, since 3.0.
#[test]
fn a_journal_of_a_run_with_a_flow_is_read_and_rewritten_unchanged() {
    let journal = include_str!("../../fixtures/journal-3.0-flow.jsonl");
    assert_read_and_rewritten(journal, &flows::samples(), "3.0");
}

/// Lanes and landings, since 4.0.
#[test]
fn a_journal_of_a_run_with_lanes_is_read_and_rewritten_unchanged() {
    let journal = include_str!("../../fixtures/journal-4.0-lanes.jsonl");
    assert_read_and_rewritten(journal, &lanes::samples(), "4.0");
}

/// Asserts that a journal with hashes has these events, and that they are written in the same way.
#[track_caller]
fn assert_read_and_rewritten(journal: &str, expected: &[Event], version: &str) {
    let recorded = read(&TemporaryDir::new().run_with(journal)).expect("it can be read");
    assert_eq!(recorded.format.to_string(), version);
    assert_eq!((recorded.wrong_hash, recorded.events.as_slice()), (None, expected));
    assert_eq!(written(&recorded.events, version), journal);
}

/// A journal of an older version has nothing that 3.0 added, so its steps run in order.
#[test]
fn a_journal_of_an_older_version_has_no_flow() {
    let older = journals().map(|(_, _, events)| events);
    for events in older.into_iter().chain([forks::samples(), quotas::samples()]) {
        let fitting = fitting(events);
        let state = RunHistory::of(&fitting).expect("the events fit").state;
        assert_eq!((state.plan.flow.is_none(), state.groups.len()), (true, 0));
        assert_eq!((state.last_question, state.open_question()), (0, None));
        let has_rounds = |step: &StepState| {
            step.question.is_some()
                || step.instead_of.is_some()
                || !step.round_checks.is_empty()
                || step.finished_in_round() != step.finished
        };
        assert!(!state.steps.iter().any(has_rounds));
        let in_order = (1..).zip(&state.steps).find(|(_, step)| !step.allows_next_step());
        assert_eq!(state.current_step(), in_order.map(|(number, _)| number));
    }
}

/// The events of the sample run with a flow fit each other, unlike those with one of each kind.
#[test]
fn a_run_with_a_flow_is_folded() {
    let state = RunHistory::of(&flows::run()).expect("the events fit").state;
    assert_eq!((state.end.as_ref(), state.last_question), (Some(&RunEnd::Complete), 1));
    assert_eq!(state.groups[0].round, 2);
    let ends: Vec<Option<&str>> =
        state.steps.iter().map(|step| step.end().map(StepEnd::as_str)).collect();
    let expected = ["exit_code", "approved", "marker", "checks_failed", "exit_code", "not_needed"];
    assert_eq!(ends, expected.map(Some));
    assert_eq!((state.steps[4].instead_of, state.steps_on_path()), (Some(4), vec![1, 2, 5, 6]));
}

/// The events of the sample run with lanes fit each other.
#[test]
fn a_run_with_lanes_is_folded() {
    let state = RunHistory::of(&lanes::run()).expect("the events fit").state;
    assert_eq!(state.end.as_ref(), Some(&RunEnd::Complete));
    let stage = state.lanes.as_deref().expect("it had lanes");
    assert_eq!((stage.last_landing, stage.last_parked), (3, 1));
    assert_eq!((stage.lanes.len(), &stage.forward), (2, &stage.integration));
    assert!(stage.held.is_none() && !stage.has_queued_work());
    assert!(state.undelivered().next().is_none(), "the second lane has got the message");
}

/// The journal of 2.1 with the hashes of 2.2, which another program computed.
#[test]
fn a_journal_with_hashes_is_read_and_continued() {
    let journal = include_str!("../../fixtures/journal-2.2-hashes.jsonl");
    let temporary = TemporaryDir::new();
    let run = temporary.run_with(journal);
    let recorded = read(&run).expect("it can be read");
    let without = read(&TemporaryDir::new().run_with(JOURNAL_2_1)).expect("it can be read");
    assert_eq!((recorded.wrong_hash, &recorded.events), (None, &without.events));
    assert_eq!(recorded.format.to_string(), "2.2");
    continue_with_warning(&run, &recorded);
    let longer = read(&run).expect("it can be read");
    assert_eq!((longer.wrong_hash, longer.next_seq), (None, recorded.next_seq + 1));
}

/// The chain begins with the first line that this version writes, and covers the lines before it.
#[test]
fn a_journal_without_hashes_is_continued_with_them() {
    let without_hashes = journals().into_iter().filter(|(version, _, _)| *version != "2.2");
    for (version, journal, _) in without_hashes {
        let temporary = TemporaryDir::new();
        let run = temporary.run_with(journal);
        let recorded = read(&run).expect("it can be read");
        assert_eq!(recorded.wrong_hash, None, "{version}");
        continue_with_warning(&run, &recorded);
        let text = fs::read_to_string(run.journal()).expect("it is text");
        let (_, hash) = text.rsplit_once(",\"hash\":\"").expect("the new line has a hash");
        assert_eq!((&text[..journal.len()], hash.len()), (journal, "\"}\n".len() + 32));
        assert_eq!(read(&run).expect("it can be read").wrong_hash, None);
        fs::write(run.journal(), text.replacen("0.3.0", "0.3.1", 1)).expect("it is ours");
        let broken = read(&run).expect("it can be read").wrong_hash.expect("a line was changed");
        assert_eq!(broken.line, recorded.next_seq + 1, "{version}");
    }
}

fn continue_with_warning(run: &RunDir, recorded: &JournalContents) {
    let lock = JournalLock::acquire(run, &owner(1)).expect("it is free");
    let opened = Journal::open_for_append(lock, &LockProof::Waived, recorded, Durability::Os);
    opened.expect("it is whole").append(&event(9, warning("next"))).expect("there is room");
}

/// Removes the members of a plan that a version did not have.
fn without_new_members(journal: &str, version: &str) -> String {
    match version {
        "1.0" | "1.1" => {
            let journal = journal.replace("\"requireWork\":false,", "");
            journal.replace(",\"snapshots\":false", "")
        }
        _ => journal.to_owned(),
    }
}
