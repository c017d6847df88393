//! Pausing a run: it stops its agents, but keeps answering requests.

use super::control_requests::{message_request, situations, unit, until};
use crate::control::{AcceptedRequest, ControlReply, ControlRequest, RefusedRequest};
use crate::event::CancelCause;
use crate::history::RunHistory;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::tests::*;

fn pushes(run: &RunSimulation) -> Vec<(u64, ProcessSignal)> {
    run.signals.iter().map(|(at, signal)| (at.as_secs() - 1000, *signal)).collect()
}

fn count(run: &RunSimulation, wanted: &EventKind) -> usize {
    run.kinds().filter(|kind| *kind == wanted).count()
}

fn paused() -> Option<ControlReply> {
    Some(ControlReply::Accepted(AcceptedRequest::Paused))
}

#[test]
fn agents_and_clocks_are_paused_until_continue() {
    let plan = limited("a:1", |limits| limits.timeout = limit("30s"));
    let run = RunSimulation::new(plan, |_| SimulatedAgent::hanging())
        .asked_at(10_000, ControlRequest::Pause)
        .asked_at(11_000, ControlRequest::Pause)
        .asked_at(500_000, ControlRequest::Continue)
        .run();
    assert_eq!(
        pushes(&run),
        [
            (10, ProcessSignal::Suspend),
            (500, ProcessSignal::Continue),
            (520, ProcessSignal::Terminate)
        ]
    );
    assert_eq!(run.machine.state().elapsed.as_secs(), 30);
    assert_eq!((count(&run, &EventKind::Paused), count(&run, &EventKind::Continued)), (1, 1));
    assert_eq!(run.answer(2), paused(), "it does");
}

#[test]
fn inputs_during_a_pause_are_deferred_and_not_lost() {
    let script = |_| SimulatedAgent {
        exits_at: Some(5_000),
        says_done_at: Some(4_000),
        ..SimulatedAgent::exiting(0)
    };
    let run = RunSimulation::new(plan("a:3 -> b"), script)
        .asked_at(1_000, ControlRequest::Pause)
        .asked_at(60_000, ControlRequest::Continue)
        .run();
    assert_eq!(ends(run.machine.state()), "marker exit_code: complete");
    let first = run.events.iter().position(|event| event.kind == EventKind::Paused);
    let second = run.events.iter().position(|event| event.kind == EventKind::Continued);
    assert_eq!(second, first.map(|index| index + 1), "nothing is recorded in between");
    assert_eq!(run.spawned, [unit(1, 1, 1), unit(2, 1, 1)]);
}

#[test]
fn a_run_may_be_paused_anywhere_and_ends_the_same_way() {
    for ((name, plain), (_, mut run)) in situations().into_iter().zip(situations()) {
        let plain = plain.at(3_600_000, Input::Cancel(CancelCause::Terminate)).run();
        run.ask(ControlRequest::Pause);
        while run.step() {}
        assert!(run.machine.end().is_none(), "{name}: it stands still");
        run.ask(ControlRequest::Continue);
        let run = run.at(4_000_000, Input::Cancel(CancelCause::Terminate)).run();
        assert_eq!(ends(run.machine.state()), ends(plain.machine.state()), "{name}");
        assert_eq!(run.spawned, plain.spawned, "{name}");
    }
}

#[test]
fn an_agent_that_was_about_to_be_started_is_stopped_when_it_runs() {
    let run = RunSimulation::new(plan("a:3"), |_| SimulatedAgent::exiting(0));
    let mut run = until(run, |phase| matches!(phase, MachinePhase::AgentRunning(_)));
    assert!(!run.kinds().any(|kind| matches!(kind, EventKind::AgentStarted { .. })));
    run.ask(ControlRequest::Pause);
    while run.step() {}
    assert!(run.kinds().any(|kind| matches!(kind, EventKind::AgentStarted { .. })));
    assert_eq!(pushes(&run), [(0, ProcessSignal::Suspend), (0, ProcessSignal::Suspend)]);
}

#[test]
fn the_two_causes_of_a_pause_are_independent() {
    // The process is suspended and continued after an hour, but the operator's pause holds.
    let run = |first: Input, second: Input| {
        RunSimulation::new(plan("a:1"), |_| SimulatedAgent {
            exits_at: Some(9_000_000),
            ..SimulatedAgent::exiting(0)
        })
        .at(1000, first)
        .at(2000, second)
        .asked_at(7_200_000, ControlRequest::Continue)
        .run()
    };
    let ask = || Input::ControlRequested { ticket: 99, request: ControlRequest::Pause };
    for run in [run(ask(), Input::Pause), run(Input::Pause, ask())] {
        assert_eq!((count(&run, &EventKind::Paused), count(&run, &EventKind::Continued)), (1, 1));
        let [(_, ProcessSignal::Suspend), (at, ProcessSignal::Continue)] = pushes(&run)[..] else {
            panic!("{:?}", run.signals)
        };
        assert_eq!(at, 7200, "not when our process went on");
    }
}

#[test]
fn a_suspension_of_our_process_needs_no_request() {
    let mut run =
        RunSimulation::new(plan("a:1"), |_| SimulatedAgent::hanging()).at(10, Input::Pause);
    while !run.events.iter().any(|event| event.kind == EventKind::Paused) {
        assert!(run.step());
    }
    assert_eq!(
        run.ask(ControlRequest::Continue),
        Some(ControlReply::Refused(RefusedRequest::NotPaused))
    );
}

