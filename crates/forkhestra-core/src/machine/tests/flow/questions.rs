use super::support::{story_line, with_round_check};
use crate::control::{
    AcceptedRequest, AnswerRequest, ControlReply, ControlRequest, MAX_MESSAGE_BYTES, RefusedRequest,
};
use crate::event::{AnswerSource, AuxJob, CancelCause, LimitChanges, StepEnd};
use crate::hook::HookPoint;
use crate::machine::Machine;
use crate::machine::tests::hooks::hooked;
use crate::machine::tests::support::aux_job_scripts::AuxJobScript;
use crate::machine::tests::support::run_simulation::{fold, start};
use crate::machine::tests::*;
use crate::plan::AgentKind;
use crate::policy::GracePeriods;

pub(super) fn done() -> impl Fn(crate::id::UnitId) -> SimulatedAgent + Clone {
    |_| SimulatedAgent::done()
}

fn answer(step: usize, question: Option<u32>, approves: bool) -> ControlRequest {
    ControlRequest::Answer(AnswerRequest { step, question, approves, text: None })
}

/// Runs until a person is asked and nothing else can happen.
pub(super) fn asking(chain: &str) -> RunSimulation {
    let mut run = RunSimulation::new(plan(chain), done());
    while !run.machine.is_asking() {
        assert!(run.step(), "it goes on until it asks");
    }
    run
}

fn with_timeout(chain: &str, step: usize, approves: bool) -> Plan {
    let mut plan = plan(chain);
    let AgentKind::Question(question) = &mut plan.steps[step - 1].agent.kind else {
        panic!("step {step} is a question")
    };
    question.timeout = limit("2h").expect("a limit");
    question.approves_on_timeout = approves;
    plan
}

#[test]
fn a_run_goes_on_when_a_person_approves() {
    let run = RunSimulation::new(plan("a -> ? -> b"), done()).with_person(|_| Some((5, true)));
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "exit_code approved exit_code: complete");
    assert_eq!(story_line(&run), "1.1.1, asked 1, approved by person, 3.1.1");
}

#[test]
fn a_denial_ends_the_chain_and_a_resume_asks_again() {
    let run = RunSimulation::new(plan("a -> ? -> b"), done()).with_person(|_| Some((5, false)));
    let run = run.run();
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::Denied };
    assert_eq!(run.machine.end(), Some(&end));
    assert_eq!(run.machine.state().answerable_step(), Some(2));
    let again = RunSimulation::resumed(&run.events, LimitChanges::default(), done());
    let again = again.with_person(|_| Some((5, true))).run();
    assert_eq!(story_line(&again), "asked 2, approved by person, 3.1.1");
}

#[test]
fn agents_clocks_and_budgets_stand_still_meanwhile() {
    let hours = |hours: u64| hours * 3_600_000;
    let run =
        RunSimulation::new(limited("a -> ? -> b", |limits| limits.run_time = limit("1m")), done());
    let run = run.with_person(move |_| Some((hours(30), true))).run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
    assert!(run.machine.state().elapsed < seconds(1), "{:?}", run.machine.state().elapsed);
    assert!(run.took() > seconds(30 * 3600));
}

#[test]
fn nothing_wakes_a_run_that_waits_without_a_timeout() {
    let mut run = asking("? -> a");
    assert_eq!(run.machine.deadline(), None);
    assert!(!run.step(), "nothing is due");
}

#[test]
fn an_unanswered_question_is_denied_when_its_time_is_up() {
    let run = RunSimulation::new(with_timeout("? -> a", 1, false), done()).run();
    assert_eq!(ends(run.machine.state()), "denied pending: incomplete at 1");
    assert_eq!(story_line(&run), "asked 1, denied by timeout");
    assert!(run.took() >= seconds(7200) && run.took() < seconds(7231), "{:?}", run.took());
    let run = RunSimulation::new(with_timeout("? -> a", 1, true), done()).run();
    assert_eq!(story_line(&run), "asked 1, approved by timeout, 2.1.1");
}

