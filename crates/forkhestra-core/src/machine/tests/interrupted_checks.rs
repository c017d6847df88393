//! Runs that are cancelled, killed or out of time while checks run. The agent is never paid for
//! again.

use super::checks::{ALWAYS, ON_COMPLETION, checked, protecting, reports, with_clean_room};
use super::support::aux_job_scripts::{AuxJobScript, SimulatedRoom};
use super::support::run_simulation::fold;
use super::*;
use crate::config::{CheckWhen, OnProtectedChange};
use crate::event::{AuxJob, CancelCause, LimitChanges};
use crate::id::UnitId;
use crate::machine::CleanRoomFailure;
use crate::machine::recovery::{RecoveryAction, RecoveryCase};

const FIRST: UnitId = UnitId { step: 1, iteration: 1, attempt: 1 };

fn same() -> LimitChanges {
    LimitChanges::default()
}

fn is_check(kind: &EventKind) -> bool {
    matches!(kind, EventKind::AuxJobStarted { aux_job: AuxJob::Check { .. }, .. })
}

/// A run that was cancelled while a check hangs.
fn cancelled_in_a_check(plan: Plan, by: CancelCause) -> RunSimulation {
    RunSimulation::new(plan, |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript::hanging())
        .cancelled_at(5000, by)
        .run()
}

#[test]
fn a_cancelled_check_is_reported_and_left_for_later() {
    for (by, signal) in [
        (CancelCause::Interrupt, ProcessSignal::Interrupt),
        (CancelCause::Terminate, ProcessSignal::Terminate),
        (CancelCause::Hangup, ProcessSignal::Hangup),
        (CancelCause::OutputClosed, ProcessSignal::Terminate),
        (CancelCause::GuardLost, ProcessSignal::Kill),
    ] {
        let run = cancelled_in_a_check(checked("a:3", &ON_COMPLETION), by);
        assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(by)));
        let signals: Vec<ProcessSignal> =
            run.aux_jobs.signals.iter().map(|(_, signal)| *signal).collect();
        assert_eq!(signals, [signal]);
        assert_eq!(verdicts(&run), Vec::<&str>::new(), "its outcome is unknown");
        let again =
            RunSimulation::resumed(&run.events, same(), |_| SimulatedAgent::exiting(1)).run();
        assert_eq!((ends(again.machine.state()), again.spawned.len()), (DONE.to_owned(), 0));
        assert_eq!(again.aux_jobs.ran, [AuxJob::Check { unit: FIRST, number: 1 }]);
    }
}

const DONE: &str = "marker: complete";

#[test]
fn a_second_signal_kills_a_check_at_once() {
    let run = RunSimulation::new(checked("a:3", &ON_COMPLETION), |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript::deaf())
        .cancelled_at(5000, CancelCause::Interrupt)
        .cancelled_at(6000, CancelCause::Interrupt)
        .run();
    let signals: Vec<ProcessSignal> =
        run.aux_jobs.signals.iter().map(|(_, signal)| *signal).collect();
    assert_eq!(signals, [ProcessSignal::Interrupt, ProcessSignal::Kill]);
    assert_eq!(run.took().as_secs(), 6);
}

/// The check's process had exited by itself, and only its leftover processes were awaited.
#[test]
fn a_cancelled_run_starts_no_further_check() {
    let plan = checked("a:3", &[CheckWhen::Completion; 2]);
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript {
            stragglers_obey: Some(ProcessSignal::Terminate),
            ..AuxJobScript::exiting(0)
        })
        .cancelled_at(500, CancelCause::Interrupt)
        .run();
    assert_eq!(run.aux_jobs.ran, [AuxJob::Check { unit: FIRST, number: 1 }]);
    assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(CancelCause::Interrupt)));
    let again = RunSimulation::resumed(&run.events, same(), |_| SimulatedAgent::exiting(1)).run();
    assert_eq!((again.aux_jobs.ran.len(), again.spawned.len()), (2, 0), "all checks run again");
}

#[test]
fn a_run_whose_last_check_had_just_passed_is_complete() {
    let run = RunSimulation::new(checked("a:3", &ON_COMPLETION), |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript {
            stragglers_obey: Some(ProcessSignal::Terminate),
            ..AuxJobScript::exiting(0)
        })
        .cancelled_at(500, CancelCause::Interrupt)
        .run();
    assert_eq!(ends(run.machine.state()), DONE);
}

/// A cancelled run does not wait for the check's output, and the exit code alone does not decide.
#[test]
fn a_check_whose_answer_was_not_waited_for_is_run_again() {
    let run = RunSimulation::new(checked("a:3", &ON_COMPLETION), |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript { read_at: 7_200_000, ..AuxJobScript::exiting(0) })
        .cancelled_at(500, CancelCause::Interrupt)
        .run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(CancelCause::Interrupt)));
    assert_eq!(RecoveryCase::from_state(&fold(&run.events)), RecoveryCase::Ended { step: 1 });
    let again = RunSimulation::resumed(&run.events, same(), |_| SimulatedAgent::exiting(1))
        .with_chores(|_| AuxJobScript::exiting(1))
        .run();
    assert_eq!(verdicts(&again)[0], "refused");
}

