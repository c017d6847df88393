//! The survey of a step's work before the step ends.

use super::checks::{ON_COMPLETION, checked};
use super::support::aux_job_scripts::AuxJobScript;
use super::*;
use crate::config::OnCycle;
use crate::event::{CancelCause, LimitChanges, Observation};
use crate::id::UnitId;
use crate::plan::Sourced;

fn names(run: &RunSimulation) -> Vec<&'static str> {
    run.kinds()
        .filter_map(|kind| match kind {
            EventKind::StepStarted { .. } => Some("step started"),
            EventKind::Surveyed { .. } => Some("surveyed"),
            EventKind::StepFinished { .. } => Some("step finished"),
            EventKind::RunFinished { .. } => Some("run finished"),
            _ => None,
        })
        .collect()
}

#[test]
fn the_work_is_surveyed_before_the_step_ends() {
    let run = RunSimulation::new(plan("a -> b"), |_| SimulatedAgent::exiting(0))
        .in_repository(Some(20))
        .run();
    let step = ["step started", "surveyed", "step finished"];
    assert_eq!(names(&run), [&step[..], &step, &["run finished"]].concat());
    assert!(run.machine.state().steps.iter().all(|step| step.work.is_some()));
}

#[test]
fn outside_a_repository_nothing_is_surveyed() {
    let run = RunSimulation::new(plan("a"), |_| SimulatedAgent::exiting(0)).run();
    assert_eq!((run.aux_jobs.surveys, names(&run).contains(&"surveyed")), (0, false));
}

#[test]
fn a_survey_that_never_answers_is_not_waited_for_long() {
    let run =
        RunSimulation::new(plan("a"), |_| SimulatedAgent::exiting(0)).in_repository(None).run();
    assert_eq!(ends(run.machine.state()), "exit_code: complete");
    assert_eq!((run.took().as_secs(), names(&run).contains(&"surveyed")), (10, false));
    let cancelled = RunSimulation::new(plan("a"), |_| SimulatedAgent::hanging())
        .in_repository(None)
        .cancelled_at(5000, CancelCause::Interrupt)
        .run();
    assert_eq!(cancelled.took().as_secs(), 6);
}

#[test]
fn cancelling_in_a_survey_keeps_the_end_of_the_step_and_starts_no_other() {
    for by in [CancelCause::Interrupt, CancelCause::GuardLost] {
        let run = RunSimulation::new(plan("a -> b"), |_| SimulatedAgent::exiting(0))
            .in_repository(None)
            .cancelled_at(5000, by)
            .run();
        assert_eq!(ends(run.machine.state()), format!("exit_code pending: {}", by.as_str()));
        assert_eq!((run.took().as_secs(), run.spawned.len()), (5, 1));
    }
}

#[test]
fn a_second_cancel_skips_the_survey() {
    let run = RunSimulation::new(plan("a"), |_| SimulatedAgent::hanging())
        .in_repository(None)
        .cancelled_at(5000, CancelCause::Interrupt)
        .cancelled_at(5000, CancelCause::Interrupt)
        .run();
    assert_eq!((run.aux_jobs.surveys, run.took().as_secs()), (0, 5));
}

#[test]
fn a_run_without_its_guard_is_surveyed_for_at_most_a_second() {
    let killed = |answers_after| {
        RunSimulation::new(plan("a"), |_| SimulatedAgent::hanging())
            .in_repository(answers_after)
            .cancelled_at(5000, CancelCause::GuardLost)
            .run()
    };
    let seen = killed(Some(20));
    assert!(seen.machine.state().steps[0].work.is_some());
    assert_eq!(seen.took().as_secs(), 5);
    let unseen = killed(None);
    assert_eq!((unseen.aux_jobs.surveys, unseen.took().as_secs()), (1, 6));
}

#[test]
fn a_second_signal_prevents_the_survey_of_a_run_without_its_guard() {
    let run = RunSimulation::new(plan("a"), |_| SimulatedAgent::hanging())
        .in_repository(None)
        .cancelled_at(5000, CancelCause::GuardLost)
        .cancelled_at(5000, CancelCause::Interrupt)
        .run();
    assert_eq!((run.aux_jobs.surveys, run.took().as_secs()), (0, 5));
}

