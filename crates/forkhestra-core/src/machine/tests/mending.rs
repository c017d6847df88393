//! Journals with lines missing: what is mended is what was, as far as anybody can tell.

use std::ops::Range;

use proptest::prelude::*;

use super::damaged::{events_of, journals, story, without};
use super::extras::extras;
use super::properties::{agent, chain, limited_plan, script};
use super::simulation::fold;
use super::*;
use crate::event::{Event, LimitChanges};
use crate::id::UnitId;

/// Mends, and makes sure that the result is a journal that needs no mending.
#[track_caller]
fn mended(readable: &[Readable]) -> (Mended, Vec<Event>) {
    let mended = mend(readable).expect("it begins with the plan");
    let events = events_of(&mended, readable);
    assert_eq!(fold(&events), mended.state);
    let again = without(&events, &[]);
    let second = mend(&again).expect("it begins with the plan");
    assert_eq!((events_of(&second, &again), second.dropped), (events.clone(), vec![]));
    (mended, events)
}

/// What a run does that goes on from here.
fn next_units(events: &[Event]) -> Vec<UnitId> {
    let agent = |id: UnitId| if id.iteration > 3 { Agent::done() } else { Agent::exiting(0) };
    Simulation::resumed(events, LimitChanges::default(), agent).run().spawned
}

#[test]
fn what_is_whole_stays_as_it_is() {
    for (name, events) in journals() {
        let (mended, same) = mended(&without(&events, &[]));
        assert_eq!(
            (same, mended.dropped, mended.state),
            (events.clone(), vec![], fold(&events)),
            "{name}"
        );
    }
}

/// Runs that were cut off at any moment, with any line lost but the last one, which nobody misses.
#[test]
fn without_any_one_line_the_run_is_what_it_was() {
    let mut tried = 0;
    for (name, whole) in journals() {
        for length in 3..=whole.len() {
            let events = &whole[..length];
            for gone in 1..length - 1 {
                let (mended, left) = mended(&without(events, &[gone]));
                let what = format!("{name}: without {gone} of {length}: {:?}", events[gone].kind);
                if is_unknowable(events, gone) {
                    continue;
                }
                if !changes_limits(&events[gone]) {
                    assert_is_paid_once(events, &left, &what);
                }
                if is_guessed(events, gone) && runs_once(events, gone) {
                    continue;
                }
                tried += 1;
                assert_eq!(story(&mended.state), story(&fold(events)), "{what}");
                assert_eq!(mended.dropped, [], "{what}");
                // A work tree that nobody can tell any more is taken for a new one, a limit that was
                // raised is what it was before, and what was spent may have been less.
                let is_money = matches!(events[gone].kind, EventKind::Spent { .. });
                let is_told = !is_guessed(events, gone);
                if name != "stagnated" && !changes_limits(&events[gone]) && !is_money && is_told {
                    assert_eq!(next_units(&left), next_units(events), "{what}");
                }
            }
        }
    }
    assert!(tried > 3000, "{tried}");
}

/// Nothing is run again that is over, but what the whole journal would have run again as well.
#[track_caller]
fn assert_is_paid_once(events: &[Event], left: &[Event], what: &str) {
    let is_over = |unit: &UnitId| {
        let of_iteration = |of: &UnitId| (of.step, of.iteration) == (unit.step, unit.iteration);
        let last = events.iter().rev().find_map(|event| match &event.kind {
            EventKind::IterationStarted { unit: of } if of_iteration(of) => Some(false),
            EventKind::AgentFinished { unit: of, .. } if of_iteration(of) => Some(true),
            EventKind::IterationFinished { unit: of, report } if of_iteration(of) => {
                Some(report.has_outcome())
            }
            _ => None,
        });
        last == Some(true)
    };
    let anyway = next_units(events);
    let again = next_units(left).into_iter().filter(is_over);
    let again: Vec<UnitId> = again.filter(|unit| !anyway.contains(unit)).collect();
    assert_eq!(again, [], "{what}");
}

