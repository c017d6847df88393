//! Stopping a run after the current iteration.

use super::control_requests::{situations, unit, until};
use crate::config::OnHookError;
use crate::control::{AcceptedRequest, ControlReply, ControlRequest};
use crate::event::{AuxJob, CancelCause, LimitChanges};
use crate::hook::HookPoint;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::tests::checks::{ON_COMPLETION, checked};
use crate::machine::tests::hooks::hooked;
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;
use crate::machine::tests::*;

fn stopped() -> Option<RunEnd> {
    Some(RunEnd::Interrupted(CancelCause::Stop))
}

#[test]
fn the_iteration_at_work_is_let_finish_and_no_other_is_begun() {
    let slow = |_| SimulatedAgent { exits_at: Some(9_000), ..SimulatedAgent::exiting(0) };
    let run = RunSimulation::new(plan("a:5 -> b"), slow).asked_at(2000, ControlRequest::Stop).run();
    assert_eq!(ends(run.machine.state()), "interrupted pending: stop");
    assert_eq!((run.spawned.len(), run.took().as_secs()), (1, 9));
    assert_eq!((verdicts(&run), run.signals.len()), (vec!["incomplete"], 0));
    assert_eq!(run.machine.end().map(RunEnd::exit_code), Some(130));
    let names: Vec<bool> = run
        .kinds()
        .filter_map(|kind| match kind {
            EventKind::StopRequested => Some(false),
            EventKind::Cancelled { by: CancelCause::Stop } => Some(true),
            _ => None,
        })
        .collect();
    assert_eq!(names, [false, true], "what is asked for comes before what comes of it");
}

#[test]
fn checks_and_hooks_of_the_iteration_at_work_belong_to_it() {
    let points = [HookPoint::PreIteration, HookPoint::PostIteration, HookPoint::OnInterrupt];
    let plan =
        hooked(checked("a:5", &ON_COMPLETION), &points.map(|at| (at, OnHookError::Continue)));
    let run = RunSimulation::new(plan, |_| SimulatedAgent {
        exits_at: Some(3000),
        ..SimulatedAgent::done()
    })
    .with_chores(|aux_job| {
        AuxJobScript::exiting(i32::from(matches!(aux_job, AuxJob::Check { .. })))
    })
    .asked_at(2000, ControlRequest::Stop)
    .run();
    assert_eq!((run.machine.end().cloned(), verdicts(&run)), (stopped(), vec!["refused"]));
    let is_check = |aux_job: &AuxJob| matches!(aux_job, AuxJob::Check { .. });
    let ran: Vec<bool> = run.aux_jobs.ran.iter().map(is_check).collect();
    assert_eq!(ran, [false, true, false, false], "before, check, after, at the end");
}

#[test]
fn a_run_whose_last_step_is_done_by_then_is_complete() {
    let slow = |_| SimulatedAgent { exits_at: Some(9_000), ..SimulatedAgent::done() };
    let run = RunSimulation::new(plan("a:5"), slow).asked_at(2000, ControlRequest::Stop).run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
    assert!(!run.kinds().any(|kind| matches!(kind, EventKind::Cancelled { .. })));
    let run = RunSimulation::new(plan("a:5 -> b"), slow).asked_at(2000, ControlRequest::Stop).run();
    assert_eq!(ends(run.machine.state()), "marker pending: stop");
}

#[test]
fn a_run_of_which_nothing_is_at_work_ends_at_once() {
    for (name, mut run) in situations() {
        if !["looking", "backing off", "waiting", "asking"].contains(&name) {
            continue;
        }
        let before = run.spawned.len();
        run.ask(ControlRequest::Stop);
        assert_eq!(run.machine.end().cloned(), stopped(), "{name}");
        assert_eq!(run.spawned.len(), before, "{name}");
    }
}

