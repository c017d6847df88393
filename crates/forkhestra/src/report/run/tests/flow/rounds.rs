use forkhestra_core::event::{
    AnswerSource, CancelCause, CheckOutcome, CheckReport, ClaimRefusal, CompletionSignal,
    EventKind, Fingerprint, LimitChanges, ProcessEnd, RunEnd, StepEnd, Verdict,
};
use forkhestra_core::text::count::Count;
use insta::assert_snapshot;

use crate::report::plan::dry_run::Verbosity;
use crate::report::run::tests::support::aux_jobs::check;
use crate::report::run::tests::support::event_script::EventScript;

/// A run that is accepted in its second round.
fn accepted() -> EventScript {
    EventScript::of("(a:3 -> ci):4")
        .round(1, 1)
        .step(1)
        .silent(1, 1)
        .last(1, 2)
        .rejects(2, 1)
        .refused(2, (1, 1), "\u{1b}[2Jtwo tests fail\nin detail")
        .round(1, 2)
        .step(1)
        .last(1, 3)
        .accepts(2, 2)
        .end(RunEnd::Complete)
}

#[test]
fn each_round_and_its_refusal_are_reported() {
    assert_snapshot!(accepted().report(), @r"
    [forkhestra] Round 1 of 4
    [forkhestra] Starting: a (max 3 iterations)
    [forkhestra] Iteration 1/3
    [forkhestra] Iteration 2/3
    [forkhestra] Complete after 2 iterations

    [forkhestra] Running: ci
    [forkhestra] Not accepted: ci (exit 1)
    [forkhestra] Round 1 was refused by ci: \u{1b}[2Jtwo tests fail …

    [forkhestra] Round 2 of 4
    [forkhestra] Starting: a (max 3 iterations)
    [forkhestra] Iteration 3 (1 of 3 in round 2)
    [forkhestra] Complete after 1 iteration

    [forkhestra] Running: ci
    [forkhestra] Done: ci (exit 0)

    [forkhestra] Summary
      1  a   complete  3 iterations  marker     4.5s
      2  ci  complete  2 iterations  exit_code  3s
         round 2 of 4 of steps 1 and 2, accepted
           round 1 was refused by ci: \u{1b}[2Jtwo tests fail …

    [forkhestra] In all: 5 iterations, 7.5s
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] Chain complete (2/2 steps)
    ");
}

/// Iteration numbers continue in later rounds, as in the variables of agents.
#[test]
fn the_live_line_has_the_round_and_the_number_in_it() {
    let script = EventScript::of("(a:3 -> ci):4").round(1, 1).step(1).last(1, 1).rejects(2, 1);
    let script = script.refused(2, (1, 1), "").round(1, 2).step(1).iteration(1, 2);
    let line = script.status_after(5_000).unwrap_or_default();
    assert_eq!(line, "[Agent: a] Round 2/4 | Iteration 2 (1 of 3) | 5s");
    let once = script.last(1, 2).step(2).iteration(2, 2);
    let line = once.status_after(5_000).unwrap_or_default();
    assert_eq!(line, "[Agent: ci] Round 2/4 | Running | 5s");
}

#[test]
fn the_summary_lists_refused_rounds_of_earlier_outer_rounds() {
    let script = EventScript::of("((a -> b):2 -> ci):2");
    let script = script.round(1, 1).round(2, 1).step(1).accepts(1, 1);
    let script = script.rejects(2, 1).refused(2, (2, 1), "b says no");
    let script = script.round(2, 2).step(1).accepts(1, 2).accepts(2, 2);
    let script = script.rejects(3, 1).refused(3, (1, 1), "ci says no");
    let script = script.round(1, 2).round(2, 1).step(1).accepts(1, 3).accepts(2, 3).accepts(3, 2);
    let report = script.end(RunEnd::Complete).report();
    let (_, summary) = report.split_once("Summary").expect("it has one");
    assert!(summary.contains("round 1 of 2 of steps 1 and 2, accepted"), "{summary}");
    assert!(summary.contains("round 1 was refused by b: b says no"), "{summary}");
}

#[test]
fn the_reason_of_an_inner_round_is_that_of_the_current_outer_one() {
    let script = EventScript::of("(a:3 -> (b:3 -> ci):2):2");
    let script = script.round(1, 1).step(1).last(1, 1);
    let script = script.round(2, 1).step(2).last(2, 1).rejects(3, 1).refused(3, (2, 1), "one");
    let script = script.round(2, 2).step(2).last(2, 2).rejects(3, 2).refused(3, (2, 2), "two");
    let script = script.refused(3, (1, 1), "two").round(1, 2).step(1).last(1, 2);
    let script = script.round(2, 1).step(2).last(2, 3).rejects(3, 3).refused(3, (2, 1), "three");
    let report = script.report();
    let last = report.lines().rfind(|line| line.contains("was refused"));
    assert_eq!(last, Some("[forkhestra] Round 1 was refused by ci: three"));
}

/// Its beginning is not recorded, and the line there is not whole.
#[test]
fn of_a_long_reason_the_last_line_is_shown() {
    let reason = format!("{}\nFAILED: 2 of 9 tests\n", "ok\n".repeat(2000));
    let reason = &reason.trim_end()[reason.trim_end().len() - 4096..];
    let script = EventScript::of("(a:3 -> ci):2").round(1, 1).step(1).last(1, 1).rejects(2, 1);
    let report = script.refused(2, (1, 1), reason).report();
    let expected = "] Round 1 was refused by ci: FAILED: 2 of 9 tests\n";
    assert!(report.contains(expected), "{report}");
}

#[test]
fn used_up_rounds_name_the_option_that_allows_more() {
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::MaxRounds(1) };
    let script = EventScript::of("(a:3 -> ci):1").round(1, 1).step(1).last(1, 1).rejects(2, 1);
    let script = script.refused(2, (1, 1), "two tests fail").end(end);
    assert_snapshot!(script.report_in(Verbosity::Quiet), @"
    [forkhestra] To resume: forkhestra resume q7w3k9zt --rounds 2
    [forkhestra] Chain incomplete (1/2 steps): step 2, ci, not accepted after 1 round
    ");
}

#[test]
fn a_resume_says_where_it_goes_on() {
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::MaxRounds(1) };
    let script = EventScript::of("(a:3 -> ci):1").round(1, 1).step(1).last(1, 1).rejects(2, 1);
    let rounds = Count::parse("2").ok();
    let script = script.refused(2, (1, 1), "").end(end);
    let script = script.resumed(LimitChanges { rounds, ..LimitChanges::default() }).round(1, 2);
    assert_snapshot!(script.report(), @"
    [forkhestra] Resuming run q7w3k9zt: 1 of 2 steps complete, a at iteration 2
    [forkhestra] Round 2 of 2
    ");
}

#[test]
fn checks_of_a_round_are_reported_with_the_end_of_their_output() {
    let failed = check("command:\"make ci\"", CheckOutcome::Failed);
    let failed = CheckReport { tail: Some("no rule".to_owned()), ..failed };
    let script = EventScript::of("(a:3 -> ci):2").round(1, 1).step(1).last(1, 1).step(2);
    let by = CompletionSignal::ExitCode;
    let script = script
        .iteration(2, 1)
        .iteration_finished((2, 1), Verdict::Complete(by), ProcessEnd::Exited(0))
        .round_checked(2, 1, vec![check("tasks", CheckOutcome::Passed), failed])
        .step_over(2, StepEnd::Refused(ClaimRefusal::ChecksFailed))
        .refused(2, (1, 1), "checks did not pass: command:\"make ci\"")
        .round(1, 2);
    assert_snapshot!(script.report(), @"
    [forkhestra] Round 1 of 2
    [forkhestra] Starting: a (max 3 iterations)
    [forkhestra] Iteration 1/3
    [forkhestra] Complete after 1 iteration

    [forkhestra] Running: ci
    [forkhestra] Check passed: tasks (2.1s)
    [forkhestra] Check failed: make ci: exit 101
    [forkhestra]   | no rule
    [forkhestra] Not accepted: ci: a check failed
    [forkhestra] Round 1 was refused by check make ci

    [forkhestra] Round 2 of 2
    ");
    assert_snapshot!(script.report_in(Verbosity::Quiet), @"[forkhestra] Check failed: make ci: exit 101");
}

#[test]
fn several_repeated_groups_are_told_apart_by_their_steps() {
    let script = EventScript::of("((a -> b):2 -> c):3").round(2, 1).round(1, 1);
    assert_snapshot!(script.report(), @"
    [forkhestra] Round 1 of 2 of steps 1 and 2
    [forkhestra] Round 1 of 3 of steps 1 to 3
    ");
}

#[test]
fn an_alternative_says_what_it_runs_instead_of() {
    let script = EventScript::of("a:2 else b -> c")
        .step(1)
        .silent(1, 1)
        .silent(1, 2)
        .step_over(1, StepEnd::MaxIterations)
        .step_instead_of(2, 1);
    let by = CompletionSignal::ExitCode;
    let script = script
        .iteration(2, 1)
        .iteration_finished((2, 1), Verdict::Complete(by.clone()), ProcessEnd::Exited(0))
        .step_over(2, StepEnd::Complete(by))
        .accepts(3, 1)
        .end(RunEnd::Complete);
    assert_snapshot!(script.report(), @"
    [forkhestra] Starting: a (max 2 iterations)
    [forkhestra] Iteration 1/2
    [forkhestra] Iteration 2/2
    [forkhestra] Incomplete after 2 iterations (max_iterations)

    [forkhestra] Step 2, b, runs instead of step 1, a
    [forkhestra] Running: b
    [forkhestra] Done: b (exit 0)

    [forkhestra] Running: c
    [forkhestra] Done: c (exit 0)

    [forkhestra] Summary
      1  a  incomplete  2 iterations  max_iterations  3s
         step 2 ran instead
      2  b  complete    1 iteration   exit_code       1.5s
         instead of step 1
      3  c  complete    1 iteration   exit_code       1.5s

    [forkhestra] In all: 4 iterations, 6s
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] Chain complete (2/2 steps, 1 replaced)
    ");
}

#[test]
fn steps_that_are_not_needed_count_neither_as_complete_nor_as_missing() {
    let script = EventScript::of("a -> (b else c)")
        .condition(1, false, check("file:y", CheckOutcome::Failed))
        .step_over(1, StepEnd::NotNeeded)
        .accepts(2, 1)
        .end(RunEnd::Complete);
    assert_snapshot!(script.report(), @"
    [forkhestra] Condition does not hold: file:y: exit 101
    [forkhestra] Not needed: a

    [forkhestra] Running: b
    [forkhestra] Done: b (exit 0)

    [forkhestra] Summary
      1  a  not needed
      2  b  complete    1 iteration  exit_code  1.5s
      3  c  not needed

    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] Chain complete (1/2 steps, 1 not needed)
    ");
}

#[test]
fn rounds_that_left_the_same_work_tree_are_not_called_iterations() {
    let end = RunEnd::Incomplete { step: 2, end: StepEnd::Cycling(2) };
    let mut script = EventScript::of("(a:3 -> ci):4");
    for round in 1..=2 {
        script = script.round(1, round).step(1).last(1, round).rejects(2, round);
        let tree = Some(Fingerprint("same".to_owned()));
        let (step, group, reason) = (2, 1, None);
        script = script.then(EventKind::RoundRefused { step, group, round, reason, tree });
    }
    assert_snapshot!(script.end(end).report_in(Verbosity::Quiet), @r#"
    [forkhestra] What to do: read why the rounds were refused (`forkhestra show q7w3k9zt`), add guidance with `forkhestra tell q7w3k9zt "…"`, then resume
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain incomplete (1/2 steps): step 2, ci, its last round changed nothing
    "#);
}

/// Nothing interrupted it, and its work of the first round is kept.
#[test]
fn a_step_that_a_later_round_did_not_reach_was_not_interrupted() {
    let script = EventScript::of("(a:3 -> ci):3 -> b").round(1, 1).step(1).last(1, 1);
    let script = script.rejects(2, 1).refused(2, (1, 1), "two tests fail").round(1, 2).step(1);
    let script = script.silent(1, 2).silent(1, 3).silent(1, 4);
    let script = script.step_over(1, StepEnd::MaxIterations);
    let end = RunEnd::Incomplete { step: 1, end: StepEnd::MaxIterations };
    let report = script.end(end).report();
    let (_, summary) = report.split_once("Summary\n").expect("it has a summary");
    let (table, _) = summary.split_once("\n\n").expect("a table");
    assert_snapshot!(table, @"
      1  a   incomplete   4 iterations  max_iterations  6s
      2  ci  not reached  1 iteration   before round 2  1.5s
         round 2 of 3 of steps 1 and 2
           round 1 was refused by ci: two tests fail
      3  b   not reached
    ");
}

/// An alternative that ran in the first round only is not incomplete in a complete run.
#[test]
fn an_alternative_that_the_last_round_did_not_need_is_not_incomplete() {
    let exit = ProcessEnd::Exited(1);
    let script = EventScript::of("(a else b -> ci):3").round(1, 1).step(1).iteration(1, 1);
    let script = script
        .iteration_finished((1, 1), Verdict::Crashed, exit.clone())
        .step_over(1, StepEnd::Failed(exit))
        .step_instead_of(2, 1);
    let by = CompletionSignal::ExitCode;
    let script = script
        .iteration(2, 1)
        .iteration_finished((2, 1), Verdict::Complete(by.clone()), ProcessEnd::Exited(0))
        .step_over(2, StepEnd::Complete(by))
        .rejects(3, 1)
        .refused(3, (1, 1), "")
        .round(1, 2)
        .accepts(1, 2)
        .accepts(3, 2)
        .end(RunEnd::Complete);
    let report = script.report();
    let (_, summary) = report.split_once("Summary\n").expect("it has a summary");
    assert_snapshot!(summary, @"
      1  a   complete    2 iterations  exit_code       3s
      2  b   not needed  1 iteration   before round 2  1.5s
      3  ci  complete    2 iterations  exit_code       3s
         round 2 of 3 of steps 1 to 3, accepted
           round 1 was refused by ci

    [forkhestra] In all: 5 iterations, 7.5s
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] Chain complete (2/2 steps)
    ");
}

/// A question has no iterations, so nothing is left of its earlier round.
#[test]
fn a_question_that_a_later_round_did_not_reach_is_not_interrupted() {
    let script = EventScript::of("(? -> a):2").round(1, 1).step(1).asked(1, 1, None);
    let script = script.answered((1, 1), true, AnswerSource::Person, None).rejects(2, 1);
    let script = script.refused(2, (1, 1), "").round(1, 2);
    let report = script.end(RunEnd::Interrupted(CancelCause::Stop)).report();
    let (_, summary) = report.split_once("Summary\n").expect("it has a summary");
    let (table, _) = summary.split_once("\n\n").expect("a table");
    assert_snapshot!(table, @"
      1  ?  not reached
      2  a  not reached  1 iteration  before round 2  1.5s
         round 2 of 2 of steps 1 and 2
           round 1 was refused by a
    ");
}

/// The group is replaced, and not only the step that refused its round.
#[test]
fn an_alternative_of_a_group_runs_instead_of_all_its_steps() {
    let script = EventScript::of("(a:3 -> ci):1 else b").round(1, 1).step(1).last(1, 1);
    let script = script.rejects(2, 1).refused(2, (1, 1), "two tests fail").step_instead_of(3, 2);
    let by = CompletionSignal::ExitCode;
    let script = script
        .iteration(3, 1)
        .iteration_finished((3, 1), Verdict::Complete(by.clone()), ProcessEnd::Exited(0))
        .step_over(3, StepEnd::Complete(by))
        .end(RunEnd::Complete);
    assert_snapshot!(script.report(), @"
    [forkhestra] Round 1 of 1
    [forkhestra] Starting: a (max 3 iterations)
    [forkhestra] Iteration 1/3
    [forkhestra] Complete after 1 iteration

    [forkhestra] Running: ci
    [forkhestra] Not accepted: ci (exit 1)
    [forkhestra] Round 1 was refused by ci: two tests fail

    [forkhestra] Step 3, b, runs instead of steps 1 and 2
    [forkhestra] Running: b
    [forkhestra] Done: b (exit 0)

    [forkhestra] Summary
      1  a   complete      1 iteration  marker     1.5s
      2  ci  not accepted  1 iteration  exit 1     1.5s
         step 3 ran instead of steps 1 and 2
         round 1 of 1 of steps 1 and 2
           round 1 was refused by ci: two tests fail
      3  b   complete      1 iteration  exit_code  1.5s
         instead of steps 1 and 2

    [forkhestra] In all: 3 iterations, 4.5s
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] Chain complete (1/1 steps, 2 replaced)
    ");
}
