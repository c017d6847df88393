use super::support::{story_line, with_condition, with_round_check};
use crate::event::{AuxJob, LimitChanges, ProcessEnd, StepEnd};
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;
use crate::machine::tests::support::run_simulation::fold;
use crate::machine::tests::*;

/// A run whose conditions hold for the given steps.
fn with_holding(plan: Plan, holds: &'static [usize]) -> RunSimulation {
    let mut run = RunSimulation::new(plan, |_| SimulatedAgent::exiting(0));
    run.aux_jobs.script = Box::new(move |aux_job| match aux_job {
        AuxJob::Check { unit, .. } => AuxJobScript::exiting(i32::from(!holds.contains(&unit.step))),
        _ => AuxJobScript::exiting(0),
    });
    run
}

#[test]
fn a_step_runs_only_if_its_condition_holds() {
    let plan = with_condition(with_condition(plan("a -> b -> c"), 1, None), 2, None);
    let run = with_holding(plan, &[1]).run();
    assert_eq!(ends(run.machine.state()), "exit_code not_needed exit_code: complete");
    let expected = "condition of 1: true, 1.1.1, condition of 2: false, 3.1.1";
    assert_eq!(story_line(&run), expected);
    assert_eq!(fold(&run.events), *run.machine.state());
}

#[test]
fn a_group_is_not_needed_as_a_whole() {
    let plan = with_condition(plan("a -> (b:1 -> c):3 -> d"), 2, Some(1));
    let run = with_holding(plan, &[]).run();
    assert_eq!(ends(run.machine.state()), "exit_code not_needed not_needed exit_code: complete");
    assert_eq!(story_line(&run), "1.1.1, condition of 2: false, 4.1.1");
}

#[test]
fn a_condition_of_a_group_is_checked_once_and_that_of_a_step_in_each_round() {
    let plan = with_condition(with_condition(plan("(a -> b):3"), 1, Some(1)), 1, None);
    let mut run = with_holding(plan, &[1]);
    run.script = Box::new(|unit| match unit.step {
        1 => SimulatedAgent::exiting(0),
        _ => SimulatedAgent::exiting(i32::from(unit.iteration < 2)),
    });
    let run = run.run();
    let expected = "condition of 1: true, round 1.1, condition of 1: true, 1.1.1, 2.1.1, \
                    refused by 2: text of 2.1.1, \
                    round 1.2, condition of 1: true, 1.2.1, 2.2.1";
    assert_eq!(story_line(&run), expected);
}

#[test]
fn a_condition_of_a_group_without_a_result_ends_the_chain_and_is_checked_again_by_a_resume() {
    let plan = with_condition(plan("(a -> b):3 -> c"), 1, Some(1));
    let mut run = with_holding(plan, &[]);
    run.aux_jobs.script = Box::new(|_| AuxJobScript::impossible());
    let run = run.run();
    let end = run.machine.end().cloned();
    let cannot_check =
        matches!(end, Some(RunEnd::Incomplete { step: 1, end: StepEnd::CannotCheck(_) }));
    assert!(cannot_check, "{end:?}");
    assert_eq!(run.spawned.len(), 0);
    let resumed = RunSimulation::resumed(&run.events, LimitChanges::default(), |_| {
        SimulatedAgent::exiting(0)
    });
    let resumed = resumed.run();
    assert_eq!(story_line(&resumed), "condition of 1: true, round 1.1, 1.1.1, 2.1.1, 3.1.1");
}

#[test]
fn a_condition_without_a_result_ends_the_chain() {
    let plan = with_condition(plan("a -> b"), 2, None);
    let mut run = with_holding(plan, &[]);
    run.aux_jobs.script = Box::new(|_| AuxJobScript::impossible());
    let run = run.run();
    let end = run.machine.end().cloned();
    let Some(RunEnd::Incomplete { step: 2, end: StepEnd::CannotCheck(why) }) = end else {
        panic!("{end:?}")
    };
    assert!(why.starts_with("the condition command:\"is it needed\" has no result"), "{why}");
    let mut resumed = RunSimulation::resumed(&run.events, LimitChanges::default(), |_| {
        SimulatedAgent::exiting(0)
    });
    resumed.aux_jobs.script = Box::new(|_| AuxJobScript::exiting(0));
    let resumed = resumed.run();
    assert_eq!(story_line(&resumed), "condition of 2: true, 2.1.1", "it is checked again");
}

