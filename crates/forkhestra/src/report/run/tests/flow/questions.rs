use std::time::Duration;

use forkhestra_core::event::{
    Answer, AnswerSource, CancelCause, EventKind, LimitChanges, RunEnd, StepEnd,
};
use forkhestra_core::history::{Liveness, RunHistory};
use forkhestra_core::time::Timestamp;
use insta::assert_snapshot;

use crate::report::plan::dry_run::Verbosity;
use crate::report::run::tests::support::event_script::EventScript;
use crate::report::text::status;

/// A run that asks.
fn asking() -> EventScript {
    EventScript::of("a -> ? -> b")
        .question_text(2, "Is the plan right?\nSee \u{1b}[2Jplan.md")
        .once(1, 0)
        .step(2)
        .asked(2, 1, None)
}

fn in_two_hours() -> Option<Timestamp> {
    let now = Timestamp::from_milliseconds(1_790_000_000_000);
    Some(now.saturating_add(Duration::from_secs(7200)))
}

#[test]
fn a_question_is_shown_with_the_commands_that_answer_it() {
    assert_snapshot!(asking().report(), @r#"
    [forkhestra] Running: a
    [forkhestra] Done: a (exit 0)

    [forkhestra] Step 2 asks: Is the plan right?
    [forkhestra]   | See \u{1b}[2Jplan.md
    [forkhestra] To approve: forkhestra approve q7w3k9zt --question 1
    [forkhestra] To deny: forkhestra deny q7w3k9zt --question 1
    [forkhestra] A comment can follow either command, in quotation marks
    "#);
}

/// Otherwise the run would wait without a word.
#[test]
fn a_quiet_run_shows_its_question() {
    let script = asking().answered((2, 1), true, AnswerSource::Person, None);
    assert_snapshot!(script.report_in(Verbosity::Quiet), @r#"
    [forkhestra] Step 2 asks: Is the plan right?
    [forkhestra]   | See \u{1b}[2Jplan.md
    [forkhestra] To approve: forkhestra approve q7w3k9zt --question 1
    [forkhestra] To deny: forkhestra deny q7w3k9zt --question 1
    [forkhestra] A comment can follow either command, in quotation marks
    "#);
}

#[test]
fn a_question_that_nothing_waits_for_has_no_commands() {
    let mut script = EventScript::of("a -> ? -> b");
    script.plan.approves_all = true;
    let script = script.once(1, 0).step(2).asked(2, 1, None);
    let script = script.answered((2, 1), true, AnswerSource::YesOption, None);
    assert_snapshot!(script.report(), @"
    [forkhestra] Running: a
    [forkhestra] Done: a (exit 0)

    [forkhestra] Step 2 asks for approval
    [forkhestra] Approved by --yes
    ");
    assert_eq!(script.report_in(Verbosity::Quiet), "");
}

#[test]
fn the_end_of_a_timeout_is_told_with_what_it_means() {
    let script = EventScript::of("? -> b").step(1).asked(1, 1, in_two_hours());
    assert!(
        script.report().contains("] Without an answer it is denied at "),
        "{}",
        script.report()
    );
    let script = script.approved_on_timeout(1);
    assert!(
        script.report().contains("] Without an answer it is APPROVED at "),
        "{}",
        script.report()
    );
    let over = script.answered((1, 1), true, AnswerSource::Timeout, None);
    assert!(over.report().contains("] Approved by its timeout\n"), "{}", over.report());
}

#[test]
fn the_live_line_names_the_commands_and_counts_no_time() {
    let script = asking();
    let line = script.status_after(0).unwrap_or_default();
    assert!(line.starts_with("[Step 2] Waiting for an answer since "), "{line}");
    let verbs = ["approve", "deny"];
    let commands = verbs.map(|verb| format!(" | forkhestra {verb} q7w3k9zt --question 1"));
    assert!(line.ends_with(&commands.concat()), "{line}");
}

/// Nothing interrupted the question itself.
#[test]
fn a_question_of_a_run_that_was_cut_off_after_the_answer_is_answered() {
    for (approved, word) in [(true, "approved"), (false, "denied")] {
        let answer = Answer { question: 1, approved, text: None, by: AnswerSource::Person };
        let script = asking().then(EventKind::Answered { step: 2, answer });
        let history = RunHistory::of(&script.events).expect("the events fit");
        for liveness in [Liveness::Alive, Liveness::Gone] {
            assert_eq!(status::of_step(&history, 2, liveness).0, word, "{liveness:?}");
        }
    }
}

/// The hook decides about the step, and not about the answer.
#[test]
fn an_approval_is_called_so_although_the_hook_of_the_question_failed() {
    let answer = Answer { question: 1, approved: true, text: None, by: AnswerSource::Person };
    let end = StepEnd::HookFailed("./page.sh".to_owned());
    let script = asking()
        .then(EventKind::Answered { step: 2, answer })
        .step_over(2, end.clone())
        .end(RunEnd::Incomplete { step: 2, end });
    let history = RunHistory::of(&script.recorded()).expect("it can have happened");
    assert_eq!(status::of_step(&history, 2, Liveness::Gone).0, "approved");
    let report = script.report();
    assert!(report.contains("\n  2  ?  approved     by a person  open for 0s\n"), "{report}");
}

#[test]
fn a_resumed_run_says_that_its_question_is_answered() {
    for approved in [true, false] {
        let answer = Answer { question: 1, approved, text: None, by: AnswerSource::Person };
        let script = asking().then(EventKind::Answered { step: 2, answer });
        let report = script.resumed(LimitChanges::default()).report();
        let begin = "[forkhestra] Resuming run q7w3k9zt: 1 of 3 steps complete, ";
        assert_eq!(report, format!("{begin}the question is answered\n"));
    }
    let report = asking().resumed(LimitChanges::default()).report();
    assert!(report.ends_with("complete, the question next\n"), "{report}");
}

#[test]
fn a_denial_ends_the_run_with_its_comment() {
    let script = asking()
        .after(0)
        .answered((2, 1), false, AnswerSource::Person, Some("not\u{7} like this\nat all"))
        .end(RunEnd::Incomplete { step: 2, end: StepEnd::Denied });
    let report = script.report();
    let (_, after) = report.split_once(", in quotation marks\n").expect("it is asked");
    assert_snapshot!(after, @r"
    [forkhestra] Denied by a person: not\u{7} like this …

    [forkhestra] Summary
      1  a  complete     1 iteration  exit_code    1.5s
      2  ?  denied       by a person  open for 0s
      3  b  not reached

    [forkhestra] In all: 1 iteration, 1.5s
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] What to do: resume to ask again; with `--approve`, resuming approves it
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain incomplete (1/3 steps): step 2, the question, it was not approved
    ");
}

#[test]
fn an_interrupted_run_says_how_its_question_is_answered() {
    let by = CancelCause::Interrupt;
    let script = asking().step_over(2, StepEnd::Cancelled).end(RunEnd::Interrupted(by));
    assert_snapshot!(script.report_in(Verbosity::Quiet), @r#"
    [forkhestra] Step 2 asks: Is the plan right?
    [forkhestra]   | See \u{1b}[2Jplan.md
    [forkhestra] To approve: forkhestra approve q7w3k9zt --question 1
    [forkhestra] To deny: forkhestra deny q7w3k9zt --question 1
    [forkhestra] A comment can follow either command, in quotation marks
    [forkhestra] To answer: forkhestra resume q7w3k9zt --approve, or --deny
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain interrupted (1/3 steps): SIGINT
    "#);
}
