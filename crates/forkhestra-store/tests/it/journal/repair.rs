//! Tests of repairing journals that are damaged in the middle.

use std::fs;
use std::path::PathBuf;

use forkhestra_core::cost::{Dollars, Spend};
use forkhestra_core::event::{Event, EventKind, Observation, RunEnd, StepEnd, Verdict};
use forkhestra_core::id::UnitId;
use forkhestra_core::machine::RunState;
use forkhestra_store::format;
use forkhestra_store::journal::journal_contents::JournalContents;
use forkhestra_store::repair::{RepairError, Repaired, repair};
use forkhestra_store::{Durability, Journal, JournalLock, LockError, LockProof, RunDir};

use crate::helper::{process, task};
use crate::samples::{event, iteration_finished, iteration_started, started, warning};
use crate::temporary_dir::{TemporaryDir, owner, read, timestamp};

/// A line of a version without hashes, whose lines can be changed one by one.
fn encode(event: &Event, seq: u64) -> String {
    format::encode(event, seq).replace("\"format\":\"4.0\"", "\"format\":\"2.1\"")
}

/// A finished run with three iterations of its first step.
fn events() -> Vec<Event> {
    let mut kinds = vec![
        started(),
        EventKind::StepStarted { instead_of: None, step: 1, observation: Observation::default() },
    ];
    for iteration in 1..=3 {
        kinds.push(iteration_started(iteration));
        kinds.push(iteration_finished(iteration, Verdict::Incomplete));
    }
    let end = StepEnd::StepTime;
    kinds.push(EventKind::StepFinished { step: 1, end: end.clone() });
    kinds.push(EventKind::RunFinished { end: RunEnd::Incomplete { step: 1, end } });
    kinds.into_iter().enumerate().map(|(number, kind)| event(number, kind)).collect()
}

fn lines() -> Vec<String> {
    let events = events();
    events.iter().enumerate().map(|(seq, event)| encode(event, seq as u64) + "\n").collect()
}

fn repaired(run: &RunDir) -> Result<Repaired, RepairError> {
    let mut lock = JournalLock::acquire(run, &owner(1)).expect("no other process writes it");
    repair(&mut lock, &LockProof::Waived, timestamp())
}

/// Reads a repaired journal, which must be intact.
#[track_caller]
fn whole(run: &RunDir) -> (JournalContents, RunState) {
    let recorded = read(run).expect("it is whole");
    let (first, rest) = recorded.events.split_first().expect("there are events");
    let mut state = RunState::begin(first).expect("it begins with the plan");
    rest.iter().for_each(|event| state.apply(event).expect("the events fit"));
    (recorded, state)
}

fn names(run: &RunDir) -> Vec<String> {
    let entries = fs::read_dir(run.path()).expect("it is there");
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.filter_map(Result::ok).map(name).collect();
    names.sort();
    names
}

const NO_AGENT: &str = "no agent, only checks and hooks without a recorded result";
const DAMAGED: &str = "journal.damaged-20261115T075912Z.jsonl";

#[test]
fn any_line_but_the_first_may_be_damaged_in_any_way() {
    let garbage: [&[u8]; 5] = [b"{\"seq\":", b"\0\0\0\0", b"\xff\xfe", b"", b"{}"];
    for number in 1..lines().len() {
        for garbage in garbage {
            let mut pieces: Vec<Vec<u8>> = lines().into_iter().map(String::into_bytes).collect();
            pieces[number] = [garbage, b"\n"].concat();
            let temporary = TemporaryDir::new();
            let damaged = pieces.concat();
            let run = temporary.run_with(&damaged);
            let repaired = repaired(&run).expect("it can be repaired");

            let (recorded, _) = whole(&run);
            assert_eq!(recorded.events[..number], events()[..number], "{number}");
            let removed = lines().len() - number;
            assert_eq!((repaired.cut.line, repaired.cut.removed), (number + 1, removed));
            assert_eq!(repaired.original, run.path().join(DAMAGED));
            assert_eq!(fs::read(&repaired.original).expect("it is kept"), damaged);
            assert_eq!(names(&run), [DAMAGED, "journal.jsonl", "output"]);
            let [EventKind::Warning { message }] =
                &recorded.events[number..].iter().map(|event| &event.kind).collect::<Vec<_>>()[..]
            else {
                panic!("{:?}", recorded.events)
            };
            assert!(message.starts_with(&format!("line {} of the journal ", number + 1)));
        }
    }
}

