//! Skipping a step.

use super::control_requests::{situations, unit, until};
use crate::config::{CheckWhen, OnHookError};
use crate::control::ControlRequest;
use crate::event::{AuxJob, CancelCause, LimitChanges, StepEnd};
use crate::hook::HookPoint;
use crate::id::UnitId;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::tests::checks::{ON_COMPLETION, checked};
use crate::machine::tests::hooks::hooked;
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;
use crate::machine::tests::*;

/// The first step hangs, and the others succeed.
fn first_hangs(id: UnitId) -> SimulatedAgent {
    if id.step == 1 { SimulatedAgent::hanging() } else { SimulatedAgent::exiting(0) }
}

#[test]
fn the_agent_at_work_is_ended_and_the_next_step_begins() {
    let run = RunSimulation::new(plan("a:5 -> b"), first_hangs)
        .asked_at(2000, ControlRequest::Skip)
        .run();
    assert_eq!(ends(run.machine.state()), "skipped exit_code: complete");
    assert_eq!(run.spawned, [unit(1, 1, 1), unit(2, 1, 1)]);
    assert_eq!(
        (endings(&run), verdicts(&run)),
        (vec![StopReason::Skipped], vec!["ended", "complete"])
    );
    assert_eq!(run.machine.state().complete_steps(), 1, "it is behind us, but it is not done");
    assert_eq!(run.machine.end().map(RunEnd::exit_code), Some(0));
}

#[test]
fn an_agent_that_runs_once_is_skipped_as_well_and_so_is_the_last_step() {
    let run = RunSimulation::new(plan("a"), first_hangs).asked_at(2000, ControlRequest::Skip).run();
    assert_eq!(ends(run.machine.state()), "skipped: complete");
}

#[test]
fn a_process_that_ignores_sigterm_is_killed() {
    let deaf = |_| SimulatedAgent { obeys: Some(ProcessSignal::Kill), ..SimulatedAgent::hanging() };
    let run = RunSimulation::new(plan("a"), deaf).asked_at(2000, ControlRequest::Skip).run();
    assert_eq!(
        (run.took().as_secs(), ends(run.machine.state()).as_str()),
        (12, "skipped: complete")
    );
}

#[test]
fn an_agent_that_had_said_that_it_is_done_has_completed_its_step() {
    let claiming = |_| SimulatedAgent { exits_at: None, ..SimulatedAgent::done() };
    let run = RunSimulation::new(plan("a:5"), claiming).asked_at(2000, ControlRequest::Skip).run();
    assert_eq!(ends(run.machine.state()), "marker: complete");
    // Without its checks the claim is not accepted.
    let run = RunSimulation::new(checked("a:5", &ON_COMPLETION), claiming)
        .asked_at(2000, ControlRequest::Skip);
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "skipped: complete");
    assert!(run.aux_jobs.ran.is_empty(), "no check is run");
}

#[test]
fn a_step_is_skipped_wherever_it_stands_and_nothing_of_it_is_started_any_more() {
    for (name, mut run) in situations() {
        if name == "at the end" {
            continue;
        }
        let (agents, jobs) = (run.spawned.len(), run.aux_jobs.ran.len());
        run.ask(ControlRequest::Skip);
        run.later(seconds(100), Input::Cancel(CancelCause::Terminate));
        let run = run.run();
        let end = run.machine.state().steps[0].end();
        let expected = if name == "surveying" { "marker" } else { "skipped" };
        assert_eq!(end.map(StepEnd::as_str), Some(expected), "{name}");
        let of_first = |id: &&UnitId| id.step == 1;
        assert_eq!(run.spawned[agents..].iter().find(of_first), None, "{name}");
        let is_of_first = |aux_job: &&AuxJob| match aux_job {
            AuxJob::Setup { unit } | AuxJob::Check { unit, .. } => unit.step == 1,
            AuxJob::Hook { moment, .. } => {
                moment.point == HookPoint::PreIteration
                    && moment.unit.is_some_and(|unit| unit.step == 1)
            }
        };
        assert_eq!(run.aux_jobs.ran[jobs..].iter().find(is_of_first), None, "{name}");
        assert!(run.spawned.iter().any(|id| id.step == 2), "{name}: the next step begins");
    }
}

#[test]
fn a_required_hook_that_was_cancelled_has_not_failed() {
    for point in [HookPoint::PreIteration, HookPoint::PostIteration] {
        let plan = hooked(plan("a:2 -> b"), &[(point, OnHookError::Abort)]);
        let run = RunSimulation::new(plan, |_| SimulatedAgent::exiting(0)).with_chores(|aux_job| {
            match aux_job {
                AuxJob::Hook { moment, .. } if moment.unit.is_some_and(|unit| unit.step == 1) => {
                    AuxJobScript::hanging()
                }
                _ => AuxJobScript::exiting(0),
            }
        });
        let mut run = until(run, |phase| matches!(phase, MachinePhase::RunningHooks(_)));
        run.ask(ControlRequest::Skip);
        assert_eq!(ends(run.run().machine.state()), "skipped exit_code: complete", "{point}");
    }
}