#[test]
fn cancelling_while_a_room_is_made_takes_it_away() {
    for by in [CancelCause::Interrupt, CancelCause::GuardLost] {
        let run = RunSimulation::new(with_clean_room(checked("a:3", &ON_COMPLETION), None), |_| {
            SimulatedAgent::done()
        })
        .with_rooms(|_| SimulatedRoom::Never)
        .cancelled_at(5000, by)
        .run();
        assert_eq!((run.took().as_secs(), run.aux_jobs.open_room), (5, None));
        assert_eq!(run.aux_jobs.rooms, 1);
        let again =
            RunSimulation::resumed(&run.events, same(), |_| SimulatedAgent::exiting(1)).run();
        assert_eq!((ends(again.machine.state()), again.spawned.len()), (DONE.to_owned(), 0));
    }
}

#[test]
fn a_cancelled_setup_is_left_for_later_as_well() {
    let plan = with_clean_room(checked("a:3", &ON_COMPLETION), Some("npm ci"));
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript::hanging())
        .cancelled_at(5000, CancelCause::Interrupt)
        .run();
    assert_eq!((run.aux_jobs.ran.len(), run.aux_jobs.open_room), (1, None));
    let again = RunSimulation::resumed(&run.events, same(), |_| SimulatedAgent::exiting(1)).run();
    assert_eq!((again.aux_jobs.ran.len(), again.spawned.len()), (2, 0));
}

#[test]
fn a_run_that_was_killed_in_a_check_checks_again() {
    for chain in ["a:3", "a"] {
        let plan = checked(chain, &[CheckWhen::Completion, CheckWhen::Always]);
        let whole = RunSimulation::new(plan, |_| SimulatedAgent::done()).run();
        for last in 0..whole.events.len() {
            let events = &whole.events[..=last];
            let state = fold(events);
            if state.steps[0].unchecked.is_none() {
                continue;
            }
            assert_eq!(RecoveryCase::from_state(&state), RecoveryCase::Unchecked(FIRST));
            assert_eq!(
                RecoveryCase::from_state(&state).recovery(&same()),
                RecoveryAction::Check(FIRST)
            );
            let again =
                RunSimulation::resumed(events, same(), |_| SimulatedAgent::exiting(1)).run();
            assert_eq!(again.spawned, [], "after {:?}", events[last].kind);
            assert_eq!(again.machine.end(), Some(&RunEnd::Complete));
            assert_eq!(again.aux_jobs.ran.len(), 2);
        }
    }
}

#[test]
fn an_unchecked_iteration_that_is_refused_is_followed_by_the_next_one() {
    let whole =
        RunSimulation::new(checked("a:3", &ON_COMPLETION), |_| SimulatedAgent::done()).run();
    let events = up_to(&whole, is_check);
    let again = RunSimulation::resumed(&events, same(), |_| SimulatedAgent::done())
        .with_chores(|aux_job| match aux_job {
            AuxJob::Check { unit, .. } => AuxJobScript::exiting(i32::from(unit.iteration == 1)),
            _ => AuxJobScript::exiting(0),
        })
        .run();
    assert_eq!(again.spawned, [UnitId { iteration: 2, ..FIRST }]);
    assert_eq!(verdicts(&again), ["refused", "complete"]);
}

/// A moved project begins its step again, but keeps work that is paid for.
#[test]
fn unchecked_work_is_checked_after_a_move_of_the_project() {
    let mut plan = with_done_file("a:3");
    plan.steps[0].checks = checked("a:3", &ON_COMPLETION).steps[0].checks.clone();
    let whole = RunSimulation::new(plan, |_| SimulatedAgent::done()).run();
    let events = up_to(&whole, is_check);
    let machine = Machine::resume(
        fold(&events),
        same(),
        "test",
        crate::policy::GracePeriods::default(),
        support::run_simulation::start(),
    );
    let machine = machine.moved_to(Some("/elsewhere".to_owned()));
    let run = RunSimulation::with(machine, Box::new(|_| SimulatedAgent::exiting(1))).run();
    assert_eq!((run.spawned.len(), ends(run.machine.state())), (0, DONE.to_owned()));
}

/// The user may have committed or restored files before the resume.
#[test]
fn an_objection_is_checked_again_before_the_checks() {
    let plan = protecting(checked("a:3", &ALWAYS), OnProtectedChange::Refuse);
    let spoils = |_| SimulatedAgent { spoils: true, ..SimulatedAgent::done() };
    let whole = RunSimulation::new(plan, spoils).run();
    assert_eq!(verdicts(&whole), ["refused"; 3]);
    let events = up_to(&whole, is_check);
    let again = RunSimulation::resumed(&events, same(), |_| SimulatedAgent::done()).run();
    assert_eq!((verdicts(&again), again.spawned.len()), (vec!["complete"], 0));
}

