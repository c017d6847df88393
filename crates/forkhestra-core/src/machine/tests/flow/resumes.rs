//! What a resume keeps of steps that have ended: why a round was refused, or a step replaced.

use super::support::{command, protecting, story_line, with_condition};
use crate::config::CheckWhen;
use crate::control::ControlRequest;
use crate::event::{CancelCause, LimitChanges, StepEnd, WorkTreeSnapshot};
use crate::id::UnitId;
use crate::machine::Machine;
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;
use crate::machine::tests::support::run_simulation::{fold, start};
use crate::machine::tests::*;
use crate::plan::Sourced;
use crate::policy::GracePeriods;
use crate::text::count::Count;

fn unrestored(run: &RunSimulation, step: usize) -> Vec<usize> {
    let files = run.machine.state().unrestored_files(step);
    files.into_iter().map(|files| files.step).collect()
}

fn until_spawned(mut run: RunSimulation, agents: usize) -> RunSimulation {
    while run.spawned.len() < agents {
        assert!(run.step(), "it goes on: {}", story_line(&run));
    }
    run
}

fn resumed(events: &[Event], script: impl Fn(UnitId) -> SimulatedAgent + 'static) -> RunSimulation {
    RunSimulation::resumed(events, LimitChanges::default(), script)
}

/// The alternative waits for its condition when the run is cut off.
#[test]
fn a_replaced_step_keeps_its_last_iteration_and_its_protected_changes() {
    let mut plan = with_condition(protecting(plan("a else b")), 2, None);
    plan.steps[0].limits.time.value = limit("5s").expect("a time");
    let script = |unit: UnitId| match unit.step {
        1 => SimulatedAgent { spoils: true, ..SimulatedAgent::hanging() },
        _ => SimulatedAgent::exiting(0),
    };
    let whole = RunSimulation::new(plan, script).run();
    assert_eq!(ends(whole.machine.state()), "step_time exit_code: complete");
    assert_eq!(unrestored(&whole, 2), [1]);
    let cut = up_to(&whole, |kind| matches!(kind, EventKind::ConditionChecked { .. })).len() - 1;
    let rest = resumed(&whole.events[..cut], script);
    assert_eq!(rest.machine.state().steps[0].iterations(), 1);
    let rest = rest.run();
    assert_eq!(rest.machine.end(), whole.machine.end());
    assert_eq!(unrestored(&rest, 2), unrestored(&whole, 2));
}

#[test]
fn a_resumed_loop_that_could_not_work_still_ends_the_group() {
    let script = |unit: UnitId| match unit.step {
        1 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(127),
    };
    let run = RunSimulation::new(plan("(a:1 -> b:2):3"), script).run();
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::MaxIterations };
    assert_eq!(run.machine.end(), Some(&end));
    let again = resumed(&run.events, script).run();
    assert_eq!((again.machine.end(), again.spawned.len()), (Some(&end), 0));
    assert_eq!(fold(&[run.events, again.events.clone()].concat()), *again.machine.state());
}

#[test]
fn a_resumed_loop_keeps_the_reason_why_it_did_not_accept() {
    let script = |unit: UnitId| match unit.step {
        1 => SimulatedAgent { exits_at: Some(2_000), ..SimulatedAgent::done() },
        _ => SimulatedAgent { exits_at: Some(2_000), ..SimulatedAgent::exiting(0) },
    };
    let mut limited = plan("(a:1 -> b:1):2");
    limited.limits.time.value = limit("4s").expect("a time");
    let run = RunSimulation::new(limited, script).run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Incomplete { step: 2, end: StepEnd::RunTime }));
    let changes = LimitChanges { run_time: limit("60s"), ..LimitChanges::default() };
    let more = RunSimulation::resumed(&run.events, changes, script);
    let more = until_spawned(more, 1);
    assert_eq!(story_line(&more), "refused by 2: text of 2.1.1, round 1.2, 1.2.1");
    let feedback = more.machine.state().steps[0].feedback.text().unwrap_or_default();
    assert!(feedback.contains("text of 2.1.1"), "{feedback}");
}

/// The first bare resume ends the step again; its protected changes are known as before.
#[test]
fn a_resumed_loop_keeps_its_protected_changes_for_the_next_round() {
    let script = |unit: UnitId| match unit.step {
        1 => SimulatedAgent::done(),
        _ => SimulatedAgent { spoils: true, exits_at: Some(2_000), ..SimulatedAgent::exiting(1) },
    };
    let mut limited = protecting(plan("(a:1 -> b:1):3"));
    limited.limits.time.value = limit("2s").expect("a time");
    let run = RunSimulation::new(limited, script).run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Incomplete { step: 2, end: StepEnd::RunTime }));
    let changes = LimitChanges { run_time: limit("60s"), ..LimitChanges::default() };
    let more = until_spawned(RunSimulation::resumed(&run.events, changes, script), 1);
    assert_eq!(unrestored(&more, 1), [2]);
}

