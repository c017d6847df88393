use super::support::story_line;
use crate::event::{LimitChanges, OutcomeClass, StepEnd};
use crate::machine::tests::*;

#[test]
fn an_alternative_runs_if_the_one_before_is_not_complete() {
    let run = RunSimulation::new(plan("a:2 else b:3 -> c"), |unit| match unit.step {
        1 => SimulatedAgent::exiting(0),
        _ => SimulatedAgent::done(),
    });
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "max_iterations marker exit_code: complete");
    assert_eq!(story_line(&run), "1.1.1, 1.2.1, 2 instead of 1, 2.1.1, 3.1.1");
    assert_eq!(run.machine.state().counted_steps(), [2, 3]);
}

#[test]
fn an_alternative_that_is_not_needed_does_not_run() {
    let run = RunSimulation::new(plan("a:2 else b:3 -> c"), |_| SimulatedAgent::done()).run();
    assert_eq!(ends(run.machine.state()), "marker pending exit_code: complete");
    assert_eq!(run.machine.state().counted_steps(), [1, 3]);
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
}

#[test]
fn the_last_alternative_decides_about_the_chain() {
    let run = RunSimulation::new(plan("a:1 else b:1 else c:1"), |_| SimulatedAgent::exiting(0));
    let run = run.run();
    let end = RunEnd::Incomplete { step: 3, end: StepEnd::MaxIterations };
    assert_eq!(run.machine.end(), Some(&end));
    let expected = "1.1.1, 2 instead of 1, 2.1.1, 3 instead of 2, 3.1.1";
    assert_eq!(story_line(&run), expected);
}

#[test]
fn the_first_agent_of_an_alternative_is_given_the_reason() {
    let mut run = RunSimulation::new(plan("a:2 else (b -> c)"), |_| SimulatedAgent::exiting(0));
    while run.spawned.len() < 3 {
        assert!(run.step(), "it goes on");
    }
    let feedback = run.machine.state().steps[1].feedback.text();
    let expected = "`a` did not complete this work (not complete after 2 iterations).\n";
    assert_eq!(feedback.as_deref(), Some(expected));
    assert_eq!(run.machine.state().steps[2].feedback.text(), None);
}

/// In the first round of a repeated alternative the reason is the end before it, later the refusal.
#[test]
fn each_round_of_an_alternative_is_given_its_own_reason() {
    let mut run = RunSimulation::new(plan("a:1 else (b:1 -> c):3"), |unit| match unit.step {
        2 => SimulatedAgent::done(),
        3 => SimulatedAgent::exiting(i32::from(unit.iteration < 2)),
        _ => SimulatedAgent::exiting(0),
    });
    let mut given = Vec::new();
    while run.step() {
        let started = run.spawned.last().is_some_and(|unit| unit.step == 2);
        let text = run.machine.state().steps[1].feedback.text();
        if started && given.last() != text.as_ref() {
            given.extend(text);
        }
    }
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
    let [first, second] = given.as_slice() else { panic!("not two reasons: {given:?}") };
    assert!(first.starts_with("`a` did not complete this work ("), "{first}");
    assert_eq!(second, "`c` did not accept the work of round 1:\n\n  | text of 3.1.1\n");
}

#[test]
fn ends_that_concern_the_run_have_no_alternative() {
    let limited = limited("a:9 else b", |limits| limits.run_time = limit("5s"));
    let run = RunSimulation::new(limited, |_| SimulatedAgent::hanging()).run();
    assert_eq!(ends(run.machine.state()), "run_time pending: incomplete at 1");
    let skipped = RunSimulation::new(plan("a:9 else b -> c"), |unit| match unit.step {
        1 => SimulatedAgent::hanging(),
        _ => SimulatedAgent::exiting(0),
    });
    let skipped = skipped.asked_at(5, crate::control::ControlRequest::Skip).run();
    assert_eq!(ends(skipped.machine.state()), "skipped pending exit_code: complete");
}

#[test]
fn a_denial_and_a_usage_limit_lead_to_the_alternative() {
    let denied = RunSimulation::new(plan("? else a"), |_| SimulatedAgent::exiting(0));
    let denied = denied.with_person(|_| Some((5, false))).run();
    assert_eq!(ends(denied.machine.state()), "denied exit_code: complete");
    let plan = limited("a:2 else b:2", |limits| limits.max_wait = limit("1s"));
    let run = RunSimulation::new(plan, |unit| match unit.step {
        1 => SimulatedAgent::with_outcome(OutcomeClass::UsageLimit),
        _ => SimulatedAgent::done(),
    });
    assert_eq!(ends(run.run().machine.state()), "usage_limit marker: complete");
}

#[test]
fn a_resume_goes_on_with_the_alternative() {
    let script = |done: bool| {
        move |unit: crate::id::UnitId| match unit.step {
            2 if done => SimulatedAgent::done(),
            _ => SimulatedAgent::exiting(0),
        }
    };
    let run = RunSimulation::new(plan("a:1 else b:1"), script(false)).run();
    assert_eq!(ends(run.machine.state()), "max_iterations max_iterations: incomplete at 2");
    let iterations = crate::text::count::Count::parse("3").ok();
    let changes = LimitChanges { iterations, ..LimitChanges::default() };
    let resumed = RunSimulation::resumed(&run.events, changes, script(true)).run();
    assert_eq!(story_line(&resumed), "2.2.1");
    assert_eq!(resumed.machine.end(), Some(&RunEnd::Complete));
}

#[test]
fn an_alternative_in_a_round_is_decided_anew_in_each() {
    let run = RunSimulation::new(plan("(a:1 else b:1 -> c):3"), |unit| match unit.step {
        1 if unit.iteration == 2 => SimulatedAgent::done(),
        1 => SimulatedAgent::exiting(0),
        2 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(i32::from(unit.iteration < 2)),
    });
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "marker pending exit_code: complete");
    let expected = "round 1.1, 1.1.1, 2 instead of 1, 2.1.1, 3.1.1, \
                    refused by 3: text of 3.1.1, round 1.2, 1.2.1, 3.2.1";
    assert_eq!(story_line(&run), expected);
}
