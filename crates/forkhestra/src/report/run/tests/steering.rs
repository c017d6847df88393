//! Tests of operator requests in the run report.

use forkhestra_core::event::{
    CancelCause, EventKind, LimitChanges, Observation, OperatorMessage, ProcessEnd, RunEnd,
    StepEnd, StopReason, Verdict,
};
use forkhestra_core::limit::{HumanDuration, Limit, LimitQuantity, Usd};
use forkhestra_core::text::count::Count;
use insta::assert_snapshot;

use super::support::aux_jobs::report;
use super::support::event_script::{EventScript, marker};
use crate::cli::started_program::StartedProgram;
use crate::report::plan::dry_run::Verbosity;

impl EventScript {
    fn message_queued(self, number: u32, text: &str) -> Self {
        self.then(EventKind::MessageQueued {
            message: OperatorMessage { number, text: text.to_owned(), lane: None },
        })
    }

    fn given(self, unit: (usize, u32), messages: &[u32]) -> Self {
        let unit = self.unit(unit.0, unit.1);
        self.then(EventKind::MessagesGiven { unit, messages: messages.to_vec() })
    }
}

/// The last lines of the report.
fn last_lines(script: &EventScript, number: usize) -> String {
    let report = script.report();
    let lines: Vec<&str> = report.lines().collect();
    lines[lines.len() - number..].join("\n")
}