#[test]
fn a_check_without_time_left_is_postponed_until_the_limit_is_raised() {
    for (is_run, word) in [(true, "run_time"), (false, "step_time")] {
        let mut plan = checked("a:3", &ON_COMPLETION);
        let limit_of = |text| limit::<HumanDuration>(text).expect("there is one");
        if is_run {
            plan.limits.time.value = limit_of("1m");
        } else {
            plan.steps[0].limits.time.value = limit_of("1m");
        }
        let run = RunSimulation::new(plan, |_| SimulatedAgent::done())
            .with_chores(|_| AuxJobScript::hanging())
            .run();
        assert_eq!(ends(run.machine.state()), format!("{word}: incomplete at 1"));
        assert_eq!((run.took().as_secs(), verdicts(&run).len()), (60, 0));
        let still = RunSimulation::resumed(&run.events, same(), |_| SimulatedAgent::done()).run();
        assert_eq!(
            (still.aux_jobs.ran.len(), still.spawned.len()),
            (0, 0),
            "there is no time left"
        );
        assert_eq!(ends(still.machine.state()), format!("{word}: incomplete at 1"));
        let changes = LimitChanges {
            run_time: limit("1h").filter(|_| is_run),
            step_time: limit("1h").filter(|_| !is_run),
            ..same()
        };
        let more = RunSimulation::resumed(&run.events, changes, |_| SimulatedAgent::done()).run();
        assert_eq!((ends(more.machine.state()), more.spawned.len()), (DONE.to_owned(), 0));
    }
}

/// No agent is paid for a retry that cannot succeed.
#[test]
fn a_room_that_the_machine_cannot_make_ends_the_step_and_the_agent_is_not_paid_again() {
    let full = CleanRoomFailure::Machine("the disk is full".to_owned());
    for room in [SimulatedRoom::Failing(full), SimulatedRoom::Never] {
        let plan = with_clean_room(checked("a:9", &ON_COMPLETION), None);
        let given = room.clone();
        let run = RunSimulation::new(plan, |_| SimulatedAgent::done())
            .with_rooms(move |_| given.clone())
            .run();
        assert_eq!(ends(run.machine.state()), "cannot_check: incomplete at 1");
        assert_eq!((run.spawned.len(), verdicts(&run).len(), run.aux_jobs.open_room), (1, 0, None));
        let still = RunSimulation::resumed(&run.events, same(), |_| SimulatedAgent::done())
            .with_rooms(move |_| room.clone())
            .run();
        assert_eq!(ends(still.machine.state()), "cannot_check: incomplete at 1");
        let events = [&run.events[..], &still.events[..]].concat();
        let again = RunSimulation::resumed(&events, same(), |_| SimulatedAgent::exiting(1)).run();
        assert_eq!((ends(again.machine.state()), again.spawned.len()), (DONE.to_owned(), 0));
    }
}

#[test]
fn time_is_used_up_while_a_room_is_made_too() {
    let mut plan = with_clean_room(checked("a:3", &ON_COMPLETION), None);
    plan.limits.time.value = limit("20s").expect("there is one");
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done())
        .with_rooms(|_| SimulatedRoom::Never)
        .run();
    assert_eq!(ends(run.machine.state()), "run_time: incomplete at 1");
    assert_eq!((run.took().as_secs(), run.aux_jobs.open_room), (20, None));
}

#[test]
fn between_two_checks_time_may_be_up_as_well() {
    let mut plan = checked("a:3", &[CheckWhen::Completion; 3]);
    plan.limits.time.value = limit("20s").expect("there is one");
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript {
            exits_at: Some(15_000),
            obeys: None,
            ..AuxJobScript::exiting(0)
        })
        .run();
    assert_eq!(ends(run.machine.state()), "run_time: incomplete at 1");
    assert_eq!(run.aux_jobs.ran.len(), 2);
}

/// The limit ends the step whatever the checks result in; with more time the next iteration runs.
#[test]
fn an_agent_that_a_limit_ended_is_not_checked() {
    let mut plan = checked("a:3", &ALWAYS);
    plan.limits.time.value = limit("20s").expect("there is one");
    let run = RunSimulation::new(plan, |_| SimulatedAgent::hanging()).run();
    assert_eq!(
        (ends(run.machine.state()), run.aux_jobs.ran.len()),
        ("run_time: incomplete at 1".to_owned(), 0)
    );
    let changes = LimitChanges { run_time: limit("1h"), ..same() };
    let more = RunSimulation::resumed(&run.events, changes, |_| SimulatedAgent::done()).run();
    assert_eq!(more.spawned, [UnitId { iteration: 2, ..FIRST }]);
    assert_eq!(ends(more.machine.state()), DONE);
}

#[test]
fn the_spend_of_an_unchecked_agent_counts_once() {
    let agent = || SimulatedAgent::understood_done().spending(7);
    let run = RunSimulation::new(checked("a:3", &ON_COMPLETION), move |_| agent()).run();
    for last in 0..run.events.len() {
        let spend = fold(&run.events[..=last]).spend();
        let spent = run.events[..=last].iter().any(|e| matches!(e.kind, EventKind::Spent { .. }));
        let expected =
            if spent { support::samples::dollars(7) } else { crate::cost::Spend::default() };
        assert_eq!(spend, expected, "after {:?}", run.events[last].kind);
    }
    assert_eq!(reports(&run)[0].spend, Some(support::samples::dollars(7)));
}
