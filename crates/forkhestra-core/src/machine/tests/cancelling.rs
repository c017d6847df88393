//! Somebody wants the run to end.

use super::*;
use crate::event::{Cancel, Verdict};

fn pushes(run: &Simulation) -> Vec<(u64, Push)> {
    run.pushes.iter().map(|(at, push)| (at.as_secs() - 1000, *push)).collect()
}

#[test]
fn the_first_signal_is_forwarded_and_the_run_is_interrupted() {
    for (by, push, code) in [
        (Cancel::Interrupt, Push::Interrupt, 130),
        (Cancel::Terminate, Push::Terminate, 143),
        (Cancel::Hangup, Push::Hangup, 129),
        (Cancel::OutputClosed, Push::Terminate, 141),
        (Cancel::GuardLost, Push::Kill, 137),
    ] {
        let run =
            Simulation::new(plan("a:5 -> b"), |_| Agent::hanging()).cancelled_at(2000, by).run();
        assert_eq!(pushes(&run), [(2, push)]);
        assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(by)));
        assert_eq!(run.machine.end().map(RunEnd::exit_code), Some(code));
        assert_eq!(run.machine.state().steps[0].finished, 0);
    }
}

#[test]
fn exit_code_0_after_our_signal_is_no_success() {
    let run = Simulation::new(plan("a"), |_| Agent::hanging())
        .cancelled_at(2000, Cancel::Interrupt)
        .run();
    assert_eq!(ends(run.machine.state()), "interrupted: interrupt");
    assert!(run.kinds().any(|kind| matches!(
        kind,
        EventKind::IterationFinished { report, .. } if report.verdict == Verdict::Interrupted
    )));
}

#[test]
fn who_ignores_the_signal_is_killed_after_ten_seconds() {
    let run =
        Simulation::new(plan("a:5"), |_| Agent { obeys: Some(Push::Kill), ..Agent::hanging() })
            .cancelled_at(2000, Cancel::Interrupt)
            .run();
    assert_eq!(pushes(&run), [(2, Push::Interrupt), (12, Push::Kill)]);
}

#[test]
fn what_a_cancelled_agent_leaves_behind_is_asked_more_clearly() {
    let agent = || Agent { stragglers_obey: Some(Push::Terminate), ..Agent::hanging() };
    let run =
        Simulation::new(plan("a:5"), move |_| agent()).cancelled_at(2000, Cancel::Interrupt).run();
    assert_eq!(pushes(&run), [(2, Push::Interrupt), (3, Push::Terminate)]);
}

#[test]
fn a_second_signal_kills_at_once() {
    let run =
        Simulation::new(plan("a:5"), |_| Agent { obeys: Some(Push::Kill), ..Agent::hanging() })
            .cancelled_at(2000, Cancel::Interrupt)
            .cancelled_at(3000, Cancel::Interrupt)
            .run();
    assert_eq!(pushes(&run), [(2, Push::Interrupt), (3, Push::Kill)]);
    assert_eq!(run.took().as_secs(), 3);
}

#[test]
fn what_merely_comes_with_the_first_signal_takes_nobody_their_time() {
    for (first, second, push) in [
        (Cancel::Interrupt, Cancel::OutputClosed, Push::Interrupt),
        (Cancel::OutputClosed, Cancel::Interrupt, Push::Terminate),
        (Cancel::OutputClosed, Cancel::Hangup, Push::Terminate),
        (Cancel::Hangup, Cancel::OutputClosed, Push::Hangup),
        (Cancel::Hangup, Cancel::Hangup, Push::Hangup),
    ] {
        let deaf = |_| Agent { obeys: Some(Push::Kill), ..Agent::hanging() };
        let run = Simulation::new(plan("a:5"), deaf)
            .cancelled_at(2000, first)
            .cancelled_at(3000, second)
            .run();
        assert_eq!(pushes(&run), [(2, push), (12, Push::Kill)], "{first:?}, then {second:?}");
    }
}

