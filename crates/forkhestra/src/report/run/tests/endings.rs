//! Tests of the summary and the verdict.

use std::time::Duration;

use forkhestra_core::event::{
    CancelCause, EventKind, IterationReport, LimitChanges, Observation, OutputSummary, ProcessEnd,
    RunEnd, StepEnd, StopReason, Verdict,
};
use forkhestra_core::history::RunHistory;
use forkhestra_core::id::UnitId;
use forkhestra_core::limit::Limit;
use forkhestra_core::text::count::Count;
use insta::assert_snapshot;

use super::support::event_script::EventScript;
use crate::report::plan::dry_run::Verbosity;
use crate::report::run::{HumanReporter, ReporterFacts};

fn incomplete(script: EventScript, step: usize, end: StepEnd) -> EventScript {
    script.step_over(step, end.clone()).end(RunEnd::Incomplete { step, end })
}

#[test]
fn an_empty_chain_is_complete() {
    let mut script = EventScript::of("a");
    script.plan.steps.clear();
    assert_snapshot!(script.end(RunEnd::Complete).report(), @"[forkhestra] Chain complete (0/0 steps)");
}

#[test]
fn an_exhausted_loop_shows_the_resume_command() {
    let script = EventScript::of("planner -> builder:2 -> tester").once(1, 0).step(2);
    let script = incomplete(script.silent(2, 1).silent(2, 2), 2, StepEnd::MaxIterations);
    assert_snapshot!(script.report(), @"
    [forkhestra] Running: planner
    [forkhestra] Done: planner (exit 0)

    [forkhestra] Starting: builder (max 2 iterations)
    [forkhestra] Iteration 1/2
    [forkhestra] Iteration 2/2
    [forkhestra] Incomplete after 2 iterations (max_iterations)

    [forkhestra] Summary
      1  planner  complete     1 iteration   exit_code       1.5s
      2  builder  incomplete   2 iterations  max_iterations  3s
      3  tester   not reached

    [forkhestra] In all: 3 iterations, 4.5s
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] To resume: forkhestra resume q7w3k9zt --max-iterations 4
    [forkhestra] Chain incomplete (1/3 steps): step 2, builder, not complete after 2 iterations
    ");
}