#[test]
fn a_question_that_refuses_a_round_gives_its_comment_to_the_first_agent() {
    let mut run = RunSimulation::new(plan("(a:3 -> ?):3"), done());
    run = run.with_person(|question| Some((5, question == 2)));
    while run.spawned.len() < 2 {
        assert!(run.step(), "it goes on");
    }
    let feedback = run.machine.state().steps[0].feedback.text();
    let expected = "A person did not accept the work of round 1:\n\n  | answer 1\n";
    assert_eq!(feedback.as_deref(), Some(expected));
    let run = run.run();
    assert_eq!(ends(run.machine.state()), "marker approved: complete");
    let expected = "round 1.1, 1.1.1, asked 1, denied by person, refused by 2: answer 1, \
                    round 1.2, 1.2.1, asked 2, approved by person";
    assert_eq!(story_line(&run), expected);
}

#[test]
fn a_comment_of_an_approval_is_a_message_for_the_next_agent() {
    let mut run = asking("a -> ? -> b");
    let text = Some("use tabs".to_owned());
    let request = AnswerRequest { step: 2, question: Some(1), approves: true, text };
    let reply = run.ask(ControlRequest::Answer(request));
    let expected = AcceptedRequest::Answered { step: 2, approved: true };
    assert_eq!(reply, Some(ControlReply::Accepted(expected)));
    let run = run.run();
    let given = run.kinds().any(|kind| matches!(kind, EventKind::MessagesGiven { .. }));
    assert!(given, "{:?}", run.events);
}

#[test]
fn only_the_first_of_many_answers_counts() {
    let mut run = asking("a -> ? -> b:2 -> ?");
    let first = run.ask(answer(2, Some(1), true));
    let expected = AcceptedRequest::Answered { step: 2, approved: true };
    assert_eq!(first, Some(ControlReply::Accepted(expected)));
    for _ in 0..19 {
        let late = run.ask(answer(2, Some(1), false));
        assert_eq!(late, Some(ControlReply::Refused(RefusedRequest::AnsweredAlready)));
    }
    while !run.machine.is_asking() {
        assert!(run.step(), "it goes on until it asks again");
    }
    for (request, why) in [
        (answer(2, Some(1), true), RefusedRequest::AnsweredAlready),
        (answer(2, None, true), RefusedRequest::OtherQuestion),
        (answer(4, Some(1), true), RefusedRequest::AnsweredAlready),
        (answer(4, Some(3), true), RefusedRequest::OtherQuestion),
    ] {
        assert_eq!(run.ask(request), Some(ControlReply::Refused(why)));
    }
    assert!(matches!(run.ask(answer(4, Some(2), true)), Some(ControlReply::Accepted(_))));
    assert_eq!(run.run().machine.end(), Some(&RunEnd::Complete));
}

#[test]
fn a_late_answer_cannot_approve_the_question_of_the_next_round() {
    let mut run = asking("(a:1 -> ?):3");
    assert!(matches!(run.ask(answer(2, Some(1), false)), Some(ControlReply::Accepted(_))));
    while !run.machine.is_asking() {
        assert!(run.step(), "it goes on until it asks again");
    }
    let late = run.ask(answer(2, Some(1), true));
    assert_eq!(late, Some(ControlReply::Refused(RefusedRequest::AnsweredAlready)));
}

#[test]
fn an_answer_without_a_question_is_refused() {
    let mut run = RunSimulation::new(plan("a:3"), |_| SimulatedAgent::hanging());
    while run.spawned.is_empty() {
        assert!(run.step(), "it starts the agent");
    }
    let reply = run.ask(answer(1, None, true));
    assert_eq!(reply, Some(ControlReply::Refused(RefusedRequest::NotAsking)));
}