#[test]
fn a_second_signal_ends_a_survey_of_a_cancelled_run() {
    let run = RunSimulation::new(plan("a"), |_| SimulatedAgent::hanging())
        .in_repository(None)
        .cancelled_at(5000, CancelCause::Interrupt)
        .cancelled_at(5500, CancelCause::Interrupt)
        .run();
    assert_eq!((run.took().as_millis(), run.aux_jobs.surveys), (5500, 1));
}

/// The step has not ended yet, so the outcome of its last iteration decides again.
#[test]
fn a_run_that_was_killed_in_a_survey_ends_as_it_would_have() {
    let run =
        RunSimulation::new(plan("a:2"), |_| SimulatedAgent::done()).in_repository(Some(20)).run();
    let events = up_to(&run, |kind| matches!(kind, EventKind::Surveyed { .. }));
    let again =
        RunSimulation::resumed(&events, LimitChanges::default(), |_| SimulatedAgent::exiting(1));
    let again = again.in_repository(Some(20)).run();
    assert_eq!((ends(again.machine.state()), again.spawned.len()), ("marker: complete".into(), 0));
}

#[test]
fn a_late_answer_says_nothing_about_another_step() {
    let run = RunSimulation::new(plan("a -> b"), |_| SimulatedAgent::exiting(0))
        .in_repository(Some(15_000));
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "exit_code exit_code: complete");
    assert_eq!(run.took().as_secs(), 20);
    assert!(!names(&run).contains(&"surveyed"));
}

#[test]
fn a_snapshot_reported_twice_counts_once() {
    let mut plan = checked("a:2", &ON_COMPLETION);
    plan.snapshots = true;
    let agent = |_| SimulatedAgent { tree: Some('x'), ..SimulatedAgent::done() };
    let run = RunSimulation::new(plan, agent).in_repository(Some(1));
    let run = run.with_chores(|_| AuxJobScript::exiting(1)).run();
    assert_eq!(run.machine.state().snapshots, 2);
}

fn cycling(on_cycle: Option<OnCycle>, trees: &'static str) -> RunSimulation {
    let mut plan = plan("a:4");
    plan.steps[0].on_cycle = on_cycle.map(Sourced::default);
    let tree = |unit: UnitId| trees.chars().nth(unit.iteration as usize - 1);
    RunSimulation::new(plan, move |unit| SimulatedAgent {
        tree: tree(unit),
        ..SimulatedAgent::exiting(0)
    })
    .in_repository(Some(1))
    .run()
}

#[test]
fn a_repeated_work_tree_is_reported() {
    let run = cycling(None, "xyxz");
    assert_eq!(ends(run.machine.state()), "max_iterations: incomplete at 1");
    assert_eq!(warnings(&run), ["the work tree is again what it was after iteration 1"]);
    assert_eq!(warnings(&cycling(Some(OnCycle::Report), "xxyy")), Vec::<&str>::new());
}

#[test]
fn a_work_tree_that_comes_back_may_end_the_step() {
    let run = cycling(Some(OnCycle::Stop), "xyxz");
    assert_eq!(ends(run.machine.state()), "cycling: incomplete at 1");
    assert_eq!(run.spawned.len(), 3);
    // A resume tries the step again.
    let again = RunSimulation::resumed(&run.events, LimitChanges::default(), |_| SimulatedAgent {
        tree: Some('z'),
        ..SimulatedAgent::exiting(0)
    });
    assert_eq!(again.in_repository(Some(1)).run().spawned.len(), 1);
}

#[test]
fn the_initial_tree_may_repeat_too() {
    let mut run = RunSimulation::new(plan("a:2"), |unit| SimulatedAgent {
        tree: Some(if unit.iteration == 1 { 'x' } else { 'b' }),
        ..SimulatedAgent::exiting(0)
    });
    assert!(run.step());
    let observation = Observation {
        tree: Some(crate::event::Fingerprint("b".to_owned())),
        ..Observation::default()
    };
    run.feed(Input::Observed { step: 1, observation });
    let run = run.run();
    assert_eq!(warnings(&run), ["the work tree is again what it was before the first iteration"]);
}
