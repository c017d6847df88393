//! Cancelling a run.

use crate::event::{CancelCause, Verdict};
use crate::machine::tests::*;

fn pushes(run: &RunSimulation) -> Vec<(u64, ProcessSignal)> {
    run.signals.iter().map(|(at, signal)| (at.as_secs() - 1000, *signal)).collect()
}

#[test]
fn the_first_signal_is_forwarded_and_the_run_is_interrupted() {
    for (by, signal, code) in [
        (CancelCause::Interrupt, ProcessSignal::Interrupt, 130),
        (CancelCause::Terminate, ProcessSignal::Terminate, 143),
        (CancelCause::Hangup, ProcessSignal::Hangup, 129),
        (CancelCause::OutputClosed, ProcessSignal::Terminate, 141),
        (CancelCause::GuardLost, ProcessSignal::Kill, 137),
    ] {
        let run = RunSimulation::new(plan("a:5 -> b"), |_| SimulatedAgent::hanging())
            .cancelled_at(2000, by)
            .run();
        assert_eq!(pushes(&run), [(2, signal)]);
        assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(by)));
        assert_eq!(run.machine.end().map(RunEnd::exit_code), Some(code));
        assert_eq!(run.machine.state().steps[0].finished, 0);
    }
}

#[test]
fn exit_code_0_after_our_signal_is_no_success() {
    let run = RunSimulation::new(plan("a"), |_| SimulatedAgent::hanging())
        .cancelled_at(2000, CancelCause::Interrupt)
        .run();
    assert_eq!(ends(run.machine.state()), "interrupted: interrupt");
    assert!(run.kinds().any(|kind| matches!(
        kind,
        EventKind::IterationFinished { report, .. } if report.verdict == Verdict::Interrupted
    )));
}

#[test]
fn an_agent_that_ignores_the_signal_is_killed_after_ten_seconds() {
    let run = RunSimulation::new(plan("a:5"), |_| SimulatedAgent {
        obeys: Some(ProcessSignal::Kill),
        ..SimulatedAgent::hanging()
    })
    .cancelled_at(2000, CancelCause::Interrupt)
    .run();
    assert_eq!(pushes(&run), [(2, ProcessSignal::Interrupt), (12, ProcessSignal::Kill)]);
}

#[test]
fn leftovers_of_a_cancelled_agent_get_a_stronger_signal() {
    let agent = || SimulatedAgent {
        stragglers_obey: Some(ProcessSignal::Terminate),
        ..SimulatedAgent::hanging()
    };
    let run = RunSimulation::new(plan("a:5"), move |_| agent())
        .cancelled_at(2000, CancelCause::Interrupt)
        .run();
    assert_eq!(pushes(&run), [(2, ProcessSignal::Interrupt), (3, ProcessSignal::Terminate)]);
}

#[test]
fn a_second_signal_kills_at_once() {
    let run = RunSimulation::new(plan("a:5"), |_| SimulatedAgent {
        obeys: Some(ProcessSignal::Kill),
        ..SimulatedAgent::hanging()
    })
    .cancelled_at(2000, CancelCause::Interrupt)
    .cancelled_at(3000, CancelCause::Interrupt)
    .run();
    assert_eq!(pushes(&run), [(2, ProcessSignal::Interrupt), (3, ProcessSignal::Kill)]);
    assert_eq!(run.took().as_secs(), 3);
}

#[test]
fn a_duplicate_of_the_first_signal_shortens_no_grace_period() {
    for (first, second, signal) in [
        (CancelCause::Interrupt, CancelCause::OutputClosed, ProcessSignal::Interrupt),
        (CancelCause::OutputClosed, CancelCause::Interrupt, ProcessSignal::Terminate),
        (CancelCause::OutputClosed, CancelCause::Hangup, ProcessSignal::Terminate),
        (CancelCause::Hangup, CancelCause::OutputClosed, ProcessSignal::Hangup),
        (CancelCause::Hangup, CancelCause::Hangup, ProcessSignal::Hangup),
    ] {
        let deaf =
            |_| SimulatedAgent { obeys: Some(ProcessSignal::Kill), ..SimulatedAgent::hanging() };
        let run = RunSimulation::new(plan("a:5"), deaf)
            .cancelled_at(2000, first)
            .cancelled_at(3000, second)
            .run();
        assert_eq!(
            pushes(&run),
            [(2, signal), (12, ProcessSignal::Kill)],
            "{first:?}, then {second:?}"
        );
    }
}