#[test]
fn a_comment_that_holds_a_marker_is_refused() {
    let mut run = asking("a -> ? -> b:2");
    let long = "x".repeat(20_000);
    let text = Some(long);
    let request = AnswerRequest { step: 2, question: Some(1), approves: false, text };
    let reply = run.ask(ControlRequest::Answer(request));
    assert_eq!(reply, Some(ControlReply::Refused(RefusedRequest::LongMessage)));
    assert!(run.machine.is_asking(), "the question is still open");
}

#[test]
fn a_killed_run_has_its_question_open_and_never_answers_it_itself() {
    let events = asking("a -> ? -> b").events;
    let state = fold(&events);
    assert_eq!(state.open_question().map(|(step, open)| (step, open.number)), Some((2, 1)));
    let mut resumed = RunSimulation::resumed(&events, LimitChanges::default(), done());
    while resumed.step() {}
    assert!(resumed.machine.is_asking() && resumed.spawned.is_empty());
    assert_eq!(story_line(&resumed), "asked 1", "the same question");
}

/// The process may die between the answer and its message. The comment is given once, to the agent
/// after the answer that counts.
#[test]
fn a_comment_is_a_message_once_wherever_the_run_is_cut_off() {
    let mut run = asking("a -> ? -> b");
    let text = Some("use tabs\n".to_owned());
    let request = AnswerRequest { step: 2, question: Some(1), approves: true, text };
    run.ask(ControlRequest::Answer(request));
    let whole = run.run();
    let asked = up_to(&whole, |kind| matches!(kind, EventKind::Asked { .. })).len();
    let given = up_to(&whole, |kind| matches!(kind, EventKind::MessagesGiven { .. })).len();
    for cut in asked..given {
        let prefix = &whole.events[..cut];
        let rest = RunSimulation::resumed(prefix, LimitChanges::default(), done());
        let rest = rest.with_person(|_| Some((5, false)));
        let all = [prefix, &rest.run().events].concat();
        let queued = |event: &&Event| matches!(&event.kind, EventKind::MessageQueued { .. });
        let approved = |event: &&Event| matches!(&event.kind, EventKind::Answered { answer, .. } if answer.approved);
        let messages = all.iter().filter(queued).count();
        assert_eq!(messages, all.iter().filter(approved).count(), "cut at {cut}");
    }
}

#[test]
fn yes_approves_every_question() {
    let mut yes = plan("? -> a -> ?");
    yes.approves_all = true;
    let run = RunSimulation::new(yes, done()).run();
    assert_eq!(story_line(&run), "asked 1, approved by option, 2.1.1, asked 2, approved by option");
    let by_yes = |kind: &EventKind| matches!(kind, EventKind::Answered { answer, .. } if answer.by == AnswerSource::YesOption);
    assert_eq!(run.kinds().filter(|kind| by_yes(kind)).count(), 2);
}

#[test]
fn stop_skip_and_cancellation_end_the_wait() {
    let mut stopped = asking("a -> ? -> b");
    stopped.ask(ControlRequest::Stop);
    assert_eq!(stopped.machine.end(), Some(&RunEnd::Interrupted(CancelCause::Stop)));
    let state = stopped.machine.state();
    assert_eq!(state.answerable_step(), Some(2), "the question is still open");

    let mut skipped = asking("a -> ? -> b");
    skipped.ask(ControlRequest::Skip);
    let skipped = skipped.run();
    assert_eq!(ends(skipped.machine.state()), "exit_code skipped exit_code: complete");

    let mut cancelled = asking("a -> ? -> b");
    cancelled.feed(Input::Cancel(CancelCause::Hangup));
    let cancelled = cancelled.run();
    assert_eq!(cancelled.machine.end(), Some(&RunEnd::Interrupted(CancelCause::Hangup)));
    let resumed = RunSimulation::resumed(&cancelled.events, LimitChanges::default(), done());
    let resumed = resumed.with_person(|_| Some((5, true))).run();
    assert_eq!(story_line(&resumed), "asked 1, approved by person, 3.1.1");
}

