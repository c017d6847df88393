//! Answers that a resume brings for the question of its run.

use super::questions::{asking, done};
use super::support::{story_line, with_round_check};
use crate::control::ControlRequest;
use crate::event::{LimitChanges, StepEnd};
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;
use crate::machine::tests::support::run_simulation::{fold, start};
use crate::machine::tests::*;
use crate::machine::{Machine, ResumeAnswer};
use crate::policy::GracePeriods;

#[test]
fn a_resume_can_bring_the_answer_which_is_used_once() {
    let events = asking("a -> ? -> b -> ?").events;
    let brought = ResumeAnswer { approves: true, text: Some("go on".to_owned()) };
    let machine = Machine::resume(
        fold(&events),
        LimitChanges::default(),
        "test",
        GracePeriods::default(),
        start(),
    );
    let machine = machine.with_resume_answer(Some(brought));
    let mut resumed = RunSimulation::with(machine, Box::new(done()));
    while resumed.step() {}
    assert_eq!(story_line(&resumed), "asked 1, approved by person, 3.1.1, asked 2");
}

/// The process died after the denial ended the step, and before it ended the run.
#[test]
fn a_resume_can_approve_a_denied_question_of_a_run_without_an_end() {
    let run = RunSimulation::new(plan("a -> ? -> b"), done()).with_person(|_| Some((5, false)));
    let run = run.run();
    let (last, events) = run.events.split_last().expect("there are events");
    assert!(matches!(last.kind, EventKind::RunFinished { .. }), "{last:?}");
    let state = fold(events);
    assert_eq!(state.answerable_step(), Some(2));
    let brought = ResumeAnswer { approves: true, text: None };
    let (changes, grace_periods) = (LimitChanges::default(), GracePeriods::default());
    let machine = Machine::resume(state, changes, "test", grace_periods, start());
    let machine = machine.with_resume_answer(Some(brought));
    let resumed = RunSimulation::with(machine, Box::new(done())).run();
    assert_eq!(story_line(&resumed), "asked 2, approved by person, 3.1.1");
    let both = [events, &resumed.events].concat();
    assert_eq!(&fold(&both), resumed.machine.state());
}

fn resumed_with(
    events: &[Event],
    changes: LimitChanges,
    approves: bool,
) -> (Option<usize>, RunSimulation) {
    let state = fold(events);
    let answerable = state.answerable_step_with(&changes);
    let machine = Machine::resume(state, changes, "test", GracePeriods::default(), start());
    let machine = machine.with_resume_answer(Some(ResumeAnswer { approves, text: None }));
    (answerable, RunSimulation::with(machine, Box::new(done())))
}

#[test]
fn a_question_denied_in_the_last_round_can_be_approved() {
    let denied = RunSimulation::new(plan("(a:1 -> ?):2 -> b"), done());
    let denied = denied.with_person(|_| Some((5, false))).run();
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::MaxRounds(2) };
    assert_eq!(denied.machine.end(), Some(&end));
    let (answerable, resumed) = resumed_with(&denied.events, LimitChanges::default(), true);
    assert_eq!(answerable, Some(2));
    let resumed = resumed.run();
    assert_eq!(story_line(&resumed), "asked 3, approved by person, 3.1.1");
    let both = [denied.events.as_slice(), &resumed.events].concat();
    assert_eq!(&fold(&both), resumed.machine.state());
}

#[test]
fn a_resume_can_approve_the_denied_question_that_ended_the_run() {
    let denied = RunSimulation::new(plan("a -> ? -> b"), done());
    let denied = denied.with_person(|_| Some((5, false))).run();
    assert_eq!(ends(denied.machine.state()), "exit_code denied pending: incomplete at 2");
    let (answerable, resumed) = resumed_with(&denied.events, LimitChanges::default(), true);
    assert_eq!(answerable, Some(2));
    assert_eq!(story_line(&resumed.run()), "asked 2, approved by person, 3.1.1");
    let cut = up_to(&denied, |kind| matches!(kind, EventKind::Answered { .. }));
    let (answerable, resumed) = resumed_with(&cut, LimitChanges::default(), true);
    assert_eq!(answerable, Some(2), "the process died before the step ended");
    assert_eq!(story_line(&resumed.run()), "asked 2, approved by person, 3.1.1");
    let (_, again) = resumed_with(&denied.events, LimitChanges::default(), false);
    assert_eq!(story_line(&again.run()), "asked 2, denied by person");
}

