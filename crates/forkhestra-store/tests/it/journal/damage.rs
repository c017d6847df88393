//! Tests of journals that are cut off or damaged.

use std::fs;

use forkhestra_core::event::{
    ClaimRefusal, CompletionSignal, Event, EventKind, LimitChanges, Observation, Verdict,
};
use forkhestra_store::JournalOpenError;
use forkhestra_store::format::{self, DecodeError};
use forkhestra_store::journal::journal_contents::{JournalReadError, TornEnd};

use crate::samples::checks::{agent_finished, check_reports, iteration_checked, passed};
use crate::samples::{event, iteration_finished, iteration_started, started, unit, warning};
use crate::temporary_dir::{TemporaryDir, read, reopened, run_id};

/// A line of a version without hashes, whose lines can be changed one by one.
fn encode(event: &Event, seq: u64) -> String {
    format::encode(event, seq).replace("\"format\":\"4.0\"", "\"format\":\"2.1\"")
}

fn events() -> Vec<Event> {
    let kinds = [started(), iteration_started(1), warning("ünïcödé")];
    kinds.into_iter().enumerate().map(|(number, kind)| event(number, kind)).collect()
}

fn lines() -> Vec<String> {
    let numbered = events();
    numbered.iter().enumerate().map(|(seq, event)| encode(event, seq as u64) + "\n").collect()
}

#[test]
fn a_run_with_a_truncated_last_line_continues_after_the_line_before() {
    let [first, second, last] = lines().try_into().expect("three lines");
    let complete = first + &second;
    let next = event(9, warning("next"));
    for cut in 0..last.len() {
        let temporary = TemporaryDir::new();
        let bytes = [complete.as_bytes(), &last.as_bytes()[..cut]].concat();
        let run = temporary.run_with(bytes);

        let recorded = read(&run).expect("what is complete can be read");
        assert_eq!(recorded.events, events()[..2]);
        let torn = (cut > 0).then_some(TornEnd { line: 3, bytes: cut as u64 });
        assert_eq!(recorded.torn, torn);

        let mut journal = reopened(&run, &recorded).expect("it can be continued");
        journal.append(&next).expect("there is room");
        let recorded = read(&run).expect("it is whole again");
        assert_eq!(recorded.torn, None);
        assert_eq!(recorded.events, [&events()[..2], std::slice::from_ref(&next)].concat());
    }
}

#[test]
fn a_last_line_that_is_not_json_is_torn_although_it_ends() {
    for garbage in ["{\"seq\":2,\"at\n", "\0\0\0\0\n", "}\n", "\n"] {
        let temporary = TemporaryDir::new();
        let journal = lines()[..2].concat() + garbage;
        let recorded = read(&temporary.run_with(journal)).expect("the rest can be read");
        assert_eq!(recorded.torn, Some(TornEnd { line: 3, bytes: garbage.len() as u64 }));
    }
    let temporary = TemporaryDir::new();
    let journal = [lines()[..2].concat().as_bytes(), b"\xff\n"].concat();
    let recorded = read(&temporary.run_with(journal)).expect("the rest can be read");
    assert_eq!(recorded.torn, Some(TornEnd { line: 3, bytes: 2 }));
}

#[test]
fn a_last_line_that_is_json_but_not_ours_is_not_cut_off() {
    for strange in ["{}\n", "12\n"] {
        let temporary = TemporaryDir::new();
        let error = read(&temporary.run_with(lines()[..2].concat() + strange));
        let error = error.expect_err("its meaning is unknown");
        assert!(
            matches!(
                error,
                JournalReadError::Line { line: 3, why: DecodeError::NotAnEvent(_), .. }
            ),
            "{error:?}"
        );
    }
}

#[test]
fn a_damaged_line_in_the_middle_is_named() {
    let [first, second, last] = lines().try_into().expect("three lines");
    let temporary = TemporaryDir::new();
    let run = temporary.run_with(first + &second[..20] + "\n" + &last);
    let error = read(&run).expect_err("a line is damaged").to_string();
    let expected = format!("line 2 of {} is not JSON: ", run.journal().display());
    assert!(error.starts_with(&expected), "{error}");
}

