//! What happens while checks run: the run is cancelled, killed, or out of time. The agent is never paid
//! for again.

use super::checking::{ALWAYS, ONCE_ASKED, checked, in_room, protecting, reports};
use super::chores::{Chore, Room};
use super::simulation::fold;
use super::*;
use crate::config::{CheckWhen, OnProtectedChange};
use crate::event::{Cancel, Errand, LimitChanges};
use crate::id::UnitId;
use crate::machine::RoomFailure;

const FIRST: UnitId = UnitId { step: 1, iteration: 1, attempt: 1 };

fn same() -> LimitChanges {
    LimitChanges::default()
}

fn is_check(kind: &EventKind) -> bool {
    matches!(kind, EventKind::ErrandStarted { errand: Errand::Check { .. }, .. })
}

/// A run that was cancelled while a check hangs.
fn cancelled_in_a_check(plan: Plan, by: Cancel) -> Simulation {
    Simulation::new(plan, |_| Agent::done())
        .with_chores(|_| Chore::hanging())
        .cancelled_at(5000, by)
        .run()
}

#[test]
fn a_cancelled_check_is_told_in_the_same_words_and_left_for_later() {
    for (by, push) in [
        (Cancel::Interrupt, Push::Interrupt),
        (Cancel::Terminate, Push::Terminate),
        (Cancel::Hangup, Push::Hangup),
        (Cancel::OutputClosed, Push::Terminate),
        (Cancel::GuardLost, Push::Kill),
    ] {
        let run = cancelled_in_a_check(checked("a:3", &ONCE_ASKED), by);
        assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(by)));
        let pushes: Vec<Push> = run.chores.pushes.iter().map(|(_, push)| *push).collect();
        assert_eq!(pushes, [push]);
        assert_eq!(verdicts(&run), Vec::<&str>::new(), "nobody knows what came of it");
        let again = Simulation::resumed(&run.events, same(), |_| Agent::exiting(1)).run();
        assert_eq!((ends(again.machine.state()), again.spawned.len()), (DONE.to_owned(), 0));
        assert_eq!(again.chores.ran, [Errand::Check { unit: FIRST, number: 1 }]);
    }
}

const DONE: &str = "marker: complete";

#[test]
fn a_second_signal_kills_a_check_at_once() {
    let run = Simulation::new(checked("a:3", &ONCE_ASKED), |_| Agent::done())
        .with_chores(|_| Chore::deaf())
        .cancelled_at(5000, Cancel::Interrupt)
        .cancelled_at(6000, Cancel::Interrupt)
        .run();
    let pushes: Vec<Push> = run.chores.pushes.iter().map(|(_, push)| *push).collect();
    assert_eq!(pushes, [Push::Interrupt, Push::Kill]);
    assert_eq!(run.took().as_secs(), 6);
}

/// The process was gone by itself, and only what it left behind was waited for.
#[test]
fn a_cancelled_run_starts_no_further_check() {
    let plan = checked("a:3", &[CheckWhen::Completion; 2]);
    let run = Simulation::new(plan, |_| Agent::done())
        .with_chores(|_| Chore { stragglers_obey: Some(Push::Terminate), ..Chore::exiting(0) })
        .cancelled_at(500, Cancel::Interrupt)
        .run();
    assert_eq!(run.chores.ran, [Errand::Check { unit: FIRST, number: 1 }]);
    assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(Cancel::Interrupt)));
    let again = Simulation::resumed(&run.events, same(), |_| Agent::exiting(1)).run();
    assert_eq!((again.chores.ran.len(), again.spawned.len()), (2, 0), "all checks run again");
}

#[test]
fn a_run_whose_last_check_had_just_passed_is_complete() {
    let run = Simulation::new(checked("a:3", &ONCE_ASKED), |_| Agent::done())
        .with_chores(|_| Chore { stragglers_obey: Some(Push::Terminate), ..Chore::exiting(0) })
        .cancelled_at(500, Cancel::Interrupt)
        .run();
    assert_eq!(ends(run.machine.state()), DONE);
}

/// Whoever cancelled the run does not wait for the answer, and an exit code is only half of it.
#[test]
fn a_check_whose_answer_was_not_waited_for_is_run_again() {
    let run = Simulation::new(checked("a:3", &ONCE_ASKED), |_| Agent::done())
        .with_chores(|_| Chore { read_at: 7_200_000, ..Chore::exiting(0) })
        .cancelled_at(500, Cancel::Interrupt)
        .run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(Cancel::Interrupt)));
    assert_eq!(Found::of(&fold(&run.events)), Found::Ended { step: 1 });
    let again = Simulation::resumed(&run.events, same(), |_| Agent::exiting(1))
        .with_chores(|_| Chore::exiting(1))
        .run();
    assert_eq!(verdicts(&again)[0], "refused");
}