#[test]
fn the_bad_line_and_the_iterations_that_run_again_are_named() {
    for (number, removed, again) in [
        (1, "it was removed, with the 8 lines after it", "iterations 1 to 3 of step 1"),
        (3, "it was removed, with the 6 lines after it", "iterations 1 to 3 of step 1"),
        (4, "it was removed, with the 5 lines after it", "iterations 2 to 3 of step 1"),
        (7, "it was removed, with the 2 lines after it", "iteration 3 of step 1"),
        (8, "it was removed, with the 1 line after it", NO_AGENT),
        (9, "it was removed", NO_AGENT),
    ] {
        let mut lines = lines();
        lines[number] = "{\n".to_owned();
        let temporary = TemporaryDir::new();
        let repaired = repaired(&temporary.run_with(lines.concat())).expect("it can be repaired");
        let expected = format!(
            "line {} of the journal is not JSON: EOF while parsing an object at column 1; {removed}",
            number + 1
        );
        assert_eq!(
            (repaired.cut.to_string(), repaired.cut.run_again.to_string()),
            (expected, again.into())
        );
    }
}

/// Lines are not reordered or renumbered.
#[test]
fn a_line_with_a_wrong_number_is_bad() {
    for wrong in ["95", "0", "18446744073709551615"] {
        let mut lines = lines();
        lines[4] = lines[4].replace("\"seq\":4", &format!("\"seq\":{wrong}"));
        let temporary = TemporaryDir::new();
        let run = temporary.run_with(lines.concat());
        let repaired = repaired(&run).expect("it can be repaired");
        let expected = (5, format!("has the number {wrong} instead of 4"));
        assert_eq!((repaired.cut.line, repaired.cut.why), expected);
        assert_eq!(whole(&run).1.steps[0].finished, 1);
    }
}

#[test]
fn an_event_that_does_not_fit_is_bad() {
    let mut lines = lines();
    let end = EventKind::RunFinished { end: RunEnd::Complete };
    lines[4] = encode(&event(4, end), 4) + "\n";
    let temporary = TemporaryDir::new();
    let run = temporary.run_with(lines.concat());
    let cut = repaired(&run).expect("it can be repaired").cut;
    assert_eq!((cut.line, cut.removed), (5, 6));
    let expected = "contradicts the events before it: the steps did not end like this";
    assert_eq!(cut.why, expected);
}

/// A line as it was before its hash was added.
fn without_hash(line: &str) -> String {
    let (before, _) = line.rsplit_once(",\"hash\":\"").expect("it has a hash");
    format!("{before}}}")
}

/// Lines that another program changed, removed or added are cut off, and the repaired journal can be continued.
#[test]
fn a_broken_chain_is_cut_at_its_first_line() {
    let temporary = TemporaryDir::new();
    let (run, journal) = temporary.run_of(&events());
    drop(journal);
    let sound = fs::read_to_string(run.journal()).expect("it is there");
    let lines: Vec<&str> = sound.split_inclusive('\n').collect();
    let edited = lines[4].replacen("\"at\":\"2026", "\"at\":\"2027", 1);
    assert_ne!(edited, lines[4]);
    let unhashed = format!("{}\n", without_hash(lines[4].trim_end()));
    for (line, expected) in
        [(&edited, "does not fit"), (&unhashed, "was not written by forkhestra")]
    {
        let text = [&lines[..4], &[line.as_str()], &lines[5..]].concat().concat();
        fs::write(run.journal(), text).expect("it is ours");
        let broken = read(&run).expect("it can be read").wrong_hash.expect("a line was changed");
        assert_eq!(broken.line, 5);
        let cut = repaired(&run).expect("it can be repaired").cut;
        assert_eq!((cut.line, cut.removed), (5, lines.len() - 4));
        assert!(cut.why.starts_with(expected), "{}", cut.why);
        let recorded = read(&run).expect("it is whole");
        assert_eq!((recorded.wrong_hash, recorded.events.len()), (None, 5));
        let lock = JournalLock::acquire(&run, &owner(3)).expect("it is free");
        let opened = Journal::open_for_append(lock, &LockProof::Waived, &recorded, Durability::Os);
        let mut journal = opened.expect("it is whole");
        journal.append(&event(20, warning("next"))).expect("there is room");
        assert_eq!(read(&run).expect("it is whole").wrong_hash, None);
    }
    let first = lines[0].replacen("\"program\":\"", "\"program\":\"9", 1);
    fs::write(run.journal(), format!("{first}{}", lines[1..].concat())).expect("it is ours");
    let error = repaired(&run).expect_err("the plan was changed");
    assert!(matches!(error, RepairError::NoPlan { .. }), "{error:?}");
}