/// After a power failure lines may exist although an earlier one is missing and reads as zeros.
#[test]
fn lines_after_a_lost_line_are_torn_with_it() {
    let kinds = [started(), warning("lost"), warning("there"), iteration_started(1)];
    let numbered = kinds.into_iter().enumerate().map(|(seq, kind)| (seq as u64, event(seq, kind)));
    let lines: Vec<String> = numbered.map(|(seq, event)| encode(&event, seq) + "\n").collect();
    let [first, lost, there, durable] = lines.try_into().expect("four lines");
    let zeros = "\0".repeat(lost.len());
    let half = lost[..9].to_owned() + &zeros[9..];
    for lost in [&zeros, &half] {
        for behind in [there.clone(), there.clone() + &durable, there.clone() + &there[..5]] {
            let end = lost.clone() + &behind;
            let temporary = TemporaryDir::new();
            let run = temporary.run_with(first.clone() + &end);
            let recorded = read(&run).expect("the rest is readable");
            assert_eq!(recorded.events.len(), 1);
            assert_eq!(recorded.torn, Some(TornEnd { line: 2, bytes: end.len() as u64 }));
            let mut journal = reopened(&run, &recorded).expect("it can be continued");
            journal.append(&event(9, warning("next"))).expect("there is room");
            let recorded = read(&run).expect("it is whole again");
            assert_eq!((recorded.events.len(), recorded.torn), (2, None));
        }
    }
}

/// The writer continues after an event that must be durable only when everything before it is
/// synced.
#[test]
fn zeros_before_saved_lines_are_damage() {
    let [first, second, last] = lines().try_into().expect("three lines");
    for behind in [last.as_str(), "{"] {
        let temporary = TemporaryDir::new();
        let zeros = "\0".repeat(20);
        let run = temporary.run_with(first.clone() + &zeros + "\n" + &second + behind);
        let error = read(&run).expect_err("something is lost");
        assert!(matches!(error, JournalReadError::Line { line: 2, .. }), "{error:?}");
    }
}

/// The lost outcome was durable, since the next iteration only began afterwards. Cutting it off
/// would mean paying for it again.
#[test]
fn zeros_in_the_place_of_an_outcome_are_damage() {
    let kinds = [
        started(),
        EventKind::StepStarted { instead_of: None, step: 1, observation: Observation::default() },
        iteration_started(1),
        iteration_finished(1, Verdict::Incomplete),
        iteration_started(2),
    ];
    let numbered = kinds.into_iter().enumerate().map(|(seq, kind)| (seq as u64, event(seq, kind)));
    let mut lines: Vec<String> = numbered.map(|(seq, event)| encode(&event, seq) + "\n").collect();
    lines[3] = "\0".repeat(lines[3].len());
    let temporary = TemporaryDir::new();
    let error = read(&temporary.run_with(lines.concat())).expect_err("an outcome is lost");
    assert!(matches!(error, JournalReadError::Line { line: 4, .. }), "{error:?}");
}

/// A run whose first iteration is checked, and whose second begins.
fn checked_lines() -> Vec<String> {
    let refused = Verdict::Refused(ClaimRefusal::ChecksFailed);
    let kinds = [
        started(),
        EventKind::StepStarted { instead_of: None, step: 1, observation: Observation::default() },
        iteration_started(1),
        agent_finished(1, Verdict::Complete(CompletionSignal::File)),
        EventKind::CheckFinished { unit: unit(1), report: passed() },
        iteration_checked(1, refused, check_reports()),
        iteration_started(2),
    ];
    let numbered = kinds.into_iter().enumerate().map(|(seq, kind)| (seq as u64, event(seq, kind)));
    numbered.map(|(seq, event)| encode(&event, seq) + "\n").collect()
}

/// The end of an agent is synced before its work is checked.
#[test]
fn zeros_in_the_place_of_the_end_of_an_agent_are_damage() {
    let lines = checked_lines();
    let lost = "\0".repeat(lines[3].len());
    for behind in [&lines[4..5], &lines[5..6], &lines[4..], &lines[6..]] {
        let temporary = TemporaryDir::new();
        let run = temporary.run_with(lines[..3].concat() + &lost + &behind.concat());
        let error = read(&run).expect_err("the end of an agent is lost");
        assert!(matches!(error, JournalReadError::Line { line: 4, .. }), "{error:?}");
    }
    let beginning = "\0".repeat(lines[2].len());
    let temporary = TemporaryDir::new();
    let run = temporary.run_with(lines[..2].concat() + &beginning + &lines[3]);
    let error = read(&run).expect_err("the beginning of an iteration is lost");
    assert!(matches!(error, JournalReadError::Line { line: 3, .. }), "{error:?}");
}