#[test]
fn cancelling_while_a_room_is_made_takes_it_away() {
    for by in [Cancel::Interrupt, Cancel::GuardLost] {
        let run = Simulation::new(in_room(checked("a:3", &ONCE_ASKED), None), |_| Agent::done())
            .with_rooms(|_| Room::Never)
            .cancelled_at(5000, by)
            .run();
        assert_eq!((run.took().as_secs(), run.chores.open_room), (5, None));
        assert_eq!(run.chores.rooms, 1);
        let again = Simulation::resumed(&run.events, same(), |_| Agent::exiting(1)).run();
        assert_eq!((ends(again.machine.state()), again.spawned.len()), (DONE.to_owned(), 0));
    }
}

#[test]
fn a_cancelled_setup_is_left_for_later_as_well() {
    let plan = in_room(checked("a:3", &ONCE_ASKED), Some("npm ci"));
    let run = Simulation::new(plan, |_| Agent::done())
        .with_chores(|_| Chore::hanging())
        .cancelled_at(5000, Cancel::Interrupt)
        .run();
    assert_eq!((run.chores.ran.len(), run.chores.open_room), (1, None));
    let again = Simulation::resumed(&run.events, same(), |_| Agent::exiting(1)).run();
    assert_eq!((again.chores.ran.len(), again.spawned.len()), (2, 0));
}

#[test]
fn a_run_that_was_killed_in_a_check_checks_again() {
    for chain in ["a:3", "a"] {
        let plan = checked(chain, &[CheckWhen::Completion, CheckWhen::Always]);
        let whole = Simulation::new(plan, |_| Agent::done()).run();
        for last in 0..whole.events.len() {
            let events = &whole.events[..=last];
            let state = fold(events);
            if state.steps[0].unchecked.is_none() {
                continue;
            }
            assert_eq!(Found::of(&state), Found::Unchecked(FIRST));
            assert_eq!(Found::of(&state).recovery(&same()), Recovery::Check(FIRST));
            let again = Simulation::resumed(events, same(), |_| Agent::exiting(1)).run();
            assert_eq!(again.spawned, [], "after {:?}", events[last].kind);
            assert_eq!(again.machine.end(), Some(&RunEnd::Complete));
            assert_eq!(again.chores.ran.len(), 2);
        }
    }
}

#[test]
fn an_unchecked_iteration_that_is_refused_is_followed_by_the_next_one() {
    let whole = Simulation::new(checked("a:3", &ONCE_ASKED), |_| Agent::done()).run();
    let events = up_to(&whole, is_check);
    let again = Simulation::resumed(&events, same(), |_| Agent::done())
        .with_chores(|errand| match errand {
            Errand::Check { unit, .. } => Chore::exiting(i32::from(unit.iteration == 1)),
            _ => Chore::exiting(0),
        })
        .run();
    assert_eq!(again.spawned, [UnitId { iteration: 2, ..FIRST }]);
    assert_eq!(verdicts(&again), ["refused", "complete"]);
}

/// A project that was moved begins its step anew, but not what was paid for.
#[test]
fn what_is_unchecked_is_checked_also_where_the_project_was_moved_to() {
    let mut plan = with_done_file("a:3");
    plan.steps[0].checks = checked("a:3", &ONCE_ASKED).steps[0].checks.clone();
    let whole = Simulation::new(plan, |_| Agent::done()).run();
    let events = up_to(&whole, is_check);
    let machine = Machine::resume(
        fold(&events),
        same(),
        "test",
        crate::policy::Patience::default(),
        simulation::start(),
    );
    let machine = machine.moved_to(Some("/elsewhere".to_owned()));
    let run = Simulation::with(machine, Box::new(|_| Agent::exiting(1))).run();
    assert_eq!((run.spawned.len(), ends(run.machine.state())), (0, DONE.to_owned()));
}

/// Somebody may have committed, or put files back, before the run goes on.
#[test]
fn what_stands_against_an_agent_is_looked_at_again_before_it_is_checked_again() {
    let plan = protecting(checked("a:3", &ALWAYS), OnProtectedChange::Refuse);
    let spoils = |_| Agent { spoils: true, ..Agent::done() };
    let whole = Simulation::new(plan, spoils).run();
    assert_eq!(verdicts(&whole), ["refused"; 3]);
    let events = up_to(&whole, is_check);
    let again = Simulation::resumed(&events, same(), |_| Agent::done()).run();
    assert_eq!((verdicts(&again), again.spawned.len()), (vec!["complete"], 0));
}