#[test]
fn a_pause_during_a_question_changes_nothing() {
    let mut run = asking("a -> ? -> b");
    run.ask(ControlRequest::Pause);
    run.feed(Input::Tick);
    run.ask(ControlRequest::Continue);
    assert!(run.machine.is_asking());
    run.ask(ControlRequest::Pause);
    assert!(matches!(run.ask(answer(2, Some(1), true)), Some(ControlReply::Accepted(_))));
    assert_eq!(run.run().machine.end(), Some(&RunEnd::Complete), "the answer continues the run");
}

#[test]
fn a_suspended_run_still_asks_after_it_continues() {
    let mut run = asking("a -> ? -> b");
    run.feed(Input::Pause);
    run.feed(Input::Continue);
    assert!(run.machine.is_asking());
    let elapsed = run.machine.state().elapsed;
    run.now += seconds(60);
    assert_eq!(run.machine.elapsed(run.clock()), elapsed, "its clock still stands");
}

#[test]
fn hooks_for_questions_are_called_once_for_each() {
    let hooks = &[(HookPoint::OnQuestion, crate::config::OnHookError::Continue)];
    let plan = hooked(plan("(a:1 -> ?):2"), hooks);
    let run = RunSimulation::new(plan, done()).with_person(|question| Some((500, question == 2)));
    let run = run.run();
    let called = run.aux_jobs.ran.iter().filter(|job| matches!(job, AuxJob::Hook { .. }));
    assert_eq!(called.count(), 2);
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
}

#[test]
fn an_answer_while_the_hooks_run_counts() {
    let hooks = &[(HookPoint::OnQuestion, crate::config::OnHookError::Continue)];
    let plan = hooked(plan("? -> a"), hooks);
    let run = RunSimulation::new(plan, done()).with_person(|_| Some((5, true))).run();
    assert_eq!(story_line(&run), "asked 1, approved by person, 2.1.1");
}

#[test]
fn the_checks_of_the_group_run_after_an_approval() {
    let plan = with_round_check(plan("(a:1 -> ?):2"), 2, 1, "make ci");
    let mut run = RunSimulation::new(plan, done()).with_person(|_| Some((5, true)));
    let checked = std::cell::Cell::new(0);
    run.aux_jobs.script = Box::new(move |_| {
        checked.set(checked.get() + 1);
        AuxJobScript::exiting(i32::from(checked.get() == 1))
    });
    let run = run.run();
    assert_eq!(run.machine.end(), Some(&RunEnd::Complete));
    let expected = "round 1.1, 1.1.1, asked 1, approved by person, \
                    refused by 2: checks did not pass: command:\"make ci\", \
                    round 1.2, 1.2.1, asked 2, approved by person";
    assert_eq!(story_line(&run), expected);
}

#[test]
fn an_answer_while_the_hooks_run_continues_a_paused_run() {
    let hooks = &[(HookPoint::OnQuestion, crate::config::OnHookError::Continue)];
    let mut run = RunSimulation::new(hooked(plan("? -> a"), hooks), done());
    while run.aux_jobs.ran.is_empty() {
        assert!(run.step(), "it starts the hook");
    }
    run.ask(ControlRequest::Pause);
    assert!(matches!(run.ask(answer(1, Some(1), true)), Some(ControlReply::Accepted(_))));
    assert_eq!(run.run().machine.end(), Some(&RunEnd::Complete));
}

#[test]
fn an_answer_after_the_time_is_refused_also_while_the_hooks_run() {
    let hooks = &[(HookPoint::OnQuestion, crate::config::OnHookError::Continue)];
    let mut run = RunSimulation::new(hooked(with_timeout("? -> a", 1, false), hooks), done());
    run.aux_jobs.script = Box::new(|_| AuxJobScript { exits_at: None, ..AuxJobScript::exiting(0) });
    while run.aux_jobs.ran.is_empty() {
        assert!(run.step(), "it starts the hook");
    }
    run.now += seconds(7201);
    let late = run.ask(answer(1, Some(1), true));
    assert_eq!(late, Some(ControlReply::Refused(RefusedRequest::AnsweredAlready)));
    assert_eq!(story_line(&run), "asked 1, denied by timeout");
}

