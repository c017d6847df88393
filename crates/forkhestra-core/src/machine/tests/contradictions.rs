//! Journals that say what cannot have been, and what nobody can tell.

use proptest::prelude::*;

use super::damaged::{events_of, story, without};
use super::properties::{agent, chain, limited_plan, script};
use super::simulation::{fold, outcomes};
use super::*;
use crate::event::{Event, LimitChanges};
use crate::id::{RunId, UnitId};

/// A run of `a:4 -> b` that is complete.
fn whole() -> Vec<Event> {
    Simulation::new(plan("a:4 -> b"), |id| {
        if id.iteration == 3 { Agent::done() } else { Agent::exiting(0) }
    })
    .run()
    .events
}

fn position(events: &[Event], is_it: impl Fn(&EventKind) -> bool) -> usize {
    events.iter().position(|event| is_it(&event.kind)).expect("there is one")
}

fn starts(kind: &EventKind, iteration: u32) -> bool {
    matches!(kind, EventKind::IterationStarted { unit } if unit.iteration == iteration)
}

#[track_caller]
fn mended(events: &[Event]) -> (String, Vec<&'static str>) {
    let mended = mend(&without(events, &[])).expect("it begins with the plan");
    (story(&mended.state), mended.dropped.iter().map(|dropped| dropped.why).collect())
}

const COMPLETE: &str = "marker exit_code: complete (3 1)";

#[test]
fn a_wrong_number_of_an_iteration_makes_up_no_others() {
    for wrong in [3, 4, 9, u32::MAX] {
        let mut events = whole();
        let second = position(&events, |kind| starts(kind, 2));
        let unit = UnitId { step: 1, iteration: wrong, attempt: 1 };
        events[second].kind = EventKind::IterationStarted { unit };
        let (story, dropped) = mended(&events);
        assert_eq!(story, COMPLETE, "{wrong}");
        assert_eq!(dropped, ["what follows is about an earlier iteration"], "{wrong}");
    }
}

#[test]
fn a_wrong_number_of_a_step_completes_nothing() {
    let mut events = whole();
    let second = position(&events, |kind| matches!(kind, EventKind::StepStarted { step: 2, .. }));
    let until = position(&events, |kind| matches!(kind, EventKind::IterationFinished { .. }));
    events.swap(second, until + 1);
    events.truncate(until + 2);
    let (story, dropped) = mended(&events);
    assert_eq!(story, "open pending: unfinished (1 0)");
    assert_eq!(dropped, ["the steps before it are not known to be complete"]);
}

/// The number of the line behind it is wrong, too, so nobody knows that anything is lost.
#[test]
fn a_step_whose_outcome_is_known_to_be_complete_needs_no_number() {
    let mut events = whole();
    let end = position(&events, |kind| matches!(kind, EventKind::StepFinished { step: 1, .. }));
    events.remove(end);
    assert_eq!(mended(&events), (COMPLETE.to_owned(), vec![]));
    // The beginning of the next step as well.
    events.remove(end);
    assert_eq!(mended(&events), (COMPLETE.to_owned(), vec![]));
}

#[test]
fn what_stands_there_twice_counts_once() {
    let events = whole();
    for twice in 0..events.len() {
        let mut more = events.clone();
        more.insert(twice + 1, events[twice].clone());
        let (story, _) = mended(&more);
        assert_eq!(story, COMPLETE, "{:?}", events[twice].kind);
    }
}

#[test]
fn what_belongs_to_another_run_is_dropped() {
    let mut events = whole();
    let run = RunId::from_random(8);
    let (program, moved_to) = ("test".to_owned(), None);
    let resumed =
        EventKind::RunResumed { run, changes: LimitChanges::default(), moved_to, program };
    events.insert(5, Event { kind: resumed, ..events[4].clone() });
    assert_eq!(mended(&events), (COMPLETE.to_owned(), vec!["it is about another run"]));
}

#[test]
fn without_its_plan_nothing_can_be_mended() {
    mend(&[]).expect_err("there is nothing");
    mend(&without(&whole(), &[0])).expect_err("the plan is lost");
}

