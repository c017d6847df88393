//! Tests of the statistics of a run, with and without their cache file.

use std::fs;
use std::path::Path;

use forkhestra_core::event::{Event, EventKind, LimitChanges};
use forkhestra_core::history::{ExecutionStatus, Liveness, RunHistory};
use forkhestra_core::stats::{RunStatistics, StatsQuery, StatsReport};
use forkhestra_store::journal::{journal_contents, recorded_run};
use forkhestra_store::{RunDir, run_notes};

use crate::samples::{event, exhausted_loop, spends};
use crate::temporary_dir::{TemporaryDir, run_id};

/// A loop that ran out of iterations, and reported what it spent.
fn whole_run() -> Vec<Event> {
    let mut events = exhausted_loop();
    let EventKind::IterationFinished { report, .. } = &mut events[3].kind else {
        panic!("the first iteration ends there");
    };
    report.spend = Some(spends()[0]);
    events
}

fn history(events: &[Event]) -> RunHistory {
    RunHistory::of(events).expect("they fit")
}

fn statistics(run: &RunDir) -> RunStatistics {
    run_notes::read_statistics(run).expect("the journal is sound")
}

#[test]
fn journal_and_note_of_a_finished_run_agree() {
    let directory = TemporaryDir::new();
    let (run, journal) = directory.run_of(&whole_run());
    drop(journal);
    let read = statistics(&run);
    assert_eq!((read.status, read.iterations()), (ExecutionStatus::MaxIterations, 2));
    assert_eq!(read.spend(), Some(spends()[0]));
    assert_eq!(run_notes::noted_statistics(&run), None);
    run_notes::write(&history(&whole_run()), &run).expect("there is room");
    assert_eq!(run_notes::noted_statistics(&run), Some(read.clone()));
    assert_eq!(statistics(&run), read);
    assert!(run.path().join("stats.json").exists() && run.path().join("overview.json").exists());
}

#[test]
fn a_note_spares_reading_the_journal() {
    let directory = TemporaryDir::new();
    let (run, journal) = directory.run_of(&whole_run());
    drop(journal);
    // The note has other statistics than the journal.
    run_notes::write(&history(&whole_run()[..4]), &run).expect("there is room");
    assert_eq!(statistics(&run).iterations(), 1);
    run_notes::remove(&run).expect("it is ours");
    assert_eq!(statistics(&run).iterations(), 2);
    run_notes::remove(&run).expect("it need not be there");
}

#[test]
fn a_resumed_run_makes_its_note_invalid() {
    let directory = TemporaryDir::new();
    let (run, mut journal) = directory.run_of(&whole_run());
    run_notes::write(&history(&whole_run()), &run).expect("there is room");
    assert!(run_notes::noted_statistics(&run).is_some());
    let resumed = EventKind::RunResumed {
        run: run_id(7),
        program: "0.4.0".to_owned(),
        changes: LimitChanges::default(),
        moved_to: None,
        sandboxes: None,
    };
    journal.append(&event(9, resumed)).expect("there is room");
    assert_eq!(run_notes::noted_statistics(&run), None);
    assert_eq!(statistics(&run).status, ExecutionStatus::Running);
    drop(journal);
    assert_eq!(statistics(&run).status, ExecutionStatus::Interrupted);
}

#[test]
fn a_note_that_was_changed_or_is_of_another_version_is_not_believed() {
    let directory = TemporaryDir::new();
    let (run, journal) = directory.run_of(&whole_run());
    drop(journal);
    run_notes::write(&history(&whole_run()), &run).expect("there is room");
    let path = run.path().join("stats.json");
    let text = fs::read_to_string(&path).expect("it is there");
    for changed in [
        text.replace("\"iterations\":2", "\"iterations\":3"),
        text.replacen("\"version\":", "\"version\":1", 1),
        text.replacen("\"seal\":\"", "\"seal\":\"0", 1),
        String::new(),
        "{}".to_owned(),
    ] {
        assert_ne!(changed, text);
        fs::write(&path, changed).expect("it is ours");
        assert_eq!(run_notes::noted_statistics(&run), None);
        assert_eq!(statistics(&run).iterations(), 2);
    }
}

/// A run whose journal is being written, or was read a while ago.
#[test]
fn a_note_does_not_cover_events_written_after_it() {
    let directory = TemporaryDir::new();
    let (run, mut journal) = directory.run_of(&whole_run()[..4]);
    let past = recorded_run::read(&run).expect("the journal is sound");
    journal.append(&whole_run()[4]).expect("there is room");
    journal.append(&whole_run()[5]).expect("there is room");
    run_notes::write_if_unchanged(&past.history, &run, &past.recorded).expect("there is room");
    assert_eq!(statistics(&run).iterations(), 2);
}

#[test]
fn a_run_without_events_has_no_statistics() {
    let directory = TemporaryDir::new();
    let run = directory.run_with("");
    assert!(run_notes::read_statistics_if_any(&run).is_none());
    fs::write(run.journal(), "{}\n").expect("there is room");
    assert!(run_notes::read_statistics_if_any(&run).is_some_and(|read| read.is_err()));
}

/// The longest beginning of the events that is a history.
fn longest_history(events: &[Event]) -> RunHistory {
    let mut history = RunHistory::begin(&events[0]).expect("it begins with a plan");
    for event in &events[1..] {
        if history.apply(event).is_err() {
            break;
        }
    }
    history
}

/// The fixtures have every event of their version, one after the other.
#[test]
fn journals_of_every_version_have_statistics() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    for name in ["journal-1.0", "journal-1.1", "journal-2.0", "journal-2.1", "journal-2.2"] {
        let path = fixtures.join(format!("{name}.jsonl"));
        let recorded = journal_contents::read(&path).expect("it can be read");
        let history = longest_history(&recorded.events);
        let statistics = RunStatistics::of(&history, Liveness::Gone);
        assert!(statistics.iterations() > 0, "{name}");
        let spend = statistics.spend().unwrap_or_default();
        assert_eq!(statistics.money().total(), spend.dollars, "{name}");
        assert!(!statistics.times.total().is_zero(), "{name}");
        let day_of = |_| String::new();
        let query = StatsQuery { by: None, since: None, day_of: &day_of };
        assert_eq!(StatsReport::of(vec![statistics], query).runs.total, 1, "{name}");
    }
}
