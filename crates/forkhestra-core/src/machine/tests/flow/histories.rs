//! What the history of a run keeps of its rounds, questions and conditions.

use super::support::with_round_check;
use crate::config::OnHookError;
use crate::event::{AnswerSource, AuxJob, StepEnd};
use crate::explain::{CrossedLimit, Evidence, LimitReached};
use crate::history::{Liveness, RefusalSource, RunActivity, RunHistory};
use crate::hook::HookPoint;
use crate::machine::tests::hooks::hooked;
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;
use crate::machine::tests::*;
use crate::stats::RunStatistics;

fn history(run: &RunSimulation) -> RunHistory {
    RunHistory::of(&run.events).expect("the machine's own events fit")
}

/// A run of `(a:3 -> b):4`, in which `b` accepts the given round.
fn accepted_in(round: u32) -> RunSimulation {
    RunSimulation::new(plan("(a:3 -> b):4"), move |unit| match unit.step {
        1 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(i32::from(unit.iteration < round)),
    })
    .run()
}

#[test]
fn each_round_is_kept_with_who_refused_it_and_why() {
    let history = history(&accepted_in(3));
    let rounds: Vec<_> =
        history.flow.rounds.iter().map(|round| (round.group, round.round)).collect();
    assert_eq!(rounds, [(1, 1), (1, 2), (1, 3)]);
    let refused: Vec<_> = history.flow.refused_rounds(1).collect();
    assert_eq!(refused.len(), 2, "{refused:?}");
    let (number, refusal) = refused[1];
    assert_eq!((number, refusal.step, &refusal.by), (2, 2, &RefusalSource::Agent));
    assert_eq!(refusal.reason.as_deref(), Some("text of 2.2.1"));
}

#[test]
fn checks_that_refuse_a_round_are_named() {
    let plan = with_round_check(plan("(a:3 -> b):2"), 2, 1, "make ci");
    let fails = |_: AuxJob| AuxJobScript::exiting(1);
    let run = RunSimulation::new(plan, |_| SimulatedAgent::done()).with_chores(fails).run();
    let history = history(&run);
    let (_, refusal) = history.flow.refused_rounds(1).next().expect("it was refused");
    let RefusalSource::Checks(names) = &refusal.by else { panic!("{refusal:?}") };
    assert_eq!(names.len(), 1);
    assert!(names[0].contains("make ci"), "{names:?}");
}

#[test]
fn used_up_rounds_are_a_crossed_limit() {
    let run = accepted_in(9);
    let limit = CrossedLimit::of(&StepEnd::MaxRounds(4), run.machine.state(), 2);
    let limit = limit.expect("it is a limit");
    assert_eq!((limit.option.as_str(), limit.value.as_str()), ("--rounds", "4"));
    assert_eq!(limit.reached, LimitReached::Rounds(4));
}

/// An earlier round began with another work tree, which its iterations are compared with.
#[test]
fn the_evidence_is_that_of_the_last_round() {
    let history = history(&accepted_in(9));
    let evidence = Evidence::of(&history).expect("there are steps");
    let iterations: Vec<u32> =
        evidence.iterations.iter().map(|(record, _)| record.unit.iteration).collect();
    assert_eq!((evidence.step, iterations), (2, vec![4]));
}

#[test]
fn iterations_are_numbered_on_and_so_is_the_last_one_of_a_loop() {
    let run = accepted_in(3);
    let state = run.machine.state();
    assert_eq!((state.last_iteration_number(1), state.last_iteration_number(2)), (Some(5), None));
    let rounds: Vec<_> =
        state.current_rounds(1).into_iter().map(|(group, round)| (group.number, round)).collect();
    assert_eq!(rounds, [(1, 3)]);
    assert_eq!(state.current_rounds(9).len(), 0);
}

#[test]
fn only_the_steps_on_the_path_count() {
    let agent = |unit: crate::id::UnitId| match unit.step {
        2 => SimulatedAgent::exiting(1),
        _ => SimulatedAgent::exiting(0),
    };
    let run = RunSimulation::new(plan("(a -> b) else c"), agent).run();
    let state = run.machine.state();
    assert_eq!(state.end, Some(RunEnd::Complete));
    assert_eq!((state.complete_steps(), state.steps_on_path().len()), (1, 1));
}

/// The time that passes while nothing runs is no time of the run, and is not lost either.
#[test]
fn question_time_is_not_activity_time() {
    let hours = 30 * 3_600_000;
    let run = RunSimulation::new(plan("a -> ? -> b"), |_| SimulatedAgent::done());
    let run = run.with_person(move |_| Some((hours, true))).run();
    let history = history(&run);
    let statistics = RunStatistics::of(&history, Liveness::Gone);
    assert!(statistics.times.asking >= seconds(30 * 3600), "{:?}", statistics.times);
    let total = history.state.elapsed + statistics.times.asking;
    assert_eq!(statistics.times.total(), total);
    let question = history.flow.question(1).expect("it was asked");
    let (at, answer) = question.answer.as_ref().expect("it was answered");
    assert_eq!((answer.approved, answer.by), (true, AnswerSource::Person));
    assert!(at.saturating_since(question.asked) >= seconds(30 * 3600));
}

#[test]
fn a_run_asks_again_after_the_hooks_of_its_question() {
    let plan = hooked(plan("a -> ? -> b"), &[(HookPoint::OnQuestion, OnHookError::Continue)]);
    let mut run = RunSimulation::new(plan, |_| SimulatedAgent::done());
    while !run.machine.is_asking() {
        assert!(run.step(), "it goes on until it asks");
    }
    let history = history(&run);
    assert!(matches!(history.activity, RunActivity::Asking { step: 2, .. }), "{history:?}");
    assert_eq!(history.asked_now(Liveness::Alive).map(|question| question.step), Some(2));
    assert_eq!(history.asked_now(Liveness::Gone), None);
    assert!(history.open_question().is_some());
}
