//! Tests of reading a journal while it grows.

use std::fs::OpenOptions;
use std::io::Write as _;

use forkhestra_core::event::Event;
use forkhestra_core::history::Liveness;
use forkhestra_store::JournalFollower;
use forkhestra_store::format::encode;
use forkhestra_store::journal::journal_contents::JournalReadError;
use forkhestra_store::journal::recorded_run;

use crate::samples::{event, iteration_started, started, warning};
use crate::temporary_dir::TemporaryDir;

fn events() -> Vec<Event> {
    let kinds = [started(), iteration_started(1), warning("ünïcödé"), warning("the last")];
    kinds.into_iter().enumerate().map(|(number, kind)| event(number, kind)).collect()
}

#[test]
fn each_event_is_news_once() {
    let events = events();
    let temporary = TemporaryDir::new();
    let (run, mut journal) = temporary.run_of(&events[..1]);
    let path = run.journal();
    let mut follower = JournalFollower::open(&path).expect("a journal");
    assert_eq!(follower.read_new_events().expect("a line"), events[..1]);
    assert_eq!(follower.read_new_events().expect("nothing new"), []);
    for event in &events[1..3] {
        journal.append(event).expect("there is room");
    }
    assert_eq!(follower.read_new_events().expect("two lines"), events[1..3]);
    journal.append(&events[3]).expect("there is room");
    assert_eq!(follower.read_new_events().expect("a line"), events[3..]);
    assert_eq!(follower.read_new_events().expect("nothing new"), []);
    assert_eq!(recorded_run::liveness(&run), Liveness::Alive);
}

#[test]
fn half_a_line_is_waited_for_wherever_it_is_cut() {
    let events = events();
    let line = encode(&events[2], 2) + "\n";
    for cut in 0..=line.len() {
        let temporary = TemporaryDir::new();
        let (run, _journal) = temporary.run_of(&events[..2]);
        let path = run.journal();
        let mut follower = JournalFollower::open(&path).expect("a journal");
        assert_eq!(follower.read_new_events().expect("two lines"), events[..2]);
        let mut file = OpenOptions::new().append(true).open(&path).expect("a file");
        let (first, second) = line.as_bytes().split_at(cut);
        file.write_all(first).expect("there is room");
        let early = follower.read_new_events().expect("half a line is no mistake");
        assert_eq!(early.is_empty(), cut < line.len(), "{cut}");
        file.write_all(second).expect("there is room");
        let late = follower.read_new_events().expect("the other half");
        assert_eq!([early, late].concat(), events[2..3]);
    }
}

#[test]
fn a_line_that_is_damaged_has_its_number_in_the_file() {
    let events = events();
    let temporary = TemporaryDir::new();
    let (run, _journal) = temporary.run_of(&events[..2]);
    let path = run.journal();
    let mut follower = JournalFollower::open(&path).expect("a journal");
    assert_eq!(follower.read_new_events().expect("two lines"), events[..2]);
    let mut file = OpenOptions::new().append(true).open(&path).expect("a file");
    file.write_all(b"nonsense\n").expect("there is room");
    assert_eq!(follower.read_new_events().expect("it may still be cut off"), []);
    file.write_all(b"more\n").expect("there is room");
    let damage = follower.read_new_events().expect_err("nothing is guessed");
    assert!(matches!(damage, JournalReadError::Line { line: 3, .. }), "{damage}");
}

#[test]
fn a_long_journal_can_be_read_in_portions() {
    let events = events();
    let temporary = TemporaryDir::new();
    let (run, mut journal) = temporary.run_of(&events[..3]);
    let mut follower = JournalFollower::open(run.journal()).expect("a journal");
    assert!(follower.has_grown().expect("a file"));
    assert_eq!(follower.read_new_events_at_most(2).expect("two lines"), events[..2]);
    assert_eq!(follower.read_new_events_at_most(2).expect("a line"), events[2..3]);
    assert_eq!(follower.read_new_events_at_most(2).expect("nothing new"), []);
    assert!(!follower.has_grown().expect("a file"));
    journal.append(&events[3]).expect("there is room");
    assert!(follower.has_grown().expect("a file"));
    assert_eq!(follower.read_new_events_at_most(2).expect("a line"), events[3..]);
}

#[test]
fn a_reader_in_portions_gets_all_events_before_damage() {
    let events = events();
    let temporary = TemporaryDir::new();
    let (run, _journal) = temporary.run_of(&events[..2]);
    let mut file = OpenOptions::new().append(true).open(run.journal()).expect("a file");
    file.write_all(b"nonsense\nmore\n").expect("there is room");
    let mut follower = JournalFollower::open(run.journal()).expect("a journal");
    assert_eq!(follower.read_new_events_at_most(9).expect("two lines"), events[..2]);
    for _ in 0..2 {
        let damage = follower.read_new_events_at_most(9).expect_err("nothing is guessed");
        assert!(matches!(damage, JournalReadError::Line { line: 3, .. }), "{damage}");
    }
}

#[test]
fn a_journal_that_was_replaced_or_removed_is_known_to_be() {
    let temporary = TemporaryDir::new();
    let (run, _journal) = temporary.run_of(&events());
    let follower = JournalFollower::open(run.journal()).expect("a journal");
    assert!(follower.is_in_place().expect("it is there"));
    let other = run.path().join("other");
    std::fs::copy(run.journal(), &other).expect("there is room");
    std::fs::rename(&other, run.journal()).expect("it is ours");
    assert!(!follower.is_in_place().expect("another one is there"));
    std::fs::remove_file(run.journal()).expect("it is ours");
    follower.is_in_place().expect_err("nothing is there");
}
