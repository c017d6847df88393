//! Tests of checks before the first iteration.

use super::checks::{ALWAYS, checked, with_clean_room};
use super::support::aux_job_scripts::{AuxJobScript, SimulatedRoom};
use super::*;
use crate::check::CheckSpec;
use crate::config::CheckWhen;
use crate::event::{AuxJob, CancelCause, CheckOutcome, LimitChanges};
use crate::id::UnitId;
use crate::machine::CleanRoomFailure;

/// A chain with two checks that are calibrated.
fn calibrated(chain: &str) -> Plan {
    let mut plan = checked(chain, &[CheckWhen::Completion, CheckWhen::Always]);
    plan.steps.iter_mut().for_each(|step| step.calibrate = true);
    plan
}

/// A chain whose check must fail first.
fn strict(chain: &str) -> Plan {
    let mut plan = checked(chain, &ALWAYS);
    for step in &mut plan.steps {
        step.checks[0].value.must_fail_first = true;
    }
    plan
}

/// Checks pass after the first iteration of a step.
fn red_before_work(aux_job: AuxJob) -> AuxJobScript {
    AuxJobScript::exiting(i32::from(is_before_work(aux_job)))
}

fn is_before_work(aux_job: AuxJob) -> bool {
    matches!(aux_job, AuxJob::Check { unit, .. } | AuxJob::Setup { unit } if unit.iteration == 0)
}

fn outcomes(run: &RunSimulation) -> Vec<Vec<CheckOutcome>> {
    let calibrations = run.kinds().filter_map(|kind| match kind {
        EventKind::Calibrated { checks, .. } => Some(checks),
        _ => None,
    });
    calibrations.map(|checks| checks.iter().map(|check| check.outcome).collect()).collect()
}

fn warnings(run: &RunSimulation) -> usize {
    run.kinds().filter(|kind| matches!(kind, EventKind::Warning { .. })).count()
}

#[test]
fn red_checks_before_the_first_iteration_are_as_expected() {
    let run = RunSimulation::new(calibrated("a:3 -> b:3"), |_| SimulatedAgent::done())
        .with_chores(red_before_work)
        .run();
    assert_eq!(outcomes(&run), [[CheckOutcome::Failed; 2]; 2]);
    assert_eq!((warnings(&run), run.spawned.len()), (0, 2));
    assert_eq!(ends(run.machine.state()), "marker marker: complete");
}

#[test]
fn a_green_check_is_a_warning_and_the_run_goes_on() {
    let run = RunSimulation::new(calibrated("a:3"), |_| SimulatedAgent::done()).run();
    assert_eq!(outcomes(&run), [[CheckOutcome::Passed; 2]]);
    assert_eq!(warnings(&run), 2);
    assert_eq!(ends(run.machine.state()), "marker: complete");
}

#[test]
fn a_check_that_must_fail_first_and_is_green_ends_the_step_before_an_agent() {
    let run = RunSimulation::new(strict("a:3"), |_| SimulatedAgent::done()).run();
    assert_eq!(ends(run.machine.state()), "cannot_check: incomplete at 1");
    assert_eq!(run.spawned.len(), 0);
    let run = RunSimulation::new(strict("a:3"), |_| SimulatedAgent::done())
        .with_chores(red_before_work)
        .run();
    assert_eq!(ends(run.machine.state()), "marker: complete");
}

#[test]
fn a_check_that_must_fail_first_and_gives_no_result_ends_the_step_before_an_agent() {
    let setup_fails = |job: AuxJob| match job {
        AuxJob::Setup { .. } => AuxJobScript::exiting(1),
        job => red_before_work(job),
    };
    let plan = with_clean_room(strict("a:3"), Some("npm ci"));
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done()).with_chores(setup_fails).run();
    assert_eq!(ends(run.machine.state()), "cannot_check: incomplete at 1");
    assert_eq!(run.spawned.len(), 0);
    let mut plan = strict("a:3");
    plan.steps[0].checks[0].value.timeout = Limit::At(HumanDuration::from_secs(1));
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript::hanging())
        .run();
    assert_eq!(outcomes(&run), [[CheckOutcome::TimedOut]]);
    assert_eq!(ends(run.machine.state()), "cannot_check: incomplete at 1");
    assert_eq!(run.spawned.len(), 0);
}