#[test]
fn more_rounds_begin_although_the_last_two_left_the_same_work_tree() {
    let same = |unit: UnitId| match unit.step {
        1 => SimulatedAgent { tree: Some('x'), ..SimulatedAgent::done() },
        _ => SimulatedAgent { tree: Some('x'), ..SimulatedAgent::exiting(1) },
    };
    let run = RunSimulation::new(plan("(a:1 -> b):2"), same).run();
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::MaxRounds(2) };
    assert_eq!(run.machine.end(), Some(&end));
    let changes = LimitChanges { rounds: Count::parse("4").ok(), ..LimitChanges::default() };
    let more = RunSimulation::resumed(&run.events, changes, same).run();
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::Cycling(2) };
    assert_eq!(more.machine.end(), Some(&end));
    assert!(story_line(&more).starts_with("round 1.3, 1.3.1, 2.3.1"), "{}", story_line(&more));
}

/// A copied done file is another file, but the loop has ended.
#[test]
fn a_moved_run_keeps_the_reason_of_a_loop_with_a_done_file() {
    let script = |unit: UnitId| match unit.step {
        1 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(0),
    };
    let mut plan = plan("(a:1 -> b:1):1");
    plan.steps[1].done_file = Some(Sourced::default("done".to_owned()));
    let run = RunSimulation::new(plan, script).run();
    assert_eq!(
        run.machine.end(),
        Some(&RunEnd::Incomplete { step: 2, end: StepEnd::MaxRounds(1) })
    );
    let changes = LimitChanges { rounds: Count::parse("2").ok(), ..LimitChanges::default() };
    let machine =
        Machine::resume(fold(&run.events), changes, "test", GracePeriods::default(), start());
    let machine = machine.moved_to(Some("/elsewhere".to_owned()));
    let moved = until_spawned(RunSimulation::with(machine, Box::new(script)), 1);
    assert_eq!(story_line(&moved), "round 1.2, 1.2.1");
    let feedback = moved.machine.state().steps[0].feedback.text().unwrap_or_default();
    assert!(feedback.contains("text of 2.1.1"), "{feedback}");
}

/// A cancellation does not wait for the observation of work without a claim.
#[test]
fn work_that_was_not_observed_may_have_changed_any_protected_file() {
    let slow = |unit: UnitId| match unit.iteration {
        1 => SimulatedAgent { spoils: true, looked_at: Some(9_000), ..SimulatedAgent::exiting(0) },
        _ => SimulatedAgent::hanging(),
    };
    let run = RunSimulation::new(protecting(plan("(a:1):2")), slow);
    let run = run.cancelled_at(2_000, CancelCause::Interrupt).run();
    assert!(matches!(run.machine.end(), Some(RunEnd::Interrupted(_))), "{:?}", run.machine.end());
    let more = until_spawned(resumed(&run.events, slow), 1);
    assert_eq!(story_line(&more), "refused by 1: text of 1.1.1, round 1.2, 1.2.1");
    let files = more.machine.state().unrestored_files(1);
    assert_eq!(files.iter().map(|files| files.may_be_more).collect::<Vec<_>>(), [true]);
}

/// The time of the step is up while its checks run.
#[test]
fn an_alternative_knows_the_protected_changes_of_unchecked_work() {
    let mut plan = protecting(plan("a:2 else b"));
    plan.steps[0].checks.push(command("make lint"));
    plan.steps[0].checks[0].value.when = CheckWhen::Always;
    plan.steps[0].limits.time.value = limit("2s").expect("a time");
    for looked_at in [None, Some(9_000)] {
        let script = move |unit: UnitId| match unit.step {
            1 => SimulatedAgent { spoils: true, looked_at, ..SimulatedAgent::exiting(0) },
            _ => SimulatedAgent::hanging(),
        };
        let run = RunSimulation::new(plan.clone(), script);
        let run = until_spawned(run.with_chores(|_| AuxJobScript::hanging()), 2);
        assert!(unrestored(&run, 2).contains(&1), "observed after {looked_at:?}");
        let kept = run.machine.state().unrestored_files(2);
        assert_eq!(kept[0].may_be_more, looked_at.is_some());
    }
}

