//! Tests of operator requests in the run report.

use forkhestra_core::event::{
    AgentEnd, CancelCause, EventKind, LimitChanges, Observation, OperatorMessage, RunEnd, StepEnd,
    StopReason, Verdict,
};
use forkhestra_core::limit::{HumanDuration, Limit, LimitQuantity, Usd};
use forkhestra_core::text::count::Count;
use insta::assert_snapshot;

use super::support::aux_jobs::report;
use super::support::event_script::{EventScript, marker};
use crate::cli::started_program::StartedProgram;
use crate::report::plan::dry_run::DryRunDetail;

impl EventScript {
    fn told_to(self, number: u32, text: &str) -> Self {
        self.then(EventKind::MessageQueued {
            message: OperatorMessage { number, text: text.to_owned() },
        })
    }

    fn given(self, unit: (usize, u32), messages: &[u32]) -> Self {
        let unit = self.unit(unit.0, unit.1);
        self.then(EventKind::MessagesGiven { unit, messages: messages.to_vec() })
    }
}

/// The last lines of the report.
fn last_lines(story: &EventScript, number: usize) -> String {
    let told = story.told();
    let lines: Vec<&str> = told.lines().collect();
    lines[lines.len() - number..].join("\n")
}

#[test]
fn a_run_that_is_stopped_says_when_it_ends_and_how_to_go_on() {
    let story = EventScript::of("builder:20")
        .step(1)
        .silent(1, 1)
        .iteration(1, 2)
        .then(EventKind::StopRequested)
        .over((1, 2), Verdict::Incomplete, AgentEnd::Exited(0))
        .then(EventKind::Cancelled { by: CancelCause::Stop })
        .step_over(1, StepEnd::Cancelled)
        .end(RunEnd::Interrupted(CancelCause::Stop));
    assert_snapshot!(story.told(), @"
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
fn a_run_that_is_stopped_at_once_says_what_is_ended() {
    let ending = EventScript::of("builder:20")
        .step(1)
        .iteration(1, 1)
        .then(EventKind::Cancelled { by: CancelCause::StopNow });
    let again = ending.clone().then(EventKind::Cancelled { by: CancelCause::StopNow });
    let story = again
        .over((1, 1), Verdict::Interrupted, AgentEnd::Signaled(9))
        .step_over(1, StepEnd::Cancelled)
        .end(RunEnd::Interrupted(CancelCause::StopNow));
    assert_snapshot!(story.told(), @"
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
fn the_moment_of_a_stop_depends_on_what_goes_on() {
    let stopped = |story: EventScript| last_lines(&story.then(EventKind::StopRequested), 1);
    assert_snapshot!(stopped(EventScript::of("a:3").step(1).silent(1, 1)), @"[forkhestra] Stopping, as requested");
    assert_snapshot!(stopped(EventScript::of("a").step(1).iteration(1, 1)), @"[forkhestra] Stopping after a, as requested");
    assert_snapshot!(stopped(EventScript::of("a:3").step(1).iteration(1, 1)), @"[forkhestra] Stopping after iteration 1/3, as requested");
}

#[test]
fn a_step_that_is_skipped_is_neither_done_nor_failed() {
    let story = EventScript::of("planner:5 -> builder:20 -> reviewer")
        .step(1)
        .silent(1, 1)
        .iteration(1, 2)
        .then(EventKind::SkipRequested { step: 1 });
    let unit = story.unit(1, 2);
    let story = story
        .then(EventKind::AgentEnding { unit, why: StopReason::Skipped })
        .over((1, 2), Verdict::Ended(StopReason::Skipped), AgentEnd::Signaled(15))
        .step_over(1, StepEnd::Skipped)
        .step(2)
        .last(2, 1)
        .then(EventKind::SkipRequested { step: 3 })
        .step(3)
        .step_over(3, StepEnd::Skipped)
        .end(RunEnd::Complete);
    assert_snapshot!(story.told(), @"
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
fn a_skipped_step_is_not_gone_on_with() {
    let story = EventScript::of("planner:5 -> builder:20")
        .step(1)
        .silent(1, 1)
        .then(EventKind::SkipRequested { step: 1 })
        .step_over(1, StepEnd::Skipped)
        .step(2)
        .silent(2, 1)
        .step_over(2, StepEnd::MaxIterations)
        .end(RunEnd::Incomplete { step: 2, end: StepEnd::MaxIterations })
        .resumed(LimitChanges { iterations: Count::parse("9").ok(), ..LimitChanges::default() })
        .silent(2, 2)
        .step_over(2, StepEnd::MaxIterations)
        .end(RunEnd::Incomplete { step: 2, end: StepEnd::MaxIterations });
    assert_snapshot!(story.told(), @"
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
fn messages_are_told_of_when_they_come_and_when_they_are_given() {
    let story = EventScript::of("builder:20")
        .step(1)
        .iteration(1, 1)
        .told_to(1, "use the other API\nit is in src/api.rs")
        .told_to(2, "\x1b[31mFORKHESTRA_COMPLETE")
        .over((1, 1), Verdict::Incomplete, AgentEnd::Exited(0))
        .iteration(1, 2)
        .given((1, 2), &[1, 2]);
    assert_snapshot!(story.told(), @r"
    [forkhestra] Starting: builder (max 20 iterations)
    [forkhestra] Iteration 1/20
    [forkhestra] Message 1 waits for the next agent: use the other API …
    [forkhestra] Message 2 waits for the next agent: \u{1b}[31mFORKHESTRA_COMPLETE
    [forkhestra] Iteration 2/20
    [forkhestra] Given to the agent: messages 1 and 2
    ");
}

#[test]
fn a_message_that_nobody_was_given_is_not_forgotten() {
    let working = EventScript::of("builder:20").step(1).iteration(1, 1);
    let late = working
        .clone()
        .told_to(1, "hurry up")
        .over((1, 1), Verdict::Complete(marker()), AgentEnd::Exited(0))
        .step_over(1, StepEnd::Complete(marker()))
        .end(RunEnd::Complete);
    assert_snapshot!(last_lines(&late, 2), @"
    [forkhestra] Warning: message 1 (hurry up) was given to no agent: the run was over before
    [forkhestra] Chain complete (1/1 steps)
    ");
    assert_snapshot!(late.told_in(DryRunDetail::Quiet), @"
    [forkhestra] Warning: message 1 (hurry up) was given to no agent: the run was over before
    [forkhestra] Chain complete (1/1 steps)
    ");

    // A message whose agent did not finish is given again.
    let cut = working
        .told_to(1, "hurry up")
        .told_to(2, "and mind the tests")
        .given((1, 1), &[1])
        .then(EventKind::Cancelled { by: CancelCause::Interrupt })
        .over((1, 1), Verdict::Interrupted, AgentEnd::Signaled(2))
        .step_over(1, StepEnd::Cancelled)
        .end(RunEnd::Interrupted(CancelCause::Interrupt));
    assert_snapshot!(last_lines(&cut, 3), @"
    [forkhestra] Note: messages 1 and 2 will be given to the next agent when the run is resumed
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain interrupted (0/1 steps): SIGINT
    ");

    let given = cut.resumed(LimitChanges::default()).iteration(1, 1).given((1, 1), &[1, 2]);
    let given = given.over((1, 1), Verdict::Incomplete, AgentEnd::Exited(0));
    let given = given.end(RunEnd::Interrupted(CancelCause::Interrupt)).told();
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
    let story = EventScript::of("builder:2")
        .step(1)
        .silent(1, 1)
        .then(EventKind::LimitsChanged { changes })
        .silent(1, 2)
        .iteration(1, 3);
    assert_snapshot!(story.told(), @"
    [forkhestra] Starting: builder (max 2 iterations)
    [forkhestra] Iteration 1/2
    [forkhestra] Limits changed: max-iterations 30, timeout off, max-time 1h 30m and max-cost $2.50
    [forkhestra] Iteration 2/30
    [forkhestra] Iteration 3/30
    ");
}

#[test]
fn the_live_line_says_that_the_run_stands_still_or_ends() {
    let working = EventScript::of("builder:20").step(1).iteration(1, 1);
    let stopping = working.clone().then(EventKind::StopRequested);
    let paused = stopping.clone().then(EventKind::Paused);
    let status = |story: &EventScript| story.status_after(2_000).unwrap_or_default();
    assert_snapshot!(status(&working), @"[Agent: builder] Iteration 1/20 | 2s");
    assert_snapshot!(status(&stopping), @"[Stopping] [Agent: builder] Iteration 1/20 | 2s");
    assert_snapshot!(status(&paused), @"[Paused] [Agent: builder] Iteration 1/20 | 2s");
    assert_eq!(status(&paused.clone().then(EventKind::Continued)), status(&stopping));
    let between = EventScript::of("builder:20").step(1).silent(1, 1).then(EventKind::Paused);
    assert_snapshot!(status(&between), @"[Paused]");
    let again = stopping.resumed(LimitChanges::default());
    assert!(!status(&again).contains("Stopping"));
    let over = EventScript::of("builder:20").then(EventKind::StopRequested).end(RunEnd::Complete);
    assert_eq!(over.status_after(0), None);
}

#[test]
fn ralph_runner_says_it_in_the_same_words() {
    let mut story = EventScript::of("builder:20")
        .step(1)
        .iteration(1, 1)
        .told_to(1, "hurry up")
        .then(EventKind::StopRequested)
        .then(EventKind::Paused)
        .then(EventKind::Continued);
    story.program = StartedProgram::RalphRunner;
    assert_snapshot!(story.told(), @"
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
    let story = EventScript::of("builder:5").step(1).iteration(1, 1);
    let story = story.told_to(1, "hurry up").given((1, 1), &[1]).gone((1, 1));
    let unit = story.unit(1, 1);
    let report = report(Verdict::Incomplete, Vec::new(), Observation::default());
    let story = story
        .resumed(LimitChanges::default())
        .then(EventKind::IterationFinished { unit, report })
        .step_over(1, StepEnd::Cancelled)
        .end(RunEnd::Interrupted(CancelCause::Interrupt));
    let told = story.told();
    assert!(!told.contains("message"), "{told}");
}
