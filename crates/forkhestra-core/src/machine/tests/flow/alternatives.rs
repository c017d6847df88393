use super::support::{protecting, story_line, with_condition, with_round_check};
use crate::control::RefusedRequest;
use crate::event::{AuxJob, LimitChanges, OutcomeClass, StepEnd};
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;
use crate::machine::tests::support::run_simulation::fold;
use crate::machine::tests::*;
use crate::text::count::Count;

#[test]
fn an_alternative_runs_if_the_one_before_is_not_complete() {
    let run = RunSimulation::new(plan("a:2 else b:3 -> c"), |unit| match unit.step {
        1 => SimulatedAgent::exiting(0),
        _ => SimulatedAgent::done(),
    });
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "max_iterations marker exit_code: complete");
    assert_eq!(story_line(&run), "1.1.1, 1.2.1, 2 instead of 1, 2.1.1, 3.1.1");
    assert_eq!(run.machine.state().steps_on_path(), [2, 3]);
}

#[test]
fn an_alternative_that_is_not_needed_does_not_run() {
    let run = RunSimulation::new(plan("a:2 else b:3 -> c"), |_| SimulatedAgent::done()).run();
    assert_eq!(ends(run.machine.state()), "marker pending exit_code: complete");
    assert_eq!(run.machine.state().steps_on_path(), [1, 3]);
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

#[test]
fn an_alternative_is_given_the_checks_that_did_not_pass() {
    let plan = with_round_check(plan("(a:1 -> b):2 else c"), 2, 1, "make ci");
    let mut run = RunSimulation::new(plan, |unit| match unit.step {
        1 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(0),
    });
    run.aux_jobs.script = Box::new(|_| {
        let mut script = AuxJobScript::exiting(1);
        script.answer.tail = Some("test_lexer failed".to_owned());
        script
    });
    while run.spawned.len() < 5 {
        assert!(run.step(), "it goes on");
    }
    let feedback = run.machine.state().steps[2].feedback.text();
    let expected = "After round 2 not all checks passed:\n\n- Check command:\"make ci\" did not \
                    pass: exit 1\n  The end of its output:\n  | test_lexer failed\n";
    assert_eq!(feedback.as_deref(), Some(expected));
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
    let prefix = up_to(&denied, |kind| matches!(kind, EventKind::StepStarted { step: 2, .. }));
    let feedback = fold(&prefix).steps[1].feedback.text();
    let expected = "A person was asked and did not approve:\n\n  | answer 1\n";
    assert_eq!(feedback.as_deref(), Some(expected));
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
    let iterations = Count::parse("3").ok();
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

fn more_rounds(rounds: &str) -> LimitChanges {
    LimitChanges { rounds: Count::parse(rounds).ok(), ..LimitChanges::default() }
}

/// The group before the alternative refused all its rounds.
fn replaced_group(chain: &str) -> RunSimulation {
    RunSimulation::new(plan(chain), |unit| match unit.step {
        1 | 3 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(1),
    })
}

#[test]
fn a_resume_does_not_return_to_a_group_that_was_replaced() {
    let run = replaced_group("(a:1 -> b):2 else c:1 -> d").run();
    assert_eq!(ends(run.machine.state()), "marker failed marker failed: incomplete at 4");
    let accepting = |unit: crate::id::UnitId| match unit.step {
        1 | 3 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(0),
    };
    for changes in [LimitChanges::default(), more_rounds("9")] {
        let resumed = RunSimulation::resumed(&run.events, changes, accepting).run();
        assert_eq!(story_line(&resumed), "4.1.2", "only what had failed runs");
        assert_eq!(resumed.machine.end(), Some(&RunEnd::Complete));
    }
}

/// A resume tries another round after rounds that changed nothing, unless something else replaced them.
#[test]
fn a_resume_does_not_return_to_rounds_that_changed_nothing_and_were_replaced() {
    let run = RunSimulation::new(plan("(a:1 -> b):5 else c:1 -> d"), |unit| match unit.step {
        1 => SimulatedAgent { tree: Some('x'), ..SimulatedAgent::done() },
        2 => SimulatedAgent { tree: Some('x'), ..SimulatedAgent::exiting(1) },
        3 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(1),
    });
    let run = run.run();
    assert_eq!(run.machine.state().groups[0].round, 2);
    assert_eq!(ends(run.machine.state()), "marker failed marker failed: incomplete at 4");
    let resumed = RunSimulation::resumed(&run.events, LimitChanges::default(), |_| {
        SimulatedAgent::exiting(0)
    });
    assert_eq!(story_line(&resumed.run()), "4.1.2", "only what had failed runs");
}

#[test]
fn limits_of_a_group_that_was_replaced_are_refused() {
    let run = replaced_group("(a:1 -> b):2 else c:1 -> d").run();
    let state = run.machine.state();
    let time = LimitChanges { group_time: limit("1h"), ..LimitChanges::default() };
    assert_eq!(state.refusal_of_group_limits(&more_rounds("9")), Some(RefusedRequest::NoRounds));
    assert_eq!(state.refusal_of_group_limits(&time), Some(RefusedRequest::NoGroupLimits));
    assert_eq!(state.refusal_of_group_limits(&LimitChanges::default()), None);
    let run = replaced_group("(a:1 -> b):2").run();
    let state = run.machine.state();
    assert_eq!(state.refusal_of_group_limits(&more_rounds("9")), None);
    assert_eq!(state.refusal_of_group_limits(&time), None);
}

#[test]
fn limits_that_change_during_an_alternative_do_not_restart_what_it_replaces() {
    let mut run = replaced_group("(a:1 -> b):1 else c:1");
    while run.spawned.len() < 3 {
        assert!(run.step(), "it goes on");
    }
    run.ask(crate::control::ControlRequest::Set(more_rounds("3")));
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "marker failed marker: complete");
    assert_eq!(run.spawned.len(), 3);
}

#[test]
fn rounds_of_an_alternative_are_resumed_in_the_alternative() {
    let run = RunSimulation::new(plan("(a:1 -> b):1 else (c:1 -> d):1"), |unit| match unit.step {
        1 | 3 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(1),
    });
    let run = run.run();
    let accepting = |unit: crate::id::UnitId| match unit.step {
        1 | 3 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(0),
    };
    let resumed = RunSimulation::resumed(&run.events, more_rounds("2"), accepting).run();
    assert_eq!(story_line(&resumed), "round 2.2, 3 instead of 2, 3.2.1, 4.2.1");
    assert_eq!(resumed.machine.end(), Some(&RunEnd::Complete));
}

/// Nothing ran instead, so the end before it counts.
#[test]
fn an_alternative_whose_condition_does_not_hold_completes_nothing() {
    for chain in ["a:1 else b -> c", "? else b -> c"] {
        let plan = with_condition(plan(chain), 2, None);
        let mut run = RunSimulation::new(plan, |_| SimulatedAgent::exiting(0));
        run = run.with_person(|_| Some((5, false)));
        run.aux_jobs.script = Box::new(|_| AuxJobScript::exiting(1));
        let run = run.run();
        let end = run.machine.end().cloned();
        assert!(matches!(end, Some(RunEnd::Incomplete { step: 1, .. })), "{chain}: {end:?}");
        assert_eq!(run.machine.state().steps[2].end(), None, "{chain}");
    }
    let plan = with_condition(plan("a:1 else b else c:1"), 2, None);
    let mut run = RunSimulation::new(plan, |unit| match unit.step {
        3 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(0),
    });
    run.aux_jobs.script = Box::new(|_| AuxJobScript::exiting(1));
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "max_iterations not_needed marker: complete");
    assert_eq!(story_line(&run), "1.1.1, condition of 2: false, 3 instead of 1, 3.1.1");
}