/// Thousands of lines in the middle are gone, but numbers tell how many iterations there were.
#[test]
fn a_large_hole_is_bridged() {
    let run = Simulation::new(plan("a:2000"), |_| Agent::exiting(0)).run().events;
    let gone: Vec<usize> = (10..run.len() - 10).collect();
    let mended = mend(&without(&run, &gone)).expect("it begins with the plan");
    assert_eq!((mended.state.steps[0].finished, mended.dropped), (2000, vec![]));
}

/// The beginning of a loop with a done file that nothing completes.
fn with_old_done_file(kept: usize) -> Vec<Readable> {
    let old = |_| Agent { done_file: true, ..Agent::exiting(0) };
    let mut run = Simulation::new(with_done_file("a:3"), old);
    run.done_file = true;
    let events = run.run().events;
    let begins = position(&events, |kind| matches!(kind, EventKind::StepStarted { .. }));
    without(&events[..kept], &[begins])
}

/// It does not matter whether that is known from what an agent left, or begun anew.
#[test]
fn an_old_done_file_completes_nothing_because_the_beginning_is_lost() {
    for kept in 3..13 {
        let readable = with_old_done_file(kept);
        let mended = mend(&readable).expect("it begins with the plan");
        let events = events_of(&mended, &readable);
        assert_eq!(mended.dropped, [], "{kept}");
        let script = |_: UnitId| Agent { done_file: true, ..Agent::exiting(0) };
        let mut run = Simulation::resumed(&events, LimitChanges::default(), script);
        run.done_file = true;
        let run = run.run();
        assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1", "{kept}");
        let before = mended.state.steps[0].finished as usize;
        assert_eq!(run.outcomes().len(), 3 - before, "{kept}");
    }
}

proptest! {
    #[test]
    fn whatever_is_left_is_mended_and_nothing_known_is_lost(
        chain in chain(),
        agents in prop::collection::vec(agent(), 1..8),
        lives in prop::collection::vec(1..30_usize, 0..3),
        gone in prop::collection::btree_set(1..60_usize, 0..20),
        has_done_file in any::<bool>(),
    ) {
        let looked_at = |agent: Agent| Agent { done_file: agent.done_file && has_done_file, ..agent };
        let script = script(agents.into_iter().map(looked_at).collect());
        let is_complete = |events: &[Event]| fold(events).end == Some(RunEnd::Complete);
        let mut plan = limited_plan(&chain, (None, None, None));
        for (step, file) in plan.steps.iter_mut().zip(&with_done_file("a -> a -> a").steps) {
            step.done_file = file.done_file.clone().filter(|_| has_done_file);
        }
        let mut events = Simulation::new(plan, script.clone()).run().events;
        for kept in lives {
            events.truncate(events.len().min(kept.max(2)));
            if !is_complete(&events) {
                let again = Simulation::resumed(&events, LimitChanges::default(), script.clone());
                events.extend(again.run().events);
            }
        }
        let gone: Vec<usize> = gone.into_iter().collect();
        let readable = without(&events, &gone);
        let mended = mend(&readable).expect("it begins with the plan");
        let left = events_of(&mended, &readable);
        prop_assert_eq!(fold(&left), mended.state.clone());
        let again = mend(&without(&left, &[])).expect("it begins with the plan");
        prop_assert_eq!((events_of(&again, &without(&left, &[])), again.dropped), (left.clone(), vec![]));
        for (step, truth) in mended.state.steps.iter().zip(&fold(&events).steps) {
            prop_assert!(!step.is_complete() || truth.is_complete());
        }
        let kept: Vec<Event> = readable.into_iter().map(|readable| readable.event).collect();
        prop_assert_eq!(outcomes(&kept).difference(&outcomes(&left)).count(), 0);
        let is_known = |dropped: &Dropped| !dropped.why.ends_with("is not known");
        prop_assert_eq!(mended.dropped.iter().find(|dropped| is_known(dropped)), None);
    }
}