#[test]
fn the_strongest_reason_is_the_one_that_is_told() {
    let run =
        Simulation::new(plan("a:5"), |_| Agent { obeys: Some(Push::Kill), ..Agent::hanging() })
            .cancelled_at(2000, Cancel::Terminate)
            .cancelled_at(3000, Cancel::Hangup)
            .run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(Cancel::Terminate)));
}

#[test]
fn a_run_that_waits_ends_at_once() {
    let run = Simulation::new(plan("a:5"), |_| Agent::exiting(1))
        .cancelled_at(500, Cancel::Interrupt)
        .run();
    assert_eq!(run.took().as_millis(), 500);
    assert_eq!(ends(run.machine.state()), "interrupted: interrupt");
    assert_eq!(run.machine.state().steps[0].finished, 1);
}

#[test]
fn an_agent_that_had_ended_by_itself_keeps_its_outcome() {
    let agent = || Agent { stragglers_obey: Some(Push::Hangup), ..Agent::exiting(0) };
    let run =
        Simulation::new(plan("a:5"), move |_| agent()).cancelled_at(500, Cancel::Interrupt).run();
    assert_eq!(run.machine.state().steps[0].finished, 1);
    assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(Cancel::Interrupt)));
}

#[test]
fn a_run_whose_last_agent_had_just_finished_is_complete() {
    let agent = || Agent { stragglers_obey: Some(Push::Hangup), ..Agent::done() };
    let run =
        Simulation::new(plan("a:5"), move |_| agent()).cancelled_at(500, Cancel::Interrupt).run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
}

#[test]
fn a_reader_who_does_not_read_holds_a_cancelled_run_for_ten_seconds_at_most() {
    let agent = || Agent { read_at: 7_200_000, ..Agent::exiting(0) };
    let run =
        Simulation::new(plan("a:5"), move |_| agent()).cancelled_at(2000, Cancel::Interrupt).run();
    assert_eq!(run.took().as_secs(), 12);
    let run = Simulation::new(plan("a:5"), move |_| agent())
        .cancelled_at(2000, Cancel::Interrupt)
        .cancelled_at(3000, Cancel::Interrupt)
        .run();
    assert_eq!(run.took().as_secs(), 3);
}

#[test]
fn a_reader_who_does_not_read_does_not_hold_whoever_says_it_twice() {
    let agent = || Agent { read_at: 7_200_000, obeys: Some(Push::Kill), ..Agent::hanging() };
    let run = Simulation::new(plan("a:5"), move |_| agent())
        .cancelled_at(2000, Cancel::Interrupt)
        .cancelled_at(3000, Cancel::Interrupt)
        .run();
    assert_eq!(run.took().as_millis(), 3201);
}

#[test]
fn a_loop_whose_output_was_not_read_is_not_judged_by_its_exit_code() {
    let unread = |read_at| Agent { read_at, says_done_at_end: true, ..Agent::exiting(0) };
    for by in [Cancel::GuardLost, Cancel::Interrupt] {
        let run = Simulation::new(plan("a:5"), move |_| unread(7_200_000))
            .cancelled_at(100, by)
            .cancelled_at(200, by)
            .run();
        assert_eq!(run.machine.state().steps[0].finished, 0);
        assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(by)));
        // Who reads in a moment still hears that the work is done.
        let run = Simulation::new(plan("a:5"), move |_| unread(250)).cancelled_at(100, by).run();
        assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
    }
    let once = Simulation::new(plan("a"), move |_| unread(7_200_000))
        .cancelled_at(100, Cancel::GuardLost)
        .run();
    assert_eq!(once.machine.end(), Some(&RunEnd::Complete), "its exit code is all that is asked");
}

#[test]
fn cancelling_before_the_first_look_starts_nothing() {
    let mut run = Simulation::new(plan("a:5"), |_| Agent::exiting(0));
    assert!(run.step());
    run.tell(Input::Cancel(Cancel::Terminate));
    assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(Cancel::Terminate)));
    assert!(run.spawned.is_empty());
}