#[test]
fn the_first_step_that_works_in_an_alternative_is_given_the_reason() {
    let plan = with_condition(plan("a:1 else (b -> c)"), 2, None);
    let mut run = RunSimulation::new(plan, |_| SimulatedAgent::exiting(0));
    run.aux_jobs.script = Box::new(|_| AuxJobScript::exiting(1));
    while run.spawned.len() < 2 {
        assert!(run.step(), "it goes on");
    }
    let feedback = run.machine.state().steps[2].feedback.text();
    let expected = "`a` did not complete this work (not complete after 1 iteration).\n";
    assert_eq!(feedback.as_deref(), Some(expected));
    assert_eq!(story_line(&run), "1.1.1, condition of 2: false, 3 instead of 1, 3.1.1");
}

/// The last stage is complete: its alternative is for another end.
#[test]
fn failed_checks_of_the_group_refuse_the_round_and_start_no_alternative() {
    let plan = with_round_check(plan("(a:1 -> b else c):2"), 2, 1, "make ci");
    let mut run = RunSimulation::new(plan, |unit| match unit.step {
        1 => SimulatedAgent::done(),
        _ => SimulatedAgent::exiting(0),
    });
    run.aux_jobs.script = Box::new(|aux_job| match aux_job {
        AuxJob::Check { unit, .. } => AuxJobScript::exiting(i32::from(unit.iteration < 2)),
        _ => AuxJobScript::exiting(0),
    });
    let run = run.run();
    let expected = "round 1.1, 1.1.1, 2.1.1, refused by 2: checks did not pass: command:\"make ci\", \
                    round 1.2, 1.2.1, 2.2.1";
    assert_eq!(story_line(&run), expected);
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
}