#[test]
fn time_that_is_used_up_in_a_check_leaves_it_for_whoever_gives_more() {
    for (is_run, word) in [(true, "run_time"), (false, "step_time")] {
        let mut plan = checked("a:3", &ONCE_ASKED);
        let limit_of = |text| limit::<Time>(text).expect("there is one");
        if is_run {
            plan.limits.time.value = limit_of("1m");
        } else {
            plan.steps[0].limits.time.value = limit_of("1m");
        }
        let run = Simulation::new(plan, |_| Agent::done()).with_chores(|_| Chore::hanging()).run();
        assert_eq!(ends(run.machine.state()), format!("{word}: incomplete at 1"));
        assert_eq!((run.took().as_secs(), verdicts(&run).len()), (60, 0));
        let still = Simulation::resumed(&run.events, same(), |_| Agent::done()).run();
        assert_eq!((still.chores.ran.len(), still.spawned.len()), (0, 0), "there is no time left");
        assert_eq!(ends(still.machine.state()), format!("{word}: incomplete at 1"));
        let changes = LimitChanges {
            run_time: limit("1h").filter(|_| is_run),
            step_time: limit("1h").filter(|_| !is_run),
            ..same()
        };
        let more = Simulation::resumed(&run.events, changes, |_| Agent::done()).run();
        assert_eq!((ends(more.machine.state()), more.spawned.len()), (DONE.to_owned(), 0));
    }
}

/// Nobody is paid for trying again what no agent can do anything about.
#[test]
fn a_room_that_the_machine_cannot_make_ends_the_step_and_the_agent_is_not_paid_again() {
    let full = RoomFailure::OfTheMachine("the disk is full".to_owned());
    for room in [Room::Failing(full), Room::Never] {
        let plan = in_room(checked("a:9", &ONCE_ASKED), None);
        let given = room.clone();
        let run = Simulation::new(plan, |_| Agent::done()).with_rooms(move |_| given.clone()).run();
        assert_eq!(ends(run.machine.state()), "cannot_check: incomplete at 1");
        assert_eq!((run.spawned.len(), verdicts(&run).len(), run.chores.open_room), (1, 0, None));
        let still = Simulation::resumed(&run.events, same(), |_| Agent::done())
            .with_rooms(move |_| room.clone())
            .run();
        assert_eq!(ends(still.machine.state()), "cannot_check: incomplete at 1");
        let events = [&run.events[..], &still.events[..]].concat();
        let again = Simulation::resumed(&events, same(), |_| Agent::exiting(1)).run();
        assert_eq!((ends(again.machine.state()), again.spawned.len()), (DONE.to_owned(), 0));
    }
}

#[test]
fn time_is_used_up_while_a_room_is_made_too() {
    let mut plan = in_room(checked("a:3", &ONCE_ASKED), None);
    plan.limits.time.value = limit("20s").expect("there is one");
    let run = Simulation::new(plan, |_| Agent::done()).with_rooms(|_| Room::Never).run();
    assert_eq!(ends(run.machine.state()), "run_time: incomplete at 1");
    assert_eq!((run.took().as_secs(), run.chores.open_room), (20, None));
}

#[test]
fn between_two_checks_time_may_be_up_as_well() {
    let mut plan = checked("a:3", &[CheckWhen::Completion; 3]);
    plan.limits.time.value = limit("20s").expect("there is one");
    let run = Simulation::new(plan, |_| Agent::done())
        .with_chores(|_| Chore { exits_at: Some(15_000), obeys: None, ..Chore::exiting(0) })
        .run();
    assert_eq!(ends(run.machine.state()), "run_time: incomplete at 1");
    assert_eq!(run.chores.ran.len(), 2);
}

/// The step ends whatever checks say, and more time goes on with the next iteration.
#[test]
fn an_agent_that_a_limit_ended_is_not_checked() {
    let mut plan = checked("a:3", &ALWAYS);
    plan.limits.time.value = limit("20s").expect("there is one");
    let run = Simulation::new(plan, |_| Agent::hanging()).run();
    assert_eq!(
        (ends(run.machine.state()), run.chores.ran.len()),
        ("run_time: incomplete at 1".to_owned(), 0)
    );
    let changes = LimitChanges { run_time: limit("1h"), ..same() };
    let more = Simulation::resumed(&run.events, changes, |_| Agent::done()).run();
    assert_eq!(more.spawned, [UnitId { iteration: 2, ..FIRST }]);
    assert_eq!(ends(more.machine.state()), DONE);
}

#[test]
fn what_an_unchecked_agent_spent_counts_once() {
    let agent = || Agent::understood_done().spending(7);
    let run = Simulation::new(checked("a:3", &ONCE_ASKED), move |_| agent()).run();
    for last in 0..run.events.len() {
        let spend = fold(&run.events[..=last]).spend();
        let spent = run.events[..=last].iter().any(|e| matches!(e.kind, EventKind::Spent { .. }));
        let expected = if spent { simulation::dollars(7) } else { crate::cost::Spend::default() };
        assert_eq!(spend, expected, "after {:?}", run.events[last].kind);
    }
    assert_eq!(reports(&run)[0].spend, Some(simulation::dollars(7)));
}
