//! Tests of the lines between agent output.

use std::time::Duration;

use forkhestra_core::event::{
    CancelCause, EventKind, ProcessEnd, RunEnd, StepEnd, StopReason, Verdict,
};
use forkhestra_core::id::UnitId;
use forkhestra_core::plan::RequestedPrompt;
use insta::assert_snapshot;

use super::support::event_script::{EventScript, marker, plan_of};
use crate::report::plan::dry_run::Verbosity;

#[test]
fn a_pipeline_reports_each_agent_and_its_exit() {
    let script = EventScript::of("task-manager -> task-coordinator").once(1, 0).once(2, 0);
    assert_snapshot!(script.end(RunEnd::Complete).report(), @"
    [forkhestra] Running: task-manager
    [forkhestra] Done: task-manager (exit 0)

    [forkhestra] Running: task-coordinator
    [forkhestra] Done: task-coordinator (exit 0)

    [forkhestra] Summary
      1  task-manager      complete  1 iteration  exit_code  1.5s
      2  task-coordinator  complete  1 iteration  exit_code  1.5s

    [forkhestra] In all: 2 iterations, 3s
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] Chain complete (2/2 steps)
    ");
}

#[test]
fn a_chain_of_loops_reports_each_iteration() {
    let script = EventScript::of("task-manager:3 -> task-coordinator:10")
        .step(1)
        .silent(1, 1)
        .last(1, 2)
        .step(2)
        .last(2, 1)
        .end(RunEnd::Complete);
    assert_snapshot!(script.report(), @"
    [forkhestra] Starting: task-manager (max 3 iterations)
    [forkhestra] Iteration 1/3
    [forkhestra] Iteration 2/3
    [forkhestra] Complete after 2 iterations

    [forkhestra] Starting: task-coordinator (max 10 iterations)
    [forkhestra] Iteration 1/10
    [forkhestra] Complete after 1 iteration

    [forkhestra] Summary
      1  task-manager      complete  2 iterations  marker  3s
      2  task-coordinator  complete  1 iteration   marker  1.5s

    [forkhestra] In all: 3 iterations, 4.5s
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] Chain complete (2/2 steps)
    ");
}