#[test]
fn an_agent_that_runs_once_and_fails_stops_the_chain() {
    let end = StepEnd::Failed(ProcessEnd::Exited(3));
    let script =
        EventScript::of("planner -> builder").once(1, 3).end(RunEnd::Incomplete { step: 1, end });
    assert_snapshot!(script.report(), @"
    [forkhestra] Running: planner
    [forkhestra] Failed: planner (exit 3)

    [forkhestra] Summary
      1  planner  incomplete   1 iteration  failed (exit 3)  1.5s
      2  builder  not reached

    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain incomplete (0/2 steps): step 1, planner, failed (exit 3)
    ");
}

#[test]
fn every_end_of_a_step_has_its_sentence() {
    let ends = [
        StepEnd::Failed(ProcessEnd::Signaled(9)),
        StepEnd::Failed(ProcessEnd::NotStarted { reason: "no such file".into(), transient: false }),
        StepEnd::Stagnated(3),
        StepEnd::Cycling(2),
        StepEnd::AgentStopped(StopReason::Idle),
        StepEnd::StepTime,
        StepEnd::RunTime,
        StepEnd::Cancelled,
    ];
    let interesting = |line: &&str| {
        ["Failed", "Incomplete", "Interrupted: ", "Chain", "  1"].iter().any(|start| {
            line.starts_with(&format!("[forkhestra] {start}")) || line.starts_with(start)
        })
    };
    let report = |chain: &str| -> String {
        let script = EventScript::of(chain).step(1).silent(1, 1);
        let report_end = |end: &StepEnd| {
            let report = incomplete(script.clone(), 1, end.clone()).report();
            report.lines().filter(interesting).map(|line| format!("{line}\n")).collect::<String>()
        };
        ends.iter().map(report_end).collect()
    };
    assert_snapshot!(report("a"), @"
    [forkhestra] Failed: a (killed by signal 9)
      1  a  incomplete  1 iteration  failed (killed by signal 9)  1.5s
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, failed (killed by signal 9)
    [forkhestra] Failed: a (not started: no such file)
      1  a  incomplete  1 iteration  cannot_start  1.5s
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, could not be started: no such file
    [forkhestra] Failed: a (nothing has changed for 3 iterations)
      1  a  incomplete  1 iteration  stagnated  1.5s
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, nothing has changed for 3 iterations
    [forkhestra] Failed: a (for 2 iterations the work tree only returned to earlier states)
      1  a  incomplete  1 iteration  cycling  1.5s
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, for 2 iterations the work tree only returned to earlier states
    [forkhestra] Failed: a (stopped by forkhestra: no progress for too long)
      1  a  incomplete  1 iteration  idle  1.5s
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, stopped by forkhestra: no progress for too long
    [forkhestra] Failed: a (the time of the step is used up)
      1  a  incomplete  1 iteration  step_time  1.5s
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, the time of the step is used up
    [forkhestra] Failed: a (the time of the run is used up)
      1  a  incomplete  1 iteration  run_time  1.5s
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, the time of the run is used up
    [forkhestra] Interrupted: a
      1  a  incomplete  1 iteration  interrupted  1.5s
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, interrupted
    ");
    assert_snapshot!(report("a:5"), @"
    [forkhestra] Incomplete after 1 iteration: killed by signal 9 (failed)
      1  a  incomplete  1 iteration  failed (killed by signal 9)  1.5s
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, failed (killed by signal 9)
    [forkhestra] Incomplete after 1 iteration: not started: no such file (cannot_start)
      1  a  incomplete  1 iteration  cannot_start  1.5s
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, could not be started: no such file
    [forkhestra] Incomplete after 1 iteration: nothing has changed for 3 iterations (stagnated)
      1  a  incomplete  1 iteration  stagnated  1.5s
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, nothing has changed for 3 iterations
    [forkhestra] Incomplete after 1 iteration: for 2 iterations the work tree only returned to earlier states (cycling)
      1  a  incomplete  1 iteration  cycling  1.5s
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, for 2 iterations the work tree only returned to earlier states
    [forkhestra] Incomplete after 1 iteration: stopped by forkhestra: no progress for too long (idle)
      1  a  incomplete  1 iteration  idle  1.5s
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, stopped by forkhestra: no progress for too long
    [forkhestra] Incomplete after 1 iteration: the time of the step is used up (step_time)
      1  a  incomplete  1 iteration  step_time  1.5s
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, the time of the step is used up
    [forkhestra] Incomplete after 1 iteration: the time of the run is used up (run_time)
      1  a  incomplete  1 iteration  run_time  1.5s
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, the time of the run is used up
    [forkhestra] Incomplete after 1 iteration (interrupted)
      1  a  incomplete  1 iteration  interrupted  1.5s
    [forkhestra] Chain incomplete (0/1 steps): step 1, a, interrupted
    ");
}

#[test]
fn an_interrupted_run_reports_its_cause_and_the_resume_command() {
    let script = EventScript::of("planner -> builder:5 -> tester")
        .once(1, 0)
        .step(2)
        .silent(2, 1)
        .iteration(2, 2)
        .then(EventKind::Cancelled { by: CancelCause::Interrupt })
        .iteration_finished((2, 2), Verdict::Interrupted, ProcessEnd::Signaled(2));
    let whole = script
        .clone()
        .step_over(2, StepEnd::Cancelled)
        .end(RunEnd::Interrupted(CancelCause::Interrupt));
    assert_snapshot!(whole.report(), @"
    [forkhestra] Running: planner
    [forkhestra] Done: planner (exit 0)

    [forkhestra] Starting: builder (max 5 iterations)
    [forkhestra] Iteration 1/5
    [forkhestra] Iteration 2/5
    [forkhestra] Interrupted (SIGINT): ending agents; a second signal kills them at once
    [forkhestra] Incomplete after 1 iteration (interrupted)

    [forkhestra] Summary
      1  planner  complete     1 iteration  exit_code    1.5s
      2  builder  incomplete   1 iteration  interrupted  3s
      3  tester   not reached

    [forkhestra] In all: 2 iterations, 4.5s
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain interrupted (1/3 steps): SIGINT
    ");
    let cut_short = script.end(RunEnd::Interrupted(CancelCause::Terminate)).report();
    let (_, end) = cut_short.split_once("at once\n").expect("the end of agents is reported");
    // The step left its paragraph open, so the summary begins one.
    assert!(end.starts_with("\n[forkhestra] Summary"), "{end}");
    assert_snapshot!(end, @"
    [forkhestra] Summary
      1  planner  complete     1 iteration  exit_code    1.5s
      2  builder  incomplete   1 iteration  interrupted  3s
      3  tester   not reached

    [forkhestra] In all: 2 iterations, 4.5s
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain interrupted (1/3 steps): SIGTERM
    ");
}

#[test]
fn a_resumed_run_reports_its_start_and_the_sum_of_all_executions() {
    let first = EventScript::of("planner -> builder:3 -> tester").once(1, 0).step(2).silent(2, 1);
    let cut_off = first.clone().iteration(2, 2).after(60_000);
    let script =
        cut_off.resumed(LimitChanges::default()).last(2, 2).once(3, 0).end(RunEnd::Complete);
    assert_snapshot!(script.report(), @"
    [forkhestra] Resuming run q7w3k9zt: 1 of 3 steps complete, builder at iteration 2
    [forkhestra] Iteration 2/3
    [forkhestra] Complete after 2 iterations

    [forkhestra] Running: tester
    [forkhestra] Done: tester (exit 0)

    [forkhestra] Summary
      1  planner  complete  1 iteration   exit_code  1.5s
      2  builder  complete  2 iterations  marker     1m 3s
      3  tester   complete  1 iteration   exit_code  1.5s

    [forkhestra] In all: 4 iterations, 1m 6s
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] Chain complete (3/3 steps)
    ");
}

#[test]
fn an_iteration_whose_agent_could_not_be_started_is_not_counted() {
    let gone = ProcessEnd::NotStarted { reason: "it does not exist".into(), transient: false };
    let first = EventScript::of("builder:3").step(1).silent(1, 1).iteration(1, 2);
    let first = first.iteration_finished((1, 2), Verdict::Crashed, gone.clone());
    let first = incomplete(first, 1, StepEnd::Failed(gone));
    let report = first.report();
    let (_, summary) = report.split_once("Summary\n").expect("there is a summary");
    assert_snapshot!(summary, @"
      1  builder  incomplete  1 iteration  cannot_start  3s

    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain incomplete (0/1 steps): step 1, builder, could not be started: it does not exist
    ");
    let report = first.resumed(LimitChanges::default()).last(1, 2).end(RunEnd::Complete).report();
    assert_snapshot!(report, @"
    [forkhestra] Resuming run q7w3k9zt: 0 of 1 steps complete, builder at iteration 2
    [forkhestra] Iteration 2/3
    [forkhestra] Complete after 2 iterations

    [forkhestra] Summary
      1  builder  complete  2 iterations  marker  4.5s

    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] Chain complete (1/1 steps)
    ");
}

#[test]
fn a_resumed_run_may_have_other_limits() {
    let first = EventScript::of("builder:2").step(1).silent(1, 1).silent(1, 2);
    let iterations = Some(Count::parse("4").expect("it is a count"));
    let script = incomplete(first, 1, StepEnd::MaxIterations)
        .resumed(LimitChanges { iterations, ..LimitChanges::default() })
        .last(1, 3)
        .end(RunEnd::Complete);
    assert_snapshot!(script.report(), @"
    [forkhestra] Resuming run q7w3k9zt: 0 of 1 steps complete, builder at iteration 3
    [forkhestra] Iteration 3/4
    [forkhestra] Complete after 3 iterations

    [forkhestra] Summary
      1  builder  complete  3 iterations  marker  4.5s

    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] Chain complete (1/1 steps)
    ");
}

#[test]
fn an_earlier_end_of_a_step_does_not_count_once_it_continues() {
    let first = EventScript::of("builder:2").step(1).silent(1, 1).silent(1, 2);
    let report = incomplete(first, 1, StepEnd::MaxIterations)
        .resumed(LimitChanges::default())
        .interrupted(1, 3)
        .end(RunEnd::Interrupted(CancelCause::Hangup))
        .report();
    let (_, summary) = report.split_once("Summary\n").expect("there is a summary");
    assert_snapshot!(summary, @"
      1  builder  incomplete  2 iterations  interrupted  4.5s

    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain interrupted (0/1 steps): SIGHUP
    ");
}

/// The process died before the end of the run was recorded; resuming only records it.
#[test]
fn the_end_of_a_step_counts_if_it_does_not_continue() {
    let first = EventScript::of("builder:2").step(1).silent(1, 1).silent(1, 2);
    let end = StepEnd::MaxIterations;
    let report = first
        .step_over(1, end.clone())
        .resumed(LimitChanges::default())
        .end(RunEnd::Incomplete { step: 1, end })
        .report();
    assert_snapshot!(report, @"
    [forkhestra] Resuming run q7w3k9zt: 0 of 1 steps complete, builder at iteration 3

    [forkhestra] Summary
      1  builder  incomplete  2 iterations  max_iterations  3s

    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] To resume: forkhestra resume q7w3k9zt --max-iterations 4
    [forkhestra] Chain incomplete (0/1 steps): step 1, builder, not complete after 2 iterations
    ");
}

#[test]
fn a_step_ended_by_an_interruption_or_another_limit_continues() {
    let first = EventScript::of("builder:2").step(1).silent(1, 1);
    let raised = LimitChanges { stagnation: Some(Limit::Off), ..LimitChanges::default() };
    for (end, changes) in
        [(StepEnd::Cancelled, LimitChanges::default()), (StepEnd::Stagnated(1), raised)]
    {
        let script = first.clone().step_over(1, end).resumed(changes).interrupted(1, 2);
        let report = script.end(RunEnd::Interrupted(CancelCause::Hangup)).report();
        assert!(report.contains("1  builder  incomplete  1 iteration  interrupted"), "{report}");
    }
}

#[test]
fn an_interrupted_iteration_is_shown_in_verbose_mode() {
    let script = EventScript::of("builder:2").step(1).iteration(1, 1).after(60_000);
    let report = IterationReport {
        closing_text: None,
        checks: Vec::new(),
        verdict: Verdict::Interrupted,
        end: None,
        duration: Duration::from_secs(60),
        observation: Observation::default(),
        output: OutputSummary::default(),
        stream_summary: None,
        spend: None,
    };
    let unit = UnitId { step: 1, iteration: 1, attempt: 1 };
    let cut_off = EventKind::IterationFinished { unit, report };
    let script = script.resumed(LimitChanges::default()).then(cut_off);
    assert_snapshot!(script.report_in(Verbosity::Verbose), @"
    [forkhestra] Resuming run q7w3k9zt: 0 of 1 steps complete, builder at iteration 1
    [forkhestra]   iteration 1 was cut off with the run after 1m
    ");
    assert_snapshot!(script.report(), @"[forkhestra] Resuming run q7w3k9zt: 0 of 1 steps complete, builder at iteration 1");
}

#[test]
fn a_resumed_agent_that_runs_once_is_announced_again() {
    let script =
        EventScript::of("planner").step(1).iteration(1, 1).resumed(LimitChanges::default());
    assert_snapshot!(script.iteration(1, 1).report(), @"
    [forkhestra] Resuming run q7w3k9zt: 0 of 1 steps complete, planner next
    [forkhestra] Running: planner
    ");
}

#[test]
fn a_run_that_cannot_be_resumed_gets_no_resume_hint() {
    let script = incomplete(EventScript::of("a:1").step(1).silent(1, 1), 1, StepEnd::MaxIterations);
    let mut reporter = HumanReporter::new(Verbosity::Normal, ReporterFacts::default());
    let mut history = None;
    for event in &script.events {
        let run = RunHistory::advance(&mut history, event).expect("it can have happened");
        let text = reporter.event(event, run);
        assert!(!format!("{text:?}").contains("To resume"), "{text:?}");
    }
}

#[test]
fn the_columns_of_the_summary_are_aligned_by_display_width() {
    let mut script = EventScript::of("a -> b:12");
    script.plan.steps[0].agent.name = "計画".to_owned();
    let mut script = script.once(1, 0).step(2);
    for iteration in 1..=11 {
        script = script.silent(2, iteration).after(700_000);
    }
    let report = script.last(2, 12).end(RunEnd::Complete).report();
    let (_, summary) = report.split_once("Summary\n").expect("there is a summary");
    assert_snapshot!(summary, @"
      1  計画  complete  1 iteration    exit_code  1.5s
      2  b     complete  12 iterations  marker     2h 8m

    [forkhestra] In all: 13 iterations, 2h 8m
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] Chain complete (2/2 steps)
    ");
}