#[test]
fn an_interrupted_attempt_hides_no_protected_change() {
    let script = |unit: UnitId| match unit {
        UnitId { step: 1, iteration: 1, .. } => {
            SimulatedAgent { spoils: true, ..SimulatedAgent::exiting(0) }
        }
        _ => SimulatedAgent { looked_at: Some(9_000), ..SimulatedAgent::hanging() },
    };
    let run = RunSimulation::new(protecting(plan("a:5 else b")), script);
    let mut run = until_spawned(run, 2);
    run.ask(ControlRequest::StopNow);
    while run.machine.state().steps[0].unchecked.is_none() {
        assert!(run.step(), "the agent ends");
    }
    // The second request does not wait for the observation.
    run.ask(ControlRequest::StopNow);
    let run = run.run();
    assert!(matches!(run.machine.end(), Some(RunEnd::Interrupted(_))), "{:?}", run.machine.end());
    let changes = LimitChanges { iterations: Count::parse("1").ok(), ..LimitChanges::default() };
    let more = until_spawned(RunSimulation::resumed(&run.events, changes, script), 1);
    assert_eq!(story_line(&more), "2 instead of 1, 2.1.1");
    assert!(unrestored(&more, 2).contains(&1));
}

#[test]
fn an_interrupted_attempt_does_not_hide_that_a_loop_could_not_work() {
    let script = |unit: UnitId| match unit {
        UnitId { step: 1, .. } => SimulatedAgent::done(),
        UnitId { iteration: 1, .. } => SimulatedAgent::exiting(127),
        _ => SimulatedAgent::hanging(),
    };
    let mut run = until_spawned(RunSimulation::new(plan("(a:1 -> b:2):3"), script), 3);
    run.ask(ControlRequest::StopNow);
    let run = run.run();
    let changes = LimitChanges { iterations: Count::parse("1").ok(), ..LimitChanges::default() };
    let more = RunSimulation::resumed(&run.events, changes, script).run();
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::MaxIterations };
    assert_eq!((more.machine.end(), more.spawned.len()), (Some(&end), 0), "{}", story_line(&more));
}

#[test]
fn a_moved_run_compares_protected_files_with_the_beginning_of_the_step() {
    let script = |unit: UnitId| match unit.iteration {
        1 => SimulatedAgent { spoils: true, ..SimulatedAgent::exiting(0) },
        _ => SimulatedAgent::hanging(),
    };
    let mut plan = protecting(plan("a:1"));
    plan.steps[0].done_file = Some(Sourced::default("done".to_owned()));
    let run = RunSimulation::new(plan, script).run();
    let changes = LimitChanges { iterations: Count::parse("3").ok(), ..LimitChanges::default() };
    let machine =
        Machine::resume(fold(&run.events), changes, "test", GracePeriods::default(), start());
    let machine = machine.moved_to(Some("/elsewhere".to_owned()));
    let moved = until_spawned(RunSimulation::with(machine, Box::new(script)), 1);
    assert_eq!(unrestored(&moved, 1), [1]);
}

/// The process died before the end of the run was recorded.
#[test]
fn more_rounds_begin_also_if_the_end_of_the_run_is_not_recorded() {
    let same = |unit: UnitId| match unit.step {
        1 => SimulatedAgent { tree: Some('x'), ..SimulatedAgent::done() },
        _ => SimulatedAgent { tree: Some('x'), ..SimulatedAgent::exiting(1) },
    };
    let run = RunSimulation::new(plan("(a:1 -> b):2"), same).run();
    let (_, events) = run.events.split_last().expect("there are events");
    let changes = LimitChanges { rounds: Count::parse("4").ok(), ..LimitChanges::default() };
    let more = RunSimulation::resumed(events, changes, same).run();
    assert!(story_line(&more).starts_with("round 1.3, 1.3.1"), "{}", story_line(&more));
}

/// The advice names the snapshot from which protected files can be restored.
#[test]
fn files_are_restored_from_before_work_that_was_not_observed() {
    let script = |unit: UnitId| match unit.iteration {
        1 => SimulatedAgent { spoils: true, looked_at: Some(9_000), ..SimulatedAgent::exiting(0) },
        _ => SimulatedAgent { spoils: true, ..SimulatedAgent::done() },
    };
    let run = RunSimulation::new(protecting(plan("(a:1):2")), script);
    let mut run = run.cancelled_at(2_000, CancelCause::Interrupt).run();
    let first = WorkTreeSnapshot { number: 0, commit: "c".to_owned() };
    for event in &mut run.events {
        if let EventKind::StepStarted { observation, .. } = &mut event.kind {
            observation.snapshot = Some(first.clone());
        }
    }
    let more = resumed(&run.events, script).run();
    assert_eq!(more.machine.state().snapshot_before_change(1), Some(&first));
}