#[test]
fn a_stopped_run_reports_its_end_and_the_resume_command() {
    let script = EventScript::of("builder:20")
        .step(1)
        .silent(1, 1)
        .iteration(1, 2)
        .then(EventKind::StopRequested)
        .iteration_finished((1, 2), Verdict::Incomplete, ProcessEnd::Exited(0))
        .then(EventKind::Cancelled { by: CancelCause::Stop })
        .step_over(1, StepEnd::Cancelled)
        .end(RunEnd::Interrupted(CancelCause::Stop));
    assert_snapshot!(script.report(), @"
    [forkhestra] Starting: builder (max 20 iterations)
    [forkhestra] Iteration 1/20
    [forkhestra] Iteration 2/20
    [forkhestra] Stopping after iteration 2/20, as requested
    [forkhestra] Stopped, as requested
    [forkhestra] Incomplete after 2 iterations (interrupted)

    [forkhestra] Summary
      1  builder  incomplete  2 iterations  interrupted  3s

    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain stopped (0/1 steps): `forkhestra stop`
    ");
}

#[test]
fn a_run_stopped_at_once_reports_the_ended_process() {
    let ending = EventScript::of("builder:20")
        .step(1)
        .iteration(1, 1)
        .then(EventKind::Cancelled { by: CancelCause::StopNow });
    let again = ending.clone().then(EventKind::Cancelled { by: CancelCause::StopNow });
    let script = again
        .iteration_finished((1, 1), Verdict::Interrupted, ProcessEnd::Signaled(9))
        .step_over(1, StepEnd::Cancelled)
        .end(RunEnd::Interrupted(CancelCause::StopNow));
    assert_snapshot!(script.report(), @"
    [forkhestra] Starting: builder (max 20 iterations)
    [forkhestra] Iteration 1/20
    [forkhestra] Stopped (`forkhestra stop --now`): ending agents; a second one kills them at once
    [forkhestra] Stopped again (`forkhestra stop --now`): killing agents
    [forkhestra] Incomplete after 0 iterations (interrupted)

    [forkhestra] Summary
      1  builder  incomplete  0 iterations  interrupted  1.5s

    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain stopped (0/1 steps): `forkhestra stop --now`
    ");
}

#[test]
fn the_time_of_a_stop_depends_on_the_current_activity() {
    let stopped = |script: EventScript| last_lines(&script.then(EventKind::StopRequested), 1);
    assert_snapshot!(stopped(EventScript::of("a:3").step(1).silent(1, 1)), @"[forkhestra] Stopping, as requested");
    assert_snapshot!(stopped(EventScript::of("a").step(1).iteration(1, 1)), @"[forkhestra] Stopping after a, as requested");
    assert_snapshot!(stopped(EventScript::of("a:3").step(1).iteration(1, 1)), @"[forkhestra] Stopping after iteration 1/3, as requested");
}

#[test]
fn a_step_that_is_skipped_is_neither_done_nor_failed() {
    let script = EventScript::of("planner:5 -> builder:20 -> reviewer")
        .step(1)
        .silent(1, 1)
        .iteration(1, 2)
        .then(EventKind::SkipRequested { group: None, step: 1 });
    let unit = script.unit(1, 2);
    let script = script
        .then(EventKind::AgentEnding { unit, why: StopReason::Skipped })
        .iteration_finished(
            (1, 2),
            Verdict::AgentStopped(StopReason::Skipped),
            ProcessEnd::Signaled(15),
        )
        .step_over(1, StepEnd::Skipped)
        .step(2)
        .last(2, 1)
        .then(EventKind::SkipRequested { group: None, step: 3 })
        .step(3)
        .step_over(3, StepEnd::Skipped)
        .end(RunEnd::Complete);
    assert_snapshot!(script.report(), @"
    [forkhestra] Starting: planner (max 5 iterations)
    [forkhestra] Iteration 1/5
    [forkhestra] Iteration 2/5
    [forkhestra] Skipping step 1, planner, as requested: ending its agent
    [forkhestra] Iteration 2/5 stopped by forkhestra: its step is skipped
    [forkhestra] Skipped after 2 iterations

    [forkhestra] Starting: builder (max 20 iterations)
    [forkhestra] Iteration 1/20
    [forkhestra] Complete after 1 iteration

    [forkhestra] Skipping step 3, reviewer, as requested
    [forkhestra] Skipped: reviewer

    [forkhestra] Summary
      1  planner   skipped   2 iterations  on request  3s
      2  builder   complete  1 iteration   marker      1.5s
      3  reviewer  skipped   0 iterations  on request  0s

    [forkhestra] In all: 3 iterations, 4.5s
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] Chain complete (1/3 steps, 2 skipped)
    ");
}

#[test]
fn a_skipped_group_is_named_by_its_steps() {
    let skipped = |chain: &str| {
        let script = EventScript::of(chain).step(1);
        last_lines(&script.then(EventKind::SkipRequested { group: Some(1), step: 1 }), 1)
    };
    assert_snapshot!(skipped("(a -> b -> c):2"), @"[forkhestra] Skipping the rest of the group of steps 1 to 3, as requested");
    assert_snapshot!(skipped("(a):2"), @"[forkhestra] Skipping step 1, a, as requested");
}

#[test]
fn a_skipped_step_is_not_continued() {
    let script = EventScript::of("planner:5 -> builder:20")
        .step(1)
        .silent(1, 1)
        .then(EventKind::SkipRequested { group: None, step: 1 })
        .step_over(1, StepEnd::Skipped)
        .step(2)
        .silent(2, 1)
        .step_over(2, StepEnd::MaxIterations)
        .end(RunEnd::Incomplete { step: 2, end: StepEnd::MaxIterations })
        .resumed(LimitChanges { iterations: Count::parse("9").ok(), ..LimitChanges::default() })
        .silent(2, 2)
        .step_over(2, StepEnd::MaxIterations)
        .end(RunEnd::Incomplete { step: 2, end: StepEnd::MaxIterations });
    assert_snapshot!(script.report(), @"
    [forkhestra] Resuming run q7w3k9zt: 0 of 2 steps complete, 1 skipped, builder at iteration 2
    [forkhestra] Iteration 2/9
    [forkhestra] Incomplete after 2 iterations (max_iterations)

    [forkhestra] Summary
      1  planner  skipped     1 iteration   on request      1.5s
      2  builder  incomplete  2 iterations  max_iterations  3s

    [forkhestra] In all: 3 iterations, 4.5s
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] To resume: forkhestra resume q7w3k9zt --max-iterations 18
    [forkhestra] Chain incomplete (0/2 steps, 1 skipped): step 2, builder, not complete after 2 iterations
    ");
}

#[test]
fn messages_are_reported_when_queued_and_when_given() {
    let script = EventScript::of("builder:20")
        .step(1)
        .iteration(1, 1)
        .message_queued(1, "use the other API\nit is in src/api.rs")
        .message_queued(2, "\x1b[31mFORKHESTRA_COMPLETE")
        .iteration_finished((1, 1), Verdict::Incomplete, ProcessEnd::Exited(0))
        .iteration(1, 2)
        .given((1, 2), &[1, 2]);
    assert_snapshot!(script.report(), @r"
    [forkhestra] Starting: builder (max 20 iterations)
    [forkhestra] Iteration 1/20
    [forkhestra] Message 1 waits for the next agent: use the other API …
    [forkhestra] Message 2 waits for the next agent: \u{1b}[31mFORKHESTRA_COMPLETE
    [forkhestra] Iteration 2/20
    [forkhestra] Given to the agent: messages 1 and 2
    ");
}

#[test]
fn an_undelivered_message_is_listed() {
    let working = EventScript::of("builder:20").step(1).iteration(1, 1);
    let late = working
        .clone()
        .message_queued(1, "hurry up")
        .iteration_finished((1, 1), Verdict::Complete(marker()), ProcessEnd::Exited(0))
        .step_over(1, StepEnd::Complete(marker()))
        .end(RunEnd::Complete);
    assert_snapshot!(last_lines(&late, 2), @"
    [forkhestra] Warning: message 1 (hurry up) was not delivered: the run ended first
    [forkhestra] Chain complete (1/1 steps)
    ");
    assert_snapshot!(late.report_in(Verbosity::Quiet), @"
    [forkhestra] Warning: message 1 (hurry up) was not delivered: the run ended first
    [forkhestra] Chain complete (1/1 steps)
    ");

    // A message whose agent did not finish is given again.
    let cut = working
        .message_queued(1, "hurry up")
        .message_queued(2, "and mind the tests")
        .given((1, 1), &[1])
        .then(EventKind::Cancelled { by: CancelCause::Interrupt })
        .iteration_finished((1, 1), Verdict::Interrupted, ProcessEnd::Signaled(2))
        .step_over(1, StepEnd::Cancelled)
        .end(RunEnd::Interrupted(CancelCause::Interrupt));
    assert_snapshot!(last_lines(&cut, 3), @"
    [forkhestra] Note: messages 1 and 2 will be given to the next agent when the run is resumed
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain interrupted (0/1 steps): SIGINT
    ");

    let given = cut.resumed(LimitChanges::default()).iteration(1, 1).given((1, 1), &[1, 2]);
    let given = given.iteration_finished((1, 1), Verdict::Incomplete, ProcessEnd::Exited(0));
    let given = given.end(RunEnd::Interrupted(CancelCause::Interrupt)).report();
    assert!(!given.contains("next agent when"), "{given}");
}

#[test]
fn changed_limits_are_named_and_hold() {
    let changes = LimitChanges {
        iterations: Count::parse("30").ok(),
        timeout: Some(Limit::Off),
        run_cost: Usd::parse("2.5").ok().map(Limit::At),
        run_time: Some(Limit::At(HumanDuration::from_secs(5400))),
        ..LimitChanges::default()
    };
    let script = EventScript::of("builder:2")
        .step(1)
        .silent(1, 1)
        .then(EventKind::LimitsChanged { changes })
        .silent(1, 2)
        .iteration(1, 3);
    assert_snapshot!(script.report(), @"
    [forkhestra] Starting: builder (max 2 iterations)
    [forkhestra] Iteration 1/2
    [forkhestra] Limits changed: max-iterations 30, timeout off, max-time 1h 30m and max-cost $2.50
    [forkhestra] Iteration 2/30
    [forkhestra] Iteration 3/30
    ");
}

#[test]
fn the_live_line_shows_a_pause_or_a_pending_stop() {
    let working = EventScript::of("builder:20").step(1).iteration(1, 1);
    let stopping = working.clone().then(EventKind::StopRequested);
    let paused = stopping.clone().then(EventKind::Paused);
    let status = |script: &EventScript| script.status_after(2_000).unwrap_or_default();
    assert_snapshot!(status(&working), @"[Agent: builder] Iteration 1/20 | 2s");
    assert_snapshot!(status(&stopping), @"[Stopping] [Agent: builder] Iteration 1/20 | 2s");
    assert_snapshot!(status(&paused), @"[Paused] [Agent: builder] Iteration 1/20 | 2s");
    assert_eq!(status(&paused.clone().then(EventKind::Continued)), status(&stopping));
    let between = EventScript::of("builder:20").step(1).silent(1, 1).then(EventKind::Paused);
    assert_snapshot!(status(&between), @"[Paused]");
    let again = stopping.resumed(LimitChanges::default());
    assert!(!status(&again).contains("Stopping"));
    let over = EventScript::of("builder:20")
        .then(EventKind::StopRequested)
        .end(RunEnd::Interrupted(CancelCause::Stop));
    assert_eq!(over.status_after(0), None);
}

#[test]
fn ralph_runner_reports_steering_in_the_same_sentences() {
    let mut script = EventScript::of("builder:20")
        .step(1)
        .iteration(1, 1)
        .message_queued(1, "hurry up")
        .then(EventKind::StopRequested)
        .then(EventKind::Paused)
        .then(EventKind::Continued);
    script.program = StartedProgram::RalphRunner;
    assert_snapshot!(script.report(), @"
    [ralph] Starting: builder (max 20 iterations)
    [ralph] Iteration 1/20
    [ralph] Message 1 waits for the next agent: hurry up
    [ralph] Stopping after iteration 1/20, as requested
    [ralph] Paused
    [ralph] Continued
    ");
}

#[test]
fn a_message_is_delivered_if_its_agent_finished_before_the_resume() {
    let script = EventScript::of("builder:5").step(1).iteration(1, 1);
    let script = script.message_queued(1, "hurry up").given((1, 1), &[1]).gone((1, 1));
    let unit = script.unit(1, 1);
    let report = report(Verdict::Incomplete, Vec::new(), Observation::default());
    let script = script
        .resumed(LimitChanges::default())
        .then(EventKind::IterationFinished { unit, report })
        .step_over(1, StepEnd::Cancelled)
        .end(RunEnd::Interrupted(CancelCause::Interrupt));
    let output = script.report();
    assert!(!output.contains("message"), "{output}");
}