#[test]
fn a_comment_of_a_denial_is_no_message() {
    let mut run = asking("(a:1 -> ?):2");
    for number in 0..40 {
        run.ask(ControlRequest::tell(format!("message {number}")));
    }
    let text = Some("split task 3".to_owned());
    let request = AnswerRequest { step: 2, question: Some(1), approves: false, text };
    let reply = run.ask(ControlRequest::Answer(request));
    assert!(matches!(reply, Some(ControlReply::Accepted(_))), "{reply:?}");
}

/// The wall clock can pass the timeout before the run reads it: the process was suspended, the
/// host slept, or an operator paused the run.
#[test]
fn a_late_answer_does_not_delay_the_end_by_the_timeout() {
    for (approves, end) in [(false, "denied by timeout"), (true, "approved by timeout, 2.1.1")] {
        for is_paused in [false, true] {
            let mut run = RunSimulation::new(with_timeout("? -> a", 1, approves), done());
            while !run.machine.is_asking() {
                assert!(run.step(), "it asks");
            }
            if is_paused {
                run.ask(ControlRequest::Pause);
            }
            run.now += seconds(7201);
            let late = run.ask(answer(1, Some(1), !approves));
            assert_eq!(late, Some(ControlReply::Refused(RefusedRequest::AnsweredAlready)));
            assert_eq!(run.machine.is_asking(), is_paused, "a paused run does not go on");
            if is_paused {
                run.ask(ControlRequest::Continue);
            }
            let run = run.run();
            assert_eq!(story_line(&run), format!("asked 1, {end}"), "paused: {is_paused}");
        }
    }
}

#[test]
fn the_clock_is_read_when_the_host_wakes_up() {
    let mut run = RunSimulation::new(with_timeout("? -> a", 1, true), done());
    while !run.machine.is_asking() {
        assert!(run.step(), "it asks");
    }
    run.now += seconds(5);
    run.feed(Input::Slept(seconds(7200)));
    assert!(run.machine.deadline().is_some_and(|at| at <= run.clock().awake));
}

#[test]
fn a_late_answer_never_reaches_the_next_question_of_the_same_step() {
    for number in [None, Some(1)] {
        let mut run = RunSimulation::new(with_timeout("(?):3", 1, false), done());
        while !run.machine.is_asking() {
            assert!(run.step(), "it asks");
        }
        run.now += seconds(7201);
        let late = run.ask(answer(1, number, true));
        assert_eq!(late, Some(ControlReply::Refused(RefusedRequest::AnsweredAlready)));
        let expected = "round 1.1, asked 1, denied by timeout, refused by 1: -, round 1.2, asked 2";
        assert_eq!(story_line(&run), expected);
    }
}

#[test]
fn the_comment_of_a_denial_is_given_whole() {
    let mut run = asking("(a:1 -> ?):2");
    let comment = format!("first point {} last point", "x".repeat(9000));
    let text = Some(comment.clone());
    let request = AnswerRequest { step: 2, question: Some(1), approves: false, text };
    assert!(matches!(run.ask(ControlRequest::Answer(request)), Some(ControlReply::Accepted(_))));
    while run.spawned.len() < 2 {
        assert!(run.step(), "it goes on");
    }
    let feedback = run.machine.state().steps[0].feedback.text().expect("there is a reason");
    assert!(feedback.contains(&comment), "{feedback}");
}