/// What an agent came to that was about to be checked, and that nothing tells: a check that always
/// runs says nothing about it. It is taken for nothing.
fn is_guessed(events: &[Event], gone: usize) -> bool {
    let unit = match &events[gone].kind {
        EventKind::AgentFinished { unit, .. } | EventKind::IterationFinished { unit, .. } => *unit,
        _ => return false,
    };
    let is_told = |event: &Event| match &event.kind {
        EventKind::IterationFinished { unit: of, .. } => *of == unit,
        EventKind::StepFinished { step, .. } => *step == unit.step,
        EventKind::IterationStarted { unit: next } => *next != unit,
        _ => false,
    };
    !events[gone + 1..].iter().any(is_told)
}

/// Whether what is gone is about an agent that runs once, of which nobody counts how often it ran.
fn runs_once(events: &[Event], gone: usize) -> bool {
    let EventKind::IterationFinished { unit, .. } = &events[gone].kind else { return false };
    fold(events).plan.steps[unit.step - 1].iterations.is_none()
}

fn changes_limits(event: &Event) -> bool {
    matches!(&event.kind, EventKind::RunResumed { changes, .. } if *changes != LimitChanges::default())
}

/// An agent after which nothing is known but that the run was resumed: that it was about to be
/// started, or its outcome. The outcome counts as none.
fn is_unknowable(events: &[Event], gone: usize) -> bool {
    let of_agent = matches!(
        events[gone].kind,
        EventKind::IterationStarted { .. }
            | EventKind::AgentFinished { .. }
            | EventKind::IterationFinished { .. }
    );
    let resumed = matches!(events[gone + 1].kind, EventKind::RunResumed { .. });
    of_agent && resumed && gone + 2 == events.len()
}

#[test]
fn without_any_two_lines_the_run_is_what_it_was() {
    for (name, events) in journals() {
        for one in 1..events.len() - 1 {
            for two in one + 1..events.len() - 1 {
                let (mended, _) = mended(&without(&events, &[one, two]));
                let what = format!("{name}: without {one} and {two} of {}", events.len());
                assert_eq!(story(&mended.state), story(&fold(&events)), "{what}");
                assert_eq!(mended.dropped, [], "{what}");
            }
        }
    }
}

/// A whole block of a disk may be lost. No iteration of before is run again, and what is not known
/// to be complete is not.
#[test]
fn without_any_block_of_lines_nothing_that_is_known_is_lost() {
    for (name, events) in journals() {
        for from in 1..events.len() {
            for to in from + 1..events.len() {
                let what = format!("{name}: without {from}..{to} of {}", events.len());
                nothing_known_is_lost(&events, from..to, &what);
            }
        }
    }
}

#[track_caller]
fn nothing_known_is_lost(events: &[Event], gone: Range<usize>, what: &str) {
    let gone: Vec<usize> = gone.collect();
    let readable = without(events, &gone);
    let (mended, left) = mended(&readable);
    let whole = fold(events);
    for (step, truth) in mended.state.steps.iter().zip(&whole.steps) {
        // That nobody wanted a step may be lost with everything that says so.
        assert!(!step.is_complete() || truth.is_behind(), "{what}: complete");
        assert!(step.finished <= truth.finished.max(1), "{what}: {} finished", step.finished);
    }
    let outcomes = simulation::outcomes;
    let kept: Vec<Event> = readable.into_iter().map(|readable| readable.event).collect();
    assert_eq!(outcomes(&kept).difference(&outcomes(&left)).count(), 0, "{what}: an outcome");
    assert_eq!(mended.dropped, [], "{what}");
}

proptest! {
    /// Whatever a run was like, and whatever is lost of it.
    #[test]
    fn nothing_is_complete_that_was_not(
        chain in chain(),
        agents in prop::collection::vec(agent(), 1..6),
        extras in extras(),
        gone in prop::collection::vec(any::<prop::sample::Index>(), 1..6),
        cut in any::<prop::sample::Index>(),
    ) {
        let plan = extras.plan(limited_plan(&chain, (Some(30), Some(600), Some(3))));
        let whole = extras.simulation(Simulation::new(plan, script(agents))).run().events;
        let events = &whole[..=cut.index(whole.len())];
        prop_assume!(events.len() > 2);
        let gone: Vec<usize> = gone.iter().map(|at| 1 + at.index(events.len() - 1)).collect();
        let (mended, _) = mended(&without(events, &gone));
        for (number, (step, truth)) in mended.state.steps.iter().zip(&fold(&whole).steps).enumerate() {
            prop_assert!(!step.is_complete() || truth.is_complete(), "step {}", number + 1);
        }
    }
}