#[test]
fn a_resumed_step_that_was_refused_is_calibrated_again() {
    let first = RunSimulation::new(strict("a:3"), |_| SimulatedAgent::done()).run();
    let resumed =
        RunSimulation::resumed(&first.events, LimitChanges::default(), |_| SimulatedAgent::done())
            .with_chores(red_before_work)
            .run();
    assert_eq!(outcomes(&resumed), [[CheckOutcome::Failed]]);
    assert_eq!(ends(resumed.machine.state()), "marker: complete");
}

#[test]
fn a_finished_calibration_is_not_repeated() {
    let whole = RunSimulation::new(calibrated("a:2"), |_| SimulatedAgent::exiting(0))
        .with_chores(red_before_work)
        .run();
    for cut in 1..whole.events.len() {
        let prefix = &whole.events[..cut];
        let is_done = prefix.iter().any(|event| matches!(event.kind, EventKind::Calibrated { .. }));
        let resumed =
            RunSimulation::resumed(prefix, LimitChanges::default(), |_| SimulatedAgent::exiting(0))
                .with_chores(red_before_work)
                .run();
        let again = resumed.aux_jobs.ran.iter().any(|job| is_before_work(*job));
        assert_eq!(again, !is_done, "after {cut} events");
        assert_eq!(ends(resumed.machine.state()), ends(whole.machine.state()));
    }
}

#[test]
fn every_prefix_of_a_refused_start_leads_to_the_same_refusal() {
    let whole = RunSimulation::new(strict("a:2"), |_| SimulatedAgent::done()).run();
    for cut in 1..whole.events.len() {
        let prefix = &whole.events[..cut];
        let resumed =
            RunSimulation::resumed(prefix, LimitChanges::default(), |_| SimulatedAgent::done());
        let resumed = resumed.run();
        assert_eq!(ends(resumed.machine.state()), ends(whole.machine.state()), "{cut}");
        assert_eq!(resumed.spawned.len(), 0, "{cut}");
    }
}

#[test]
fn calibration_uses_the_clean_room() {
    let plan = with_clean_room(calibrated("a:1"), Some("npm ci"));
    let run = RunSimulation::new(plan.clone(), |_| SimulatedAgent::done())
        .with_chores(|job| match job {
            AuxJob::Setup { .. } => AuxJobScript::exiting(0),
            job => red_before_work(job),
        })
        .run();
    assert_eq!((run.aux_jobs.rooms, run.aux_jobs.open_room), (2, None));
    assert_eq!(outcomes(&run), [[CheckOutcome::Failed; 2]]);
    // Without a commit there is nothing that could be green.
    let failing = |unit: UnitId| match unit.iteration {
        0 => SimulatedRoom::Failing(CleanRoomFailure::Work("no commit".to_owned())),
        _ => SimulatedRoom::After(1),
    };
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done()).with_rooms(failing).run();
    assert_eq!(outcomes(&run), [[CheckOutcome::NotRun]]);
    assert_eq!(ends(run.machine.state()), "marker: complete");
}

#[test]
fn a_cancelled_calibration_is_repeated_after_a_resume() {
    let run = RunSimulation::new(calibrated("a:2"), |_| SimulatedAgent::done())
        .with_chores(|_| AuxJobScript::hanging())
        .cancelled_at(50, CancelCause::Terminate)
        .run();
    assert_eq!((outcomes(&run).len(), run.spawned.len()), (0, 0));
    let resumed =
        RunSimulation::resumed(&run.events, LimitChanges::default(), |_| SimulatedAgent::done())
            .with_chores(red_before_work)
            .run();
    assert_eq!(outcomes(&resumed).len(), 1);
    assert_eq!(ends(resumed.machine.state()), "marker: complete");
}

#[test]
fn checks_of_an_agent_are_not_calibrated() {
    let mut plan = calibrated("a:1");
    plan.steps[0].checks[0].value.check = CheckSpec::ExitCode;
    plan.steps[0].checks[1].value.check = CheckSpec::Marker("x".to_owned());
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done()).run();
    assert_eq!(outcomes(&run).len(), 0);
}