/// A mistyped command would otherwise skip its step silently.
#[test]
fn a_command_that_cannot_be_run_is_no_answer() {
    let ended_by = |end: ProcessEnd| {
        let mut run = with_holding(with_condition(plan("a -> b"), 2, None), &[]);
        run.aux_jobs.script =
            Box::new(move |_| AuxJobScript { end: end.clone(), ..AuxJobScript::exiting(0) });
        run.run().machine.end().cloned()
    };
    for end in [ProcessEnd::Exited(126), ProcessEnd::Exited(127), ProcessEnd::Signaled(9)] {
        let why = format!("the condition command:\"is it needed\" has no result: {end}");
        let expected = RunEnd::Incomplete { step: 2, end: StepEnd::CannotCheck(why) };
        assert_eq!(ended_by(end), Some(expected));
    }
    for code in [1, 2, 125] {
        assert_eq!(ended_by(ProcessEnd::Exited(code)), Some(RunEnd::Complete), "exit {code}");
    }
}

#[test]
fn a_recorded_condition_is_not_checked_again() {
    let plan = with_condition(plan("a -> b"), 2, None);
    let run = with_holding(plan, &[]).run();
    let cut = up_to(&run, |kind| matches!(kind, EventKind::ConditionChecked { .. }));
    let resumed =
        RunSimulation::resumed(&cut, LimitChanges::default(), |_| SimulatedAgent::exiting(0));
    let resumed = resumed.run();
    assert!(resumed.aux_jobs.ran.is_empty());
    assert_eq!(ends(resumed.machine.state()), "exit_code not_needed: complete");
}

/// The checks of the group decide if its last stage does not.
#[test]
fn a_round_whose_last_step_is_not_needed_is_accepted_by_its_checks() {
    let plan = with_condition(plan("(a:1 -> b):3 -> c"), 2, None);
    let plan = with_round_check(plan, 2, 1, "make ci");
    let run_with = |passes_in: u32| {
        let mut run = RunSimulation::new(plan.clone(), |unit| match unit.step {
            1 => SimulatedAgent::done(),
            _ => SimulatedAgent::exiting(0),
        });
        let checked = std::cell::Cell::new(0);
        run.aux_jobs.script = Box::new(move |aux_job| match aux_job {
            // The check of the round is the first one of the step, and the condition the second.
            AuxJob::Check { number: 1, .. } => {
                checked.set(checked.get() + 1);
                AuxJobScript::exiting(i32::from(checked.get() < passes_in))
            }
            _ => AuxJobScript::exiting(1),
        });
        run.run()
    };
    let run = run_with(2);
    assert_eq!(ends(run.machine.state()), "marker not_needed exit_code: complete");
    let expected = "round 1.1, 1.1.1, condition of 2: false, \
                    refused by 2: checks did not pass: command:\"make ci\", \
                    round 1.2, 1.2.1, condition of 2: false, 3.1.1";
    assert_eq!(story_line(&run), expected);
    let never = run_with(9);
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::MaxRounds(3) };
    assert_eq!(never.machine.end(), Some(&end));
    assert_eq!(fold(&never.events), *never.machine.state());
}

#[test]
fn groups_in_a_group_that_is_not_needed_have_no_round() {
    let plan = with_condition(plan("(a -> (b:1 -> c):2):3 -> d"), 1, Some(1));
    let plan = with_round_check(with_round_check(plan, 3, 2, "inner"), 3, 1, "outer");
    let run = with_holding(plan, &[]).run();
    let expected = "not_needed not_needed not_needed exit_code: complete";
    assert_eq!(ends(run.machine.state()), expected);
    assert_eq!(story_line(&run), "condition of 1: false, 4.1.1");
}