/// The reason for the next round is the end that counts, and not the denial before it.
#[test]
fn a_denial_that_a_resume_takes_back_is_no_reason() {
    let plan = with_round_check(plan("(a:1 -> ?):1"), 2, 1, "make ci");
    let mut denied = RunSimulation::new(plan, done()).with_person(|_| Some((5, false)));
    denied.aux_jobs.script = Box::new(|_| AuxJobScript::exiting(1));
    let denied = denied.run();
    let (_, mut resumed) = resumed_with(&denied.events, LimitChanges::default(), true);
    resumed.aux_jobs.script = Box::new(|_| AuxJobScript::exiting(1));
    let resumed = resumed.run();
    let expected = "asked 2, approved by person, \
                    refused by 2: checks did not pass: command:\"make ci\"";
    assert_eq!(story_line(&resumed), expected);
    let both = [denied.events.as_slice(), &resumed.events].concat();
    let rounds = crate::text::count::Count::parse("2").ok();
    let changes = LimitChanges { rounds, ..LimitChanges::default() };
    let mut more = RunSimulation::resumed(&both, changes, done());
    while more.spawned.is_empty() {
        assert!(more.step(), "another round begins");
    }
    let feedback = more.machine.state().steps[0].feedback.text().unwrap_or_default();
    assert!(feedback.starts_with("After round 1 not all checks passed:"), "{feedback}");
}

/// With more rounds, another round begins, and its question is another one.
#[test]
fn an_answer_of_a_resume_never_reaches_the_question_of_another_round() {
    for chain in ["(a:1 -> ?):1", "(?):1"] {
        let denied = RunSimulation::new(plan(chain), done());
        let denied = denied.with_person(|_| Some((5, false))).run();
        let rounds = crate::text::count::Count::parse("2").ok();
        let changes = LimitChanges { rounds, ..LimitChanges::default() };
        let (answerable, mut resumed) = resumed_with(&denied.events, changes, true);
        assert_eq!(answerable, None);
        while resumed.step() {}
        assert!(resumed.machine.is_asking(), "{}", story_line(&resumed));
    }
}

/// The process died after the request to skip the question, and before its step had ended.
#[test]
fn an_answer_of_a_resume_never_reaches_the_question_after_a_skipped_one() {
    let mut run = asking("? -> a -> ? -> b");
    run.ask(ControlRequest::Skip);
    let events = up_to(&run, |kind| matches!(kind, EventKind::SkipRequested { .. }));
    for approves in [true, false] {
        let (answerable, mut resumed) = resumed_with(&events, LimitChanges::default(), approves);
        assert_eq!(answerable, None);
        while resumed.step() {}
        assert!(resumed.machine.is_asking(), "{}", story_line(&resumed));
        assert_eq!(resumed.machine.state().last_question, 2);
    }
}

/// An explicit answer is worth more than an option of the first start.
#[test]
fn an_answer_of_a_resume_comes_before_yes() {
    let mut yes = plan("a -> ? -> b");
    yes.approves_all = true;
    let whole = RunSimulation::new(yes, done()).run();
    let asked = up_to(&whole, |kind| matches!(kind, EventKind::Asked { .. }));
    let brought = ResumeAnswer { approves: false, text: Some("no".to_owned()) };
    let (changes, grace_periods) = (LimitChanges::default(), GracePeriods::default());
    let machine = Machine::resume(fold(&asked), changes, "test", grace_periods, start());
    let machine = machine.with_resume_answer(Some(brought));
    let resumed = RunSimulation::with(machine, Box::new(done())).run();
    assert_eq!(story_line(&resumed), "asked 1, denied by person");
}