/// A slow hook is no reason to forget the answer.
#[test]
fn a_question_that_is_answered_cannot_be_skipped() {
    let hooks = &[(HookPoint::OnQuestion, crate::config::OnHookError::Continue)];
    let mut run = RunSimulation::new(hooked(plan("(b -> ?):2 -> a"), hooks), done());
    while run.aux_jobs.ran.is_empty() {
        assert!(run.step(), "it starts the hook");
    }
    run.ask(answer(2, Some(1), false));
    for request in [ControlRequest::Skip, ControlRequest::SkipGroup] {
        let reply = run.ask(request);
        assert_eq!(reply, Some(ControlReply::Refused(RefusedRequest::AnsweredAlready)));
    }
    let run = run.with_person(|_| Some((5, true))).run();
    assert_eq!(
        story_line(&run),
        "round 1.1, 1.1.1, asked 1, denied by person, refused by 2: -, \
         round 1.2, 1.2.1, asked 2, approved by person, 3.1.1"
    );
}

/// The process died between the approval and its message, and the next messages fill the queue.
#[test]
fn a_comment_that_is_no_message_yet_has_its_place_among_the_messages() {
    let mut run = asking("a -> ? -> b");
    let text = Some("use tabs".to_owned());
    let request = AnswerRequest { step: 2, question: Some(1), approves: true, text };
    run.ask(ControlRequest::Answer(request));
    let run = run.run();
    let cut = up_to(&run, |kind| matches!(kind, EventKind::Answered { .. })).len() + 1;
    let events = &run.events[..cut];
    let state = fold(events);
    let mut kept = Vec::new();
    while let Ok(message) = state.accept_message(&kept, "go on") {
        kept.push(message);
    }
    assert_eq!(kept.len(), crate::control::MAX_MESSAGES - 1);
    let machine =
        Machine::resume(state, LimitChanges::default(), "test", GracePeriods::default(), start());
    let resumed = RunSimulation::with(machine.with_messages(kept), Box::new(done())).run();
    let given = resumed.kinds().find_map(|kind| match kind {
        EventKind::MessagesGiven { messages, .. } => Some(messages.len()),
        _ => None,
    });
    assert_eq!(given, Some(crate::control::MAX_MESSAGES));
}

#[test]
fn feedback_says_that_a_question_timed_out() {
    let feedback = |chain: &str, agents: usize, step: usize| {
        let mut run = RunSimulation::new(with_timeout(chain, 2, false), |unit| match unit.step {
            1 => SimulatedAgent::exiting(0),
            _ => SimulatedAgent::done(),
        });
        while run.spawned.len() < agents {
            assert!(run.step(), "it goes on");
        }
        run.machine.state().steps[step - 1].feedback.text()
    };
    let expected = "The question about the work of round 1 timed out without an answer.\n";
    assert_eq!(feedback("(a -> ?):2", 2, 1).as_deref(), Some(expected));
    let expected = "The question before this step timed out without an answer.\n";
    assert_eq!(feedback("a -> ? else b", 2, 3).as_deref(), Some(expected));
}

/// Every line is quoted, which makes a comment of short lines much longer.
#[test]
fn the_longest_comment_of_a_denial_is_given_whole() {
    let text = "1\n".repeat(MAX_MESSAGE_BYTES / 2 - 1) + "2";
    let mut run = asking("(a -> ?):2");
    let request = AnswerRequest { step: 2, question: None, approves: false, text: Some(text) };
    let reply = run.ask(ControlRequest::Answer(request));
    let denied = AcceptedRequest::Answered { step: 2, approved: false };
    assert_eq!(reply, Some(ControlReply::Accepted(denied)));
    while run.spawned.len() < 2 {
        assert!(run.step(), "it goes on");
    }
    let feedback = run.machine.state().steps[0].feedback.text().unwrap_or_default();
    assert!(feedback.ends_with("  | 2\n"), "{}", &feedback[feedback.len() - 80..]);
    assert!(feedback.len() < 100 * 1024, "it fits into an argument with a prompt");
}