#[test]
fn crashes_and_their_backoff_are_reported() {
    let wait = |crashes, seconds| EventKind::BackingOff {
        step: 1,
        crashes,
        delay: Duration::from_secs(seconds),
    };
    let script = EventScript::of("builder:10").step(1).crash(1, 1).then(wait(1, 1)).crash(1, 2);
    assert_snapshot!(script.then(wait(2, 2)).silent(1, 3).report(), @"
    [forkhestra] Starting: builder (max 10 iterations)
    [forkhestra] Iteration 1/10
    [forkhestra] Iteration 1/10 failed (exit 1)
    [forkhestra] builder failed once (exit 1), waiting 1s
    [forkhestra] Iteration 2/10
    [forkhestra] Iteration 2/10 failed (exit 1)
    [forkhestra] builder failed 2 times in a row (exit 1), waiting 2s
    [forkhestra] Iteration 3/10
    ");
}

#[test]
fn every_reason_to_end_an_iteration_has_its_sentence() {
    let mut script = EventScript::of("builder:10").step(1);
    for (iteration, why) in (1..).zip([
        StopReason::Lingering,
        StopReason::Idle,
        StopReason::Timeout,
        StopReason::StepTime,
        StopReason::RunTime,
    ]) {
        script = script.ended((1, iteration), why);
    }
    assert_snapshot!(script.report(), @"
    [forkhestra] Starting: builder (max 10 iterations)
    [forkhestra] Iteration 1/10
    [forkhestra] Iteration 1/10 stopped by forkhestra: it claimed completion, but did not exit
    [forkhestra] Iteration 2/10
    [forkhestra] Iteration 2/10 stopped by forkhestra: no output for 30m (--idle-timeout)
    [forkhestra] Iteration 3/10
    [forkhestra] Iteration 3/10 stopped by forkhestra: the iteration took too long (--timeout)
    [forkhestra] Iteration 4/10
    [forkhestra] Iteration 4/10 stopped by forkhestra: the time of the step is used up
    [forkhestra] Iteration 5/10
    [forkhestra] Iteration 5/10 stopped by forkhestra: the time of the run is used up (--max-time)
    ");
}

#[test]
fn an_agent_that_completed_but_did_not_exit_keeps_its_verdict() {
    let unit = UnitId { step: 1, iteration: 1, attempt: 1 };
    let script = EventScript::of("builder:10")
        .step(1)
        .iteration(1, 1)
        .then(EventKind::AgentEnding { unit, why: StopReason::Lingering })
        .iteration_finished((1, 1), Verdict::Complete(marker()), ProcessEnd::Signaled(15))
        .step_over(1, StepEnd::Complete(marker()));
    assert_snapshot!(script.report(), @"
    [forkhestra] Starting: builder (max 10 iterations)
    [forkhestra] Iteration 1/10
    [forkhestra] Iteration 1/10 stopped by forkhestra: it claimed completion, but did not exit
    [forkhestra] Complete after 1 iteration
    ");
}

#[test]
fn pauses_sleep_and_warnings_are_reported() {
    let script = EventScript::of("builder:10")
        .step(1)
        .iteration(1, 1)
        .then(EventKind::Paused)
        .then(EventKind::Continued)
        .then(EventKind::MachineSlept { duration: Duration::from_secs(7 * 3600 + 190) })
        .then(EventKind::Warning { message: "the log is \u{1b}[2Jfull".to_owned() });
    assert_snapshot!(script.report(), @r"
    [forkhestra] Starting: builder (max 10 iterations)
    [forkhestra] Iteration 1/10
    [forkhestra] Paused
    [forkhestra] Continued
    [forkhestra] Note: the machine slept for 7h 3m; limits count time awake
    stderr: warning: the log is \u{1b}[2Jfull
    ");
}

#[test]
fn verbose_output_shows_programs_and_their_output() {
    let prompt = Some(RequestedPrompt::File("prompts/build.md".to_owned()));
    let plan = plan_of("planner -> builder:3", prompt, &["--task", "two words"]);
    let unit = UnitId { step: 2, iteration: 1, attempt: 1 };
    let script = EventScript::of_plan(plan)
        .once(1, 0)
        .step(2)
        .iteration(2, 1)
        .then(EventKind::CompletionRequested { unit, by: marker() })
        .iteration_finished((2, 1), Verdict::Complete(marker()), ProcessEnd::Exited(0))
        .step_over(2, StepEnd::Complete(marker()))
        .end(RunEnd::Complete);
    assert_snapshot!(script.report_in(Verbosity::Verbose), @"
    [forkhestra]   run: q7w3k9zt
    [forkhestra]   chain: planner -> builder:3
    [forkhestra]   working directory: /work
    [forkhestra]   state directory: /state/q7w3k9zt
    [forkhestra] Running: planner
    [forkhestra]   agent: program /bin/planner (PATH)
    [forkhestra]   args: --task 'two words'
    [forkhestra]   prompt: file prompts/build.md (--prompt-file)
    [forkhestra]   pid: 4711
    [forkhestra]   exit 0 after 1.5s, 1234 bytes on stdout, 0 on stderr
    [forkhestra] Done: planner (exit 0)

    [forkhestra] Starting: builder (max 3 iterations)
    [forkhestra]   agent: program /bin/builder (PATH)
    [forkhestra]   args: --task 'two words'
    [forkhestra]   prompt: file prompts/build.md (--prompt-file)
    [forkhestra]   check: tasks
    [forkhestra] Iteration 1/3
    [forkhestra]   pid: 4711
    [forkhestra]   completion requested: marker `FORKHESTRA_COMPLETE` in line 42
    [forkhestra]   exit 0 after 1.5s, 1234 bytes on stdout, 0 on stderr
    [forkhestra] Complete after 1 iteration

    [forkhestra] Summary
      1  planner  complete  1 iteration  exit_code  1.5s
      2  builder  complete  1 iteration  marker     1.5s

    [forkhestra] In all: 2 iterations, 3s
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] Chain complete (2/2 steps)
    ");
}

#[test]
fn quiet_means_warnings_and_the_end() {
    let warning = EventKind::Warning { message: "the log is full".to_owned() };
    let script = EventScript::of("planner -> builder:3").once(1, 0).then(warning).step(2);
    let complete = script.clone().last(2, 1).end(RunEnd::Complete);
    assert_snapshot!(complete.report_in(Verbosity::Quiet), @"
    stderr: warning: the log is full
    [forkhestra] Chain complete (2/2 steps)
    ");
    let end = StepEnd::MaxIterations;
    let incomplete = (1..=3).fold(script, |script, iteration| script.silent(2, iteration));
    let incomplete = incomplete.step_over(2, end.clone());
    let incomplete = incomplete.end(RunEnd::Incomplete { step: 2, end });
    assert_snapshot!(incomplete.report_in(Verbosity::Quiet), @"
    stderr: warning: the log is full
    [forkhestra] To resume: forkhestra resume q7w3k9zt --max-iterations 6
    [forkhestra] Chain incomplete (1/2 steps): step 2, builder, not complete after 3 iterations
    ");
}

#[test]
fn names_cannot_steer_the_terminal() {
    let mut script = EventScript::of("builder:3");
    script.plan.steps[0].agent.name = "b\u{1b}[2J\nuilder".to_owned();
    let script = script.step(1).last(1, 1).end(RunEnd::Complete);
    for detail in [Verbosity::Quiet, Verbosity::Normal, Verbosity::Verbose] {
        let report = script.report_in(detail);
        assert!(!report.contains(|c: char| c.is_control() && c != '\n'), "{report:?}");
    }
    let report = script.report();
    assert!(report.starts_with("[forkhestra] Starting: b\\u{1b}[2J\\nuilder (max 3"), "{report}");
}

#[test]
fn the_live_line_shows_the_current_activity() {
    let script = EventScript::of("planner:20 -> reviewer").step(1);
    assert_eq!(script.status_after(0), None);
    let third = script.clone().silent(1, 1).silent(1, 2).iteration(1, 3);
    let text = third.status_after(135_900);
    assert_eq!(text.as_deref(), Some("[Agent: planner] Iteration 3/20 | 2m 15s"));
    let unit = UnitId { step: 1, iteration: 3, attempt: 1 };
    let ending = third.then(EventKind::AgentEnding { unit, why: StopReason::Idle });
    assert_eq!(
        ending.status_after(1_000).as_deref(),
        Some("[Agent: planner] Iteration 3/20 | 1s | ending it: no progress for too long")
    );
    assert_eq!(script.last(1, 1).status_after(0), None);
    let once = EventScript::of("planner").step(1).iteration(1, 1).status_after(999);
    assert_eq!(once.as_deref(), Some("[Agent: planner] Running | 0s"));
}

#[test]
fn the_live_line_counts_down_to_the_next_try() {
    let delay = Duration::from_secs(4);
    let waiting = EventScript::of("builder:10")
        .step(1)
        .crash(1, 1)
        .crash(1, 2)
        .then(EventKind::BackingOff { step: 1, crashes: 2, delay });
    let text = |milliseconds| waiting.status_after(milliseconds).expect("it waits");
    assert_eq!(text(0), "[Agent: builder] Iteration 3/10 in 4s | failed 2 times in a row");
    assert_eq!(text(3_100), "[Agent: builder] Iteration 3/10 in 1s | failed 2 times in a row");
    assert_eq!(text(9_000), "[Agent: builder] Iteration 3/10 in 0s | failed 2 times in a row");
}

#[test]
fn an_interruption_is_reported_at_once() {
    let script = EventScript::of("builder:10").step(1).iteration(1, 1);
    let report = script.then(EventKind::Cancelled { by: CancelCause::Interrupt }).report();
    assert_snapshot!(report, @"
    [forkhestra] Starting: builder (max 10 iterations)
    [forkhestra] Iteration 1/10
    [forkhestra] Interrupted (SIGINT): ending agents; a second signal kills them at once
    ");
}