/// Checks can be repeated at no cost, so their results are not synced.
#[test]
fn check_results_may_never_have_reached_the_disk() {
    let lines = checked_lines();
    for first_lost in [4, 5] {
        let lost = "\0".repeat(lines[first_lost].len());
        for last in first_lost + 1..=lines.len() {
            let end = lost.clone() + &lines[first_lost + 1..last].concat();
            let temporary = TemporaryDir::new();
            let run = temporary.run_with(lines[..first_lost].concat() + &end);
            let recorded = read(&run).expect("nothing is lost that matters");
            assert_eq!(recorded.events.len(), first_lost);
            let line = first_lost as u64 + 1;
            assert_eq!(recorded.torn, Some(TornEnd { line, bytes: end.len() as u64 }));
        }
    }
}

/// A resumed run checks unchecked work without another agent.
#[test]
fn check_results_may_be_lost_after_a_resume() {
    let mut lines = checked_lines();
    let resumed = EventKind::RunResumed {
        run: run_id(7),
        changes: LimitChanges::default(),
        moved_to: None,
        sandboxes: None,
        program: "0.7.0".to_owned(),
    };
    lines.truncate(4);
    lines.push(encode(&event(4, resumed), 4) + "\n");
    let lost = warning("the work of 1.1.1 is checked again");
    lines.push("\0".repeat(encode(&event(5, lost), 5).len() + 1));
    let checked = iteration_checked(1, Verdict::Complete(CompletionSignal::File), vec![passed()]);
    lines.push(encode(&event(6, checked), 6) + "\n");
    let temporary = TemporaryDir::new();
    let recorded = read(&temporary.run_with(lines.concat())).expect("nothing is lost that matters");
    assert_eq!((recorded.events.len(), recorded.torn.map(|torn| torn.line)), (5, Some(6)));
}

#[test]
fn a_missing_line_is_noticed() {
    let [first, _, last] = lines().try_into().expect("three lines");
    let temporary = TemporaryDir::new();
    let error = read(&temporary.run_with(first + &last)).expect_err("a line is missing");
    assert!(matches!(error, JournalReadError::OutOfOrder { line: 2, found: 2, .. }), "{error:?}");
}

#[test]
fn a_file_without_a_complete_line_is_empty() {
    let first = &lines()[0];
    for journal in ["", &first[..1], &first[..first.len() - 1]] {
        let temporary = TemporaryDir::new();
        let error = read(&temporary.run_with(journal)).expect_err("there is nothing in it");
        assert!(matches!(error, JournalReadError::Empty { .. }), "{error:?}");
    }
}

#[test]
fn a_file_without_a_run_start_is_no_journal() {
    let started = &lines()[0];
    for first in [encode(&event(0, warning("")), 0), started.replace("\"format\":\"2.1\",", "")] {
        let temporary = TemporaryDir::new();
        let error = read(&temporary.run_with(first + "\n")).expect_err("it is no journal");
        assert!(matches!(error, JournalReadError::NotAJournal { .. }), "{error:?}");
    }
}

#[test]
fn a_journal_of_a_newer_minor_version_is_read_but_not_continued() {
    let [first, second, last] = lines().try_into().expect("three lines");
    let newer = first.replace("\"format\":\"2.1\"", "\"format\":\"4.7\"");
    let unknown = second.replace("iteration_started", "moon_rose");
    let temporary = TemporaryDir::new();
    let run = temporary.run_with(newer + &unknown + &last);
    let recorded = read(&run).expect("it can be read");
    assert_eq!((recorded.unknown.len(), recorded.events.len(), recorded.next_seq), (1, 2, 3));
    assert_eq!(recorded.format.to_string(), "4.7");
    let before = fs::read(run.journal()).expect("it is there");
    let error = reopened(&run, &recorded).expect_err("nothing is written into a newer file");
    assert!(matches!(error, JournalOpenError::NewerFormat { .. }), "{error:?}");
    assert_eq!(fs::read(run.journal()).expect("it is there"), before);
}

#[test]
fn a_journal_of_a_newer_major_version_is_refused() {
    let first = lines()[0].replace("\"format\":\"2.1\"", "\"format\":\"5.0\"");
    let temporary = TemporaryDir::new();
    let run = temporary.run_with(first);
    let error = read(&run).expect_err("it would be misunderstood").to_string();
    let path = run.journal();
    let path = path.display();
    assert_eq!(
        error,
        format!("line 1 of {path} is written in format 5.0, but this program reads it up to 4.x")
    );
}

#[test]
fn a_journal_that_grew_after_it_was_read_is_not_continued() {
    let temporary = TemporaryDir::new();
    let (run, mut journal) = temporary.run_of(&events()[..1]);
    let recorded = read(&run).expect("it can be read");
    journal.append(&events()[1]).expect("there is room");
    drop(journal);
    let error = reopened(&run, &recorded).expect_err("another process wrote to it");
    assert!(matches!(error, JournalOpenError::Changed { .. }), "{error:?}");
}