/// Only a resume may follow the end of a run. The end gets another number, and keeps every other
/// byte, also members of a newer version.
#[test]
fn the_warning_precedes_the_end_of_a_run() {
    let temporary = TemporaryDir::new();
    let mut lines = lines();
    let end = lines.pop().expect("the run has ended").replace("}\n", r#","mood":[1.50,null]}"#);
    let run = temporary.run_with(format!("{}{end}\ndamaged\n", lines.concat()));
    repaired(&run).expect("it can be repaired");

    let text = fs::read_to_string(run.journal()).expect("it is there");
    let (kept, added) = text.split_at(lines.concat().len());
    assert_eq!(kept, lines.concat());
    let message = "line 11 of the journal is not JSON: expected value at column 1; it was removed; \
        run again: no agent, only checks and hooks without a recorded result";
    let elapsed = events().last().expect("the run has ended").elapsed;
    let kind = EventKind::Warning { message: message.to_owned() };
    let warning = encode(&Event::new(timestamp(), elapsed, kind), 9);
    let end = end.replace("\"seq\":9", "\"seq\":10");
    let added: String = added.lines().map(|line| format!("{}\n", without_hash(line))).collect();
    assert_eq!(added, format!("{warning}\n{end}\n"));
    assert!(whole(&run).1.end.is_some());
}

/// The last report of each attempt counts, also one before the cut.
#[test]
fn the_cost_of_iterations_that_run_again_is_named() {
    let spend = |cents: u64| {
        let dollars = Dollars::from_nanos(cents * 10_000_000);
        Spend { dollars, ..Spend::default() }
    };
    let spent = |iteration, cents| {
        let unit = UnitId { step: 1, iteration, attempt: 1 };
        EventKind::Spent { unit, spend: spend(cents) }
    };
    let mut second = iteration_finished(2, Verdict::Incomplete);
    if let EventKind::IterationFinished { report, .. } = &mut second {
        report.spend = Some(spend(30));
    }
    let kinds = vec![
        started(),
        EventKind::StepStarted { instead_of: None, step: 1, observation: Observation::default() },
        iteration_started(1),
        spent(1, 5),
        warning("this line is damaged"),
        spent(1, 10),
        iteration_finished(1, Verdict::Incomplete),
        iteration_started(2),
        spent(2, 20),
        second,
    ];
    let line = |(seq, kind)| encode(&event(seq, kind), seq as u64) + "\n";
    let mut lines: Vec<String> = kinds.into_iter().enumerate().map(line).collect();
    lines[4] = "damaged\n".to_owned();
    let temporary = TemporaryDir::new();
    let run = temporary.run_with(lines.concat());
    let again = repaired(&run).expect("it can be repaired").cut.run_again.to_string();
    assert_eq!(again, "iterations 1 to 2 of step 1 (recorded cost: $0.4000)");
    let recorded = read(&run).expect("it is whole");
    let last = recorded.events.last().map(|event| &event.kind);
    let Some(EventKind::Warning { message }) = last else { panic!("{last:?}") };
    assert!(message.ends_with(&format!("; run again: {again}")), "{message}");
}

#[test]
fn an_incomplete_last_line_is_cut_off_with_the_bad_line_before_it() {
    let mut lines = lines();
    lines[8] = "damaged\n".to_owned();
    let temporary = TemporaryDir::new();
    let run = temporary.run_with(lines.concat().trim_end());
    assert_eq!(repaired(&run).expect("it can be repaired").cut.removed, 2);
    whole(&run);
}

#[test]
fn events_of_a_newer_version_before_the_bad_line_stay() {
    let mut lines = lines();
    let at = r#""at":"2026-11-15T00:00:00.000Z","elapsedMs":99"#;
    lines[4] = format!("{{\"seq\":4,{at},\"event\":\"moon_rose\",\"phase\":[0.25,null]}}\n");
    lines[5] = "damaged\n".to_owned();
    let temporary = TemporaryDir::new();
    let run = temporary.run_with(lines.concat());
    repaired(&run).expect("it can be repaired");
    assert_eq!(whole(&run).0.unknown, [5]);
    let text = fs::read_to_string(run.journal()).expect("it is there");
    assert!(text.contains(r#""event":"moon_rose","phase":[0.25,null]}"#), "{text}");
}

#[test]
fn a_journal_that_is_whole_is_left_alone() {
    let temporary = TemporaryDir::new();
    let error = left_alone(&temporary.run_with(lines().concat()));
    assert!(matches!(error, RepairError::NotDamaged { .. }), "{error:?}");
}

#[track_caller]
fn left_alone(run: &RunDir) -> RepairError {
    let before = fs::read(run.journal()).expect("it is there");
    let error = repaired(run).expect_err("it cannot be repaired");
    assert_eq!(fs::read(run.journal()).expect("it is there"), before);
    assert_eq!(names(run), ["journal.jsonl", "output"]);
    error
}

#[test]
fn without_the_plan_nothing_can_be_repaired() {
    let without_format = lines()[0].replace("\"format\":\"2.1\",", "");
    let behind_garbage = format!("garbage\n{}", lines()[0]);
    for first in ["garbage\n", "", &without_format, &behind_garbage] {
        let temporary = TemporaryDir::new();
        let run = temporary.run_with(format!("{first}{}", lines()[1..].concat()));
        let error = left_alone(&run);
        assert!(matches!(error, RepairError::NoPlan { .. }), "{error:?}");
    }
}

#[test]
fn a_journal_of_a_newer_version_is_left_alone() {
    for version in ["5.0", "4.7"] {
        let mut lines = lines();
        lines[0] = lines[0].replace("\"2.1\"", &format!("\"{version}\""));
        lines[4] = "damaged\n".to_owned();
        let temporary = TemporaryDir::new();
        let error = left_alone(&temporary.run_with(lines.concat()));
        assert!(
            matches!(&error, RepairError::NewerFormat { found, .. } if found.to_string() == version),
            "{error:?}"
        );
    }
}

fn damaged(temporary: &TemporaryDir) -> RunDir {
    let mut lines = lines();
    lines[4] = "damaged\n".to_owned();
    temporary.run_with(lines.concat())
}

/// Otherwise two processes could write the new file, each with a lock of its own.
#[test]
fn the_lock_is_that_of_the_new_file() {
    let temporary = TemporaryDir::new();
    let run = damaged(&temporary);
    let mut lock = JournalLock::acquire(&run, &owner(1)).expect("no other process writes it");
    repair(&mut lock, &LockProof::Waived, timestamp()).expect("it can be repaired");
    let refused = JournalLock::acquire(&run, &owner(2)).expect_err("the lock is held");
    assert!(matches!(refused, LockError::RunActive { .. }), "{refused:?}");
    let recorded = read(&run).expect("it is whole");
    let mut journal =
        Journal::open_for_append(lock, &LockProof::Waived, &recorded, Durability::Fsync)
            .expect("it can be continued");
    let next = event(20, warning("next"));
    journal.append(&next).expect("there is room");
    assert_eq!(read(&run).expect("it is whole").events.last(), Some(&next));
    drop(journal);
    drop(JournalLock::acquire(&run, &owner(2)).expect("the lock is free again"));
}

/// The process was killed while it wrote the new file, or before the rename.
#[test]
fn a_repair_that_was_cut_off_is_done_again() {
    let temporary = TemporaryDir::new();
    let run = damaged(&temporary);
    let earlier: PathBuf = run.path().join("journal.damaged-20260101T000000Z.jsonl");
    fs::write(run.path().join("journal.repairing"), "half a li").expect("there is room");
    fs::hard_link(run.journal(), &earlier).expect("it can have two names");
    let repaired = repaired(&run).expect("it can be repaired");
    assert_eq!(repaired.original, earlier);
    assert_eq!(names(&run).len(), 3, "{:?}", names(&run));
    whole(&run);
}

#[test]
fn several_repairs_keep_every_damaged_journal() {
    let temporary = TemporaryDir::new();
    let run = damaged(&temporary);
    let first = repaired(&run).expect("it can be repaired").original;
    let text = fs::read_to_string(run.journal()).expect("it is there");
    let again = text.replacen("{\"seq\":2", "{\"seq:2", 1);
    fs::write(run.journal(), again).expect("it is ours");
    let second = repaired(&run).expect("it can be repaired").original;
    assert_ne!(first, second);
    assert!(first.exists() && second.exists());
}

const WITH_SMALL_FILES: &str = "ulimit -f 1 && trap '' XFSZ && exec \"$0\" \"$@\"";

#[test]
fn on_a_full_disk_the_journal_stays_as_it_was() {
    if task().is_some() {
        return repair_on_a_full_disk();
    }
    let test = "journal::repair::on_a_full_disk_the_journal_stays_as_it_was";
    let temporary = TemporaryDir::new();
    let run = damaged(&temporary);
    let output = process(&["sh", "-c", WITH_SMALL_FILES], test, run.path()).output();
    let output = output.expect("there is a shell");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{output:?}");
    repaired(&run).expect("with more room it can be repaired");
}

fn repair_on_a_full_disk() {
    let run = RunDir::at(&task().expect("it is there")).expect("it is a run");
    let error = left_alone(&run);
    assert!(matches!(error, RepairError::File(_)), "{error:?}");
}