#[test]
fn a_hook_that_had_failed_by_itself_does_not_end_the_run_either() {
    let plan = hooked(plan("a:2 -> b"), &[(HookPoint::PreIteration, OnHookError::Abort)]);
    let failing = |aux_job| match aux_job {
        AuxJob::Hook { moment, .. } if moment.unit.is_some_and(|unit| unit.step == 1) => {
            AuxJobScript {
                stragglers_obey: Some(ProcessSignal::Terminate),
                ..AuxJobScript::exiting(1)
            }
        }
        _ => AuxJobScript::exiting(0),
    };
    let run = RunSimulation::new(plan, |_| SimulatedAgent::exiting(0)).with_chores(failing);
    let run = run.asked_at(500, ControlRequest::Skip).run();
    assert_eq!(ends(run.machine.state()), "skipped exit_code: complete");
}

#[test]
fn a_run_that_was_killed_before_the_step_had_ended_ends_it_at_once() {
    for (name, mut run) in situations() {
        if ["new", "at the end", "surveying"].contains(&name) {
            continue;
        }
        run.ask(ControlRequest::Skip);
        let events = up_to(&run, |kind| matches!(kind, EventKind::SkipRequested { .. }));
        let rest = RunSimulation::resumed(&events, LimitChanges::default(), |_| {
            SimulatedAgent::exiting(0)
        })
        .run();
        assert_eq!(rest.spawned, [unit(2, 1, 1)], "{name}: step 1 is skipped");
        assert_eq!(ends(rest.machine.state()), "skipped exit_code: complete", "{name}");
    }
}

#[test]
fn a_skipped_step_stays_skipped_after_a_resume() {
    let script = |id: UnitId| {
        if id.step == 1 { SimulatedAgent::hanging() } else { SimulatedAgent::exiting(1) }
    };
    let run =
        RunSimulation::new(plan("a:5 -> b"), script).asked_at(2000, ControlRequest::Skip).run();
    assert_eq!(ends(run.machine.state()), "skipped failed: incomplete at 2");
    let again = RunSimulation::resumed(&run.events, LimitChanges::default(), |_| {
        SimulatedAgent::exiting(0)
    })
    .run();
    assert_eq!(ends(again.machine.state()), "skipped exit_code: complete");
    assert_eq!(again.spawned, [unit(2, 1, 2)]);
}

#[test]
fn a_cancel_after_a_skip_keeps_the_step_skipped() {
    let deaf = |id: UnitId| match id.step {
        1 => SimulatedAgent { obeys: Some(ProcessSignal::Kill), ..SimulatedAgent::hanging() },
        _ => SimulatedAgent::exiting(0),
    };
    let run = RunSimulation::new(plan("a:5 -> b"), deaf)
        .asked_at(2000, ControlRequest::Skip)
        .cancelled_at(3000, CancelCause::Interrupt)
        .run();
    assert_eq!(ends(run.machine.state()), "interrupted pending: interrupt");
    let again = RunSimulation::resumed(&run.events, LimitChanges::default(), deaf).run();
    assert_eq!(ends(again.machine.state()), "skipped exit_code: complete");
}

#[test]
fn skip_and_stop_together_end_the_run_after_the_step() {
    for requests in
        [[ControlRequest::Skip, ControlRequest::Stop], [ControlRequest::Stop, ControlRequest::Skip]]
    {
        let [first, second] = requests;
        let run = RunSimulation::new(plan("a:5 -> b"), first_hangs)
            .asked_at(2000, first)
            .asked_at(2000, second)
            .run();
        assert_eq!(ends(run.machine.state()), "skipped pending: stop");
    }
}

#[test]
fn earlier_check_results_are_kept_and_the_rest_is_not_run() {
    let run =
        RunSimulation::new(checked("a:5", &[CheckWhen::Completion; 3]), |_| SimulatedAgent::done());
    let mut run = until(run, |phase| matches!(phase, MachinePhase::Inspecting(_)));
    while run.aux_jobs.ran.len() < 2 {
        assert!(run.step());
    }
    run.ask(ControlRequest::Skip);
    let run = run.run();
    assert_eq!((run.aux_jobs.ran.len(), verdicts(&run)), (2, vec!["ended"]));
    let checks = run.kinds().filter_map(|kind| match kind {
        EventKind::IterationFinished { report, .. } => Some(report.checks.len()),
        _ => None,
    });
    assert_eq!(checks.collect::<Vec<_>>(), [1]);
    assert_eq!(run.aux_jobs.open_room, None);
}
