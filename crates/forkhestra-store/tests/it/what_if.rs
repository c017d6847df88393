//! Other limits for the runs of every released format, and for any events.

use std::fs;
use std::path::{Path, PathBuf};

use forkhestra_core::event::{Event, LimitChanges};
use forkhestra_core::history::RunHistory;
use forkhestra_core::limit::LIMITS;
use forkhestra_core::machine::RunState;
use forkhestra_core::text::count::Count;
use forkhestra_core::what_if::{LimitOutcome, LimitSimulation};
use forkhestra_store::journal::journal_contents;
use proptest::prelude::*;

use crate::samples::samples;
use crate::strategies;

fn journals() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let files = fs::read_dir(directory).expect("there are fixtures").map(|entry| {
        let entry = entry.expect("the directory can be read");
        entry.path()
    });
    files.filter(|path| path.extension().is_some_and(|extension| extension == "jsonl")).collect()
}

/// The events that fit those before them: the fixtures have one of each kind, in no order.
pub(crate) fn fitting(events: impl IntoIterator<Item = Event>) -> Vec<Event> {
    let mut events = events.into_iter();
    let first = events.next().expect("a journal has events");
    let mut state = RunState::begin(&first).expect("a journal begins with the plan");
    let mut fitting = vec![first];
    for event in events {
        let mut next = state.clone();
        if next.apply(&event).is_ok() {
            state = next;
            fitting.push(event);
        }
    }
    fitting
}

/// Every limit with this value.
fn all_at(count: &str, time: &str) -> LimitChanges {
    let iterations = Some(Count::parse(count).expect("it is a count"));
    let mut changes = LimitChanges { iterations, ..LimitChanges::default() };
    for limit in LIMITS.iter().filter(|limit| limit.not_simulated.is_none()) {
        let value = if limit.value_name == "TIME" { time } else { count };
        limit.set(&mut changes, value).expect("it is a value of the limit");
    }
    changes
}

#[track_caller]
fn assert_plausible(events: &[Event]) {
    let own = LimitSimulation::outcome(events, &LimitChanges::default());
    assert_eq!(own.expect("the events fit"), LimitOutcome::Unchanged);
    let history = RunHistory::of(events).expect("the events fit");
    for changes in [all_at("1", "1s"), all_at("2", "20s"), all_at("5000", "100h")] {
        match LimitSimulation::outcome(events, &changes).expect("the events fit") {
            LimitOutcome::Earlier(end) => {
                assert!(end.elapsed + end.saved.time <= history.state.elapsed, "{end:?}");
            }
            LimitOutcome::Unchanged | LimitOutcome::Continues | LimitOutcome::NotSimulated => {}
        }
    }
}

#[test]
fn the_limits_of_a_recorded_run_change_nothing() {
    let journals = journals();
    assert!(journals.len() > 5, "{journals:?}");
    for path in journals {
        let recorded = journal_contents::read(&path).expect("a released format is readable");
        // All events of a short journal fit.
        let expected = recorded.events.len().min(21);
        let events = fitting(recorded.events);
        assert!(events.len() >= expected, "{}: {}", path.display(), events.len());
        assert_plausible(&events);
    }
    assert_plausible(&fitting(samples()));
}

#[test]
fn events_that_do_not_fit_are_an_error() {
    let all = samples();
    assert!(RunHistory::of(&all).is_err());
    assert!(LimitSimulation::outcome(&all, &all_at("1", "1s")).is_err());
    assert!(LimitSimulation::outcome(&all[3..], &LimitChanges::default()).is_err());
    assert!(LimitSimulation::outcome(&[], &LimitChanges::default()).is_err());
}

proptest! {
    #[test]
    fn no_events_break_a_simulation(events in prop::collection::vec(strategies::event(), 0..60)) {
        let first = samples().swap_remove(0);
        let events = fitting([first].into_iter().chain(events));
        for changes in [LimitChanges::default(), all_at("1", "1s"), all_at("3", "1h")] {
            prop_assert!(LimitSimulation::outcome(&events, &changes).is_ok());
        }
    }
}