#[test]
fn the_strongest_reason_is_reported() {
    let run = RunSimulation::new(plan("a:5"), |_| SimulatedAgent {
        obeys: Some(ProcessSignal::Kill),
        ..SimulatedAgent::hanging()
    })
    .cancelled_at(2000, CancelCause::Terminate)
    .cancelled_at(3000, CancelCause::Hangup)
    .run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(CancelCause::Terminate)));
}

#[test]
fn a_run_that_waits_ends_at_once() {
    let run = RunSimulation::new(plan("a:5"), |_| SimulatedAgent::exiting(1))
        .cancelled_at(500, CancelCause::Interrupt)
        .run();
    assert_eq!(run.took().as_millis(), 500);
    assert_eq!(ends(run.machine.state()), "interrupted: interrupt");
    assert_eq!(run.machine.state().steps[0].finished, 1);
}

#[test]
fn an_agent_that_had_ended_by_itself_keeps_its_outcome() {
    let agent = || SimulatedAgent {
        stragglers_obey: Some(ProcessSignal::Hangup),
        ..SimulatedAgent::exiting(0)
    };
    let run = RunSimulation::new(plan("a:5"), move |_| agent())
        .cancelled_at(500, CancelCause::Interrupt)
        .run();
    assert_eq!(run.machine.state().steps[0].finished, 1);
    assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(CancelCause::Interrupt)));
}

#[test]
fn a_run_whose_last_agent_had_just_finished_is_complete() {
    let agent = || SimulatedAgent {
        stragglers_obey: Some(ProcessSignal::Hangup),
        ..SimulatedAgent::done()
    };
    let run = RunSimulation::new(plan("a:5"), move |_| agent())
        .cancelled_at(500, CancelCause::Interrupt)
        .run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
}

#[test]
fn a_blocked_reader_delays_a_cancelled_run_for_ten_seconds_at_most() {
    let agent = || SimulatedAgent { read_at: 7_200_000, ..SimulatedAgent::exiting(0) };
    let run = RunSimulation::new(plan("a:5"), move |_| agent())
        .cancelled_at(2000, CancelCause::Interrupt)
        .run();
    assert_eq!(run.took().as_secs(), 12);
    let run = RunSimulation::new(plan("a:5"), move |_| agent())
        .cancelled_at(2000, CancelCause::Interrupt)
        .cancelled_at(3000, CancelCause::Interrupt)
        .run();
    assert_eq!(run.took().as_secs(), 3);
}

#[test]
fn a_blocked_reader_does_not_delay_a_run_that_is_cancelled_twice() {
    let agent = || SimulatedAgent {
        read_at: 7_200_000,
        obeys: Some(ProcessSignal::Kill),
        ..SimulatedAgent::hanging()
    };
    let run = RunSimulation::new(plan("a:5"), move |_| agent())
        .cancelled_at(2000, CancelCause::Interrupt)
        .cancelled_at(3000, CancelCause::Interrupt)
        .run();
    assert_eq!(run.took().as_millis(), 3201);
}

#[test]
fn a_loop_whose_output_was_not_read_is_not_judged_by_its_exit_code() {
    let unread =
        |read_at| SimulatedAgent { read_at, says_done_at_end: true, ..SimulatedAgent::exiting(0) };
    for by in [CancelCause::GuardLost, CancelCause::Interrupt] {
        let run = RunSimulation::new(plan("a:5"), move |_| unread(7_200_000))
            .cancelled_at(100, by)
            .cancelled_at(200, by)
            .run();
        assert_eq!(run.machine.state().steps[0].finished, 0);
        assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(by)));
        // Output that is read in time still completes the step.
        let run = RunSimulation::new(plan("a:5"), move |_| unread(250)).cancelled_at(100, by).run();
        assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
    }
    let once = RunSimulation::new(plan("a"), move |_| unread(7_200_000))
        .cancelled_at(100, CancelCause::GuardLost)
        .run();
    assert_eq!(once.machine.end(), Some(&RunEnd::Complete), "its exit code is all that is asked");
}

#[test]
fn cancelling_before_the_first_look_starts_nothing() {
    let mut run = RunSimulation::new(plan("a:5"), |_| SimulatedAgent::exiting(0));
    assert!(run.step());
    run.feed(Input::Cancel(CancelCause::Terminate));
    assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(CancelCause::Terminate)));
    assert!(run.spawned.is_empty());
}