#[test]
fn a_hook_before_an_agent_is_let_finish_but_the_agent_is_not_started() {
    let hooks = [(HookPoint::PreIteration, OnHookError::Continue); 2];
    let run = RunSimulation::new(hooked(plan("a:2"), &hooks), |_| SimulatedAgent::done());
    let mut run = until(run, |phase| matches!(phase, MachinePhase::RunningHooks(_)));
    let reply = ControlReply::Accepted(AcceptedRequest::Stops { after: None });
    assert_eq!(run.ask(ControlRequest::Stop), Some(reply));
    let run = run.run();
    assert_eq!((run.machine.end().cloned(), run.spawned.len()), (stopped(), 0));
    assert_eq!((run.aux_jobs.ran.len(), run.aux_jobs.signals.len()), (1, 0));
    let again =
        RunSimulation::resumed(&run.events, LimitChanges::default(), |_| SimulatedAgent::done())
            .run();
    assert_eq!((again.aux_jobs.ran.len(), again.spawned.len()), (1, 1), "the first one has run");
}

#[test]
fn asking_twice_is_noted_once() {
    let mut run = RunSimulation::new(plan("a:5"), |_| SimulatedAgent {
        exits_at: Some(90),
        ..SimulatedAgent::hanging()
    });
    run = until(run, |phase| matches!(phase, MachinePhase::AgentRunning(_)));
    let reply = ControlReply::Accepted(AcceptedRequest::Stops { after: Some(unit(1, 1, 1)) });
    assert_eq!(
        (run.ask(ControlRequest::Stop), run.ask(ControlRequest::Stop)),
        (Some(reply), Some(reply))
    );
    let run = run.run();
    assert_eq!(run.kinds().filter(|kind| **kind == EventKind::StopRequested).count(), 1);
}

#[test]
fn a_resume_clears_a_pending_stop() {
    let script = |id: crate::id::UnitId| match id.iteration {
        1 => SimulatedAgent { exits_at: Some(5000), ..SimulatedAgent::exiting(0) },
        _ => SimulatedAgent::done(),
    };
    let first = RunSimulation::new(plan("a:5"), script).asked_at(2000, ControlRequest::Stop).run();
    assert_eq!(first.machine.end().cloned(), stopped());
    let killed = up_to(&first, |kind| *kind == EventKind::StopRequested);
    for (events, expected) in [(first.events, unit(1, 2, 1)), (killed, unit(1, 1, 2))] {
        let again = RunSimulation::resumed(&events, LimitChanges::default(), script).run();
        assert_eq!(again.spawned[0], expected);
        assert_eq!(again.machine.end(), Some(&RunEnd::Complete));
    }
}

#[test]
fn to_stop_now_is_to_end_the_agent_and_twice_is_to_kill_it() {
    let deaf = |_| SimulatedAgent { obeys: Some(ProcessSignal::Kill), ..SimulatedAgent::hanging() };
    let once = RunSimulation::new(plan("a:5"), deaf).asked_at(2000, ControlRequest::StopNow).run();
    let signals: Vec<ProcessSignal> = once.signals.iter().map(|(_, signal)| *signal).collect();
    assert_eq!(
        (signals, once.took().as_secs()),
        (vec![ProcessSignal::Terminate, ProcessSignal::Kill], 12)
    );
    let twice = RunSimulation::new(plan("a:5"), deaf)
        .asked_at(2000, ControlRequest::StopNow)
        .asked_at(3000, ControlRequest::StopNow)
        .run();
    assert_eq!(twice.took().as_secs(), 3);
    assert_eq!(ends(twice.machine.state()), "interrupted: stop_now");
}

#[test]
fn a_stop_now_ends_the_agent_of_a_pending_stop() {
    for request in [ControlRequest::StopNow, ControlRequest::Stop] {
        let run = RunSimulation::new(plan("a:5"), |_| SimulatedAgent::hanging())
            .asked_at(2000, ControlRequest::Stop)
            .asked_at(3000, request.clone())
            .cancelled_at(4000, CancelCause::Interrupt)
            .run();
        let end = if request == ControlRequest::StopNow { "stop_now" } else { "interrupt" };
        assert_eq!(ends(run.machine.state()), format!("interrupted: {end}"));
    }
}