/// The limit of the group would end the alternative at once.
#[test]
fn a_limit_of_a_group_around_the_alternatives_ends_the_group() {
    let mut limited = plan("(a:9 else b):2");
    let flow = limited.flow.as_mut().expect("it has a group");
    flow.for_each_group_mut(&mut |group| group.limits.time.value = limit("5s").expect("a time"));
    let run = RunSimulation::new(limited, |_| SimulatedAgent::hanging()).run();
    assert_eq!(ends(run.machine.state()), "group_time pending: incomplete at 1");
}

#[test]
fn the_reason_for_an_alternative_stays_in_it() {
    let mut run = RunSimulation::new(plan("a:1 else ? -> b"), |_| SimulatedAgent::exiting(0));
    run = run.with_person(|_| Some((5, true)));
    while run.spawned.len() < 2 {
        assert!(run.step(), "it goes on");
    }
    assert_eq!(run.machine.state().steps[2].feedback.text(), None);
    let mut inside = RunSimulation::new(plan("a:1 else (? -> b)"), |_| SimulatedAgent::exiting(0));
    inside = inside.with_person(|_| Some((5, true)));
    while inside.spawned.len() < 2 {
        assert!(inside.step(), "it goes on");
    }
    let feedback = inside.machine.state().steps[2].feedback.text().unwrap_or_default();
    assert!(feedback.starts_with("`a` did not complete this work"), "{feedback}");
}

/// The stage has failed: the checks of the group have nothing to decide.
#[test]
fn an_alternative_that_is_not_needed_accepts_no_round() {
    let plan = with_condition(plan("(a:1 -> b else c):2"), 3, None);
    let plan = with_round_check(with_round_check(plan, 2, 1, "make ci"), 3, 1, "make ci");
    let mut run = RunSimulation::new(plan, |unit| match unit.step {
        2 => SimulatedAgent::exiting(1),
        _ => SimulatedAgent::done(),
    });
    run.aux_jobs.script = Box::new(|_| AuxJobScript::exiting(1));
    let run = run.run();
    let expected = "round 1.1, 1.1.1, 2.1.1, condition of 3: false, refused by 2: text of 2.1.1, \
                    round 1.2, 1.2.1, 2.2.1, condition of 3: false, refused by 2: text of 2.2.1";
    assert_eq!(story_line(&run), expected);
}

#[test]
fn an_alternative_is_told_which_protected_files_to_restore() {
    let guarded = protecting(plan("a else b"));
    let mut run = RunSimulation::new(guarded, |_| SimulatedAgent {
        spoils: true,
        ..SimulatedAgent::exiting(1)
    });
    while run.spawned.len() < 2 {
        assert!(run.step(), "it goes on");
    }
    let feedback = run.machine.state().steps[1].feedback.text().unwrap_or_default();
    assert!(feedback.starts_with("`a` did not complete this work"), "{feedback}");
    assert!(feedback.contains("These files are protected"), "{feedback}");
}
