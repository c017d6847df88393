use super::support::{story_line, with_condition, with_round_check};
use crate::control::{AcceptedRequest, ControlReply, ControlRequest};
use crate::event::StepEnd;
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;
use crate::machine::tests::*;

/// A run of a group whose first agent hangs in its second round.
fn hanging_in_second_round() -> RunSimulation {
    let mut run = RunSimulation::new(plan("(a:3 -> b):4 -> c"), |unit| match unit.step {
        1 if unit.iteration == 2 => SimulatedAgent::hanging(),
        1 => SimulatedAgent::done(),
        2 => SimulatedAgent::exiting(i32::from(unit.iteration < 3)),
        _ => SimulatedAgent::exiting(0),
    });
    while run.spawned.len() < 3 {
        assert!(run.step(), "it goes on");
    }
    run
}

#[test]
fn a_skipped_step_counts_as_complete_for_its_round() {
    let mut run = hanging_in_second_round();
    let reply = run.ask(ControlRequest::Skip);
    assert_eq!(reply, Some(ControlReply::Accepted(AcceptedRequest::Skips { step: 1 })));
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "marker exit_code exit_code: complete");
    let expected = "round 1.1, 1.1.1, 2.1.1, refused by 2: text of 2.1.1, round 1.2, 1.2.1, \
                    2.2.1, refused by 2: text of 2.2.1, round 1.3, 1.3.1, 2.3.1, 3.1.1";
    assert_eq!(story_line(&run), expected);
}

#[test]
fn a_skipped_group_is_left_as_a_whole() {
    let mut run = hanging_in_second_round();
    let reply = run.ask(ControlRequest::SkipGroup);
    let skips = AcceptedRequest::SkipsGroup { first_step: 1, last_step: 2 };
    assert_eq!(reply, Some(ControlReply::Accepted(skips)));
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "skipped skipped exit_code: complete");
    assert_eq!(run.machine.state().groups[0].round, 2);
}

#[test]
fn groups_in_a_skipped_group_have_no_round() {
    let mut run = RunSimulation::new(plan("(a -> (b:1 -> c):2 -> d):3 -> e"), |unit| {
        if unit.step == 1 { SimulatedAgent::hanging() } else { SimulatedAgent::exiting(0) }
    });
    while run.spawned.is_empty() {
        assert!(run.step(), "it goes on");
    }
    run.ask(ControlRequest::SkipGroup);
    let run = run.run();
    let expected = "skipped skipped skipped skipped exit_code: complete";
    assert_eq!(ends(run.machine.state()), expected);
    assert_eq!(story_line(&run), "round 1.1, 1.1.1, 5.1.1");
}

/// The agent claims completion and is skipped before it exits.
#[test]
fn a_skipped_step_accepts_no_round_without_its_checks() {
    let plan = with_round_check(plan("(a:1 -> b:2):3"), 2, 1, "make ci");
    let mut run = RunSimulation::new(plan, |unit| match unit.step {
        1 => SimulatedAgent::done(),
        _ => SimulatedAgent { says_done_at: Some(1), ..SimulatedAgent::hanging() },
    });
    while run.spawned.len() < 2 {
        assert!(run.step(), "it goes on");
    }
    for _ in 0..3 {
        run.step();
    }
    run.ask(ControlRequest::Skip);
    let run = run.run();
    assert_eq!(run.machine.state().steps[1].end(), Some(&StepEnd::Skipped));
}

#[test]
fn a_skip_while_the_condition_of_a_group_is_checked_skips_the_group() {
    for chain in ["(a -> b):2 -> c", "(a -> b) -> c"] {
        let plan = with_condition(plan(chain), 1, Some(1));
        let mut run = RunSimulation::new(plan, |_| SimulatedAgent::exiting(0));
        run.aux_jobs.script =
            Box::new(|_| AuxJobScript { exits_at: None, ..AuxJobScript::exiting(1) });
        while run.aux_jobs.ran.is_empty() {
            assert!(run.step(), "it goes on");
        }
        run.ask(ControlRequest::Skip);
        let run = run.run();
        let state = ends(run.machine.state());
        assert_eq!(state, "skipped skipped exit_code: complete", "{chain}");
    }
}
