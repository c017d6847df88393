use forkhestra_core::event::{
    CheckOutcome, CheckReport, ClaimRefusal, CompletionSignal, EventKind, Fingerprint,
    LimitChanges, ProcessEnd, RunEnd, StepEnd, Verdict,
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
    [forkhestra] Failed: ci (exit 1)
    [forkhestra] Round 1 was refused by ci: \u{1b}[2Jtwo tests fail …

    [forkhestra] Round 2 of 4
    [forkhestra] Starting: a (max 3 iterations)
    [forkhestra] Iteration 3/5
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

/// Iterations of later rounds are numbered on, as agents are told.
#[test]
fn the_live_line_has_the_round_and_the_number_of_the_last_iteration() {
    let script = EventScript::of("(a:3 -> ci):4").round(1, 1).step(1).last(1, 1).rejects(2, 1);
    let script = script.refused(2, (1, 1), "").round(1, 2).step(1).iteration(1, 2);
    let line = script.status_after(5_000).unwrap_or_default();
    assert_eq!(line, "[Agent: a] Round 2/4 | Iteration 2/4 | 5s");
    let once = script.last(1, 2).step(2).iteration(2, 2);
    let line = once.status_after(5_000).unwrap_or_default();
    assert_eq!(line, "[Agent: ci] Round 2/4 | Running | 5s");
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
    [forkhestra] Failed: ci: a check failed
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
    [forkhestra] Chain complete (2/2 steps)
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
    [forkhestra] Condition does not hold: file:y
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
    [forkhestra] Chain incomplete (1/2 steps): step 2, ci, the last two rounds left the same work tree
    "#);
}