#[test]
fn a_paused_run_can_be_ended_without_continue() {
    for (by, signal) in [
        (CancelCause::Terminate, ProcessSignal::Terminate),
        (CancelCause::GuardLost, ProcessSignal::Kill),
    ] {
        let run = RunSimulation::new(plan("a:3"), |_| SimulatedAgent::hanging())
            .asked_at(1000, ControlRequest::Pause)
            .cancelled_at(5000, by)
            .run();
        assert_eq!(
            pushes(&run),
            [(1, ProcessSignal::Suspend), (5, ProcessSignal::Continue), (5, signal)]
        );
        assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(by)));
    }
    let run = RunSimulation::new(plan("a:3"), |_| SimulatedAgent::hanging())
        .asked_at(1000, ControlRequest::Pause)
        .asked_at(5000, ControlRequest::StopNow)
        .run();
    assert_eq!(ends(run.machine.state()), "interrupted: stop_now");
}

/// A process that had ended by itself before the cancellation does not count as cut off.
#[test]
fn events_before_the_end_count() {
    let run = RunSimulation::new(plan("a:3 -> b"), |_| SimulatedAgent {
        exits_at: Some(2000),
        ..SimulatedAgent::done()
    })
    .asked_at(1000, ControlRequest::Pause)
    .cancelled_at(5000, CancelCause::Interrupt)
    .run();
    assert_eq!(ends(run.machine.state()), "marker pending: interrupt");
    assert_eq!(run.spawned.len(), 1, "nothing is started on the way out");
}

#[test]
fn nothing_is_started_between_the_pause_and_the_end() {
    for (name, mut run) in situations() {
        run.ask(ControlRequest::Pause);
        while run.step() {}
        let (agents, jobs) = (run.spawned.len(), run.aux_jobs.ran.len());
        run.feed(Input::Cancel(CancelCause::Terminate));
        let run = run.run();
        assert_eq!((run.spawned.len(), run.aux_jobs.ran.len()), (agents, jobs), "{name}");
    }
}

#[test]
fn a_paused_run_accepts_all_other_requests() {
    let script = |id: crate::id::UnitId| match id.iteration {
        1 => SimulatedAgent { exits_at: Some(500), ..SimulatedAgent::exiting(0) },
        _ => SimulatedAgent::hanging(),
    };
    let base = || RunSimulation::new(plan("a:3 -> b"), script).asked_at(100, ControlRequest::Pause);
    // A message waits.
    let steered =
        base().asked_at(1000, message_request("x")).asked_at(2000, ControlRequest::Continue);
    let steered = steered.asked_at(3000, ControlRequest::StopNow).run();
    assert!(
        steered.kinds().any(
            |kind| matches!(kind, EventKind::MessagesGiven { unit, .. } if unit.iteration == 2)
        )
    );
    // A stop after a paused iteration waits for the iteration.
    let stopped =
        base().asked_at(1000, ControlRequest::Stop).asked_at(9000, ControlRequest::Continue).run();
    assert_eq!(
        (ends(stopped.machine.state()).as_str(), stopped.took().as_secs()),
        ("interrupted pending: stop", 9)
    );
    assert_eq!(stopped.spawned.len(), 1);
    // Skipping a step continues with the next one.
    let skipped = base().asked_at(1000, ControlRequest::Skip).run();
    assert_eq!(ends(skipped.machine.state()), "skipped exit_code: complete");
    assert_eq!(count(&skipped, &EventKind::Continued), 1);
}

#[test]
fn a_stop_while_nothing_is_at_work_needs_no_continue() {
    for (name, mut run) in situations() {
        if !["looking", "backing off", "waiting", "asking"].contains(&name) {
            continue;
        }
        run.ask(ControlRequest::Pause);
        while run.step() {}
        let agents = run.spawned.len();
        run.ask(ControlRequest::Stop);
        assert_eq!(run.machine.end(), Some(&RunEnd::Interrupted(CancelCause::Stop)), "{name}");
        assert_eq!((run.spawned.len(), count(&run, &EventKind::Continued)), (agents, 1), "{name}");
    }
}

#[test]
fn a_viewer_sees_the_reason_of_a_wait() {
    let run = RunSimulation::new(plan("a:3"), |_| SimulatedAgent::exiting(1))
        .asked_at(500, ControlRequest::Pause)
        .asked_at(60_500, ControlRequest::Continue)
        .asked_at(60_600, ControlRequest::Stop)
        .run();
    let after =
        |is_last: fn(&EventKind) -> bool| RunHistory::of(&up_to(&run, is_last)).expect("they fit");
    let waits = after(|kind| matches!(kind, EventKind::BackingOff { .. }));
    let stands = after(|kind| *kind == EventKind::Paused);
    let goes_on = after(|kind| *kind == EventKind::Continued);
    let until = |history: &RunHistory| history.pending_wait().map(|waiting| waiting.until);
    let paused = [&waits, &stands, &goes_on].map(|history| history.steering.paused.is_some());
    assert_eq!(paused, [false, true, false]);
    let minute_later = until(&waits).map(|until| until.saturating_add(seconds(60)));
    assert_eq!((until(&stands), until(&goes_on)), (until(&waits), minute_later));
    let whole = RunHistory::of(&run.events).expect("they fit");
    assert!(whole.pending_wait().is_none() && whole.steering.stop_requested.is_some());
}
