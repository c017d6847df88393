//! Tests of agents that their provider does not serve, or that cannot work at all.

use forkhestra_core::config::Backend;
use forkhestra_core::event::{
    AgentActivity, AgentOutcome, CancelCause, EventKind, LimitChanges, OutcomeClass, ProcessEnd,
    RunEnd, StepEnd, StopReason, StreamSummary, Verdict, WaitCause,
};
use forkhestra_core::id::UnitId;
use forkhestra_core::plan::AgentKind;
use forkhestra_core::text::count::Count;
use forkhestra_core::time::Timestamp;
use insta::assert_snapshot;

use super::support::event_script::EventScript;
use crate::report::plan::dry_run::Verbosity;

fn outcome(class: OutcomeClass, message: &str) -> AgentOutcome {
    AgentOutcome { message: Some(message.to_owned()), ..AgentOutcome::of(class) }
}

/// An iteration that was not served, and the wait of `seconds` after it.
pub(super) fn postponed(class: OutcomeClass, seconds: u64) -> EventScript {
    let script = EventScript::of("builder:20").step(1).silent(1, 1).iteration(1, 2);
    let summary_and_spend =
        StreamSummary { outcome: outcome(class, "no more"), activity: AgentActivity::default() };
    let summary_and_spend = (Some(summary_and_spend), None);
    let script =
        script.finished_with((1, 2), Verdict::Postponed, ProcessEnd::Exited(1), summary_and_spend);
    let at = script.events.last().expect("there are events").at;
    let until = at.saturating_add(std::time::Duration::from_secs(seconds));
    let why = match class {
        OutcomeClass::UsageLimit => WaitCause::UsageLimit,
        _ => WaitCause::Overloaded,
    };
    script.then(EventKind::Waiting { step: 1, why, until })
}

#[test]
fn a_wait_for_a_usage_limit_is_reported_once_and_counted_down() {
    let script = postponed(OutcomeClass::UsageLimit, 8_040);
    assert_snapshot!(script.report(), @"
    [forkhestra] Starting: builder (max 20 iterations)
    [forkhestra] Iteration 1/20
    [forkhestra] Iteration 2/20
    [forkhestra] builder has reached its provider's usage limit: waiting until 2026-09-21 16:27 UTC (2h 14m); Ctrl-C stops; resume continues the wait
    ");
    let status = |milliseconds| script.status_after(milliseconds).expect("something waits");
    let waits = |left: &str| {
        format!(
            "[Agent: builder] Waiting {left} for the usage limit, until 16:27 UTC | Iteration 2/20"
        )
    };
    assert_eq!(status(0), waits("2h 14m"));
    assert_eq!(status(8_000_000), waits("40s"));
    assert_eq!(status(9_000_000), waits("0s"));
}

#[test]
fn sleep_of_the_machine_shortens_the_shown_wait() {
    let mut script = postponed(OutcomeClass::UsageLimit, 8_040);
    let hour = std::time::Duration::from_secs(3_600);
    script = script.then(EventKind::MachineSlept { duration: hour });
    let last = script.events.last_mut().expect("there are events");
    last.at = last.at.saturating_add(hour);
    let status = script.status_after(60_000).expect("something waits");
    assert!(status.contains("Waiting 1h 13m for the usage limit, until 16:27 UTC"), "{status}");
}

#[test]
fn a_provider_failure_is_shown_in_the_agents_words() {
    let script = postponed(OutcomeClass::Overloaded, 30);
    let report = script.report();
    let text = "builder's provider does not serve it (no more): trying again in 30s\n";
    assert!(report.ends_with(text), "{report}");
    let status = script.status_after(5_500).expect("something waits");
    assert!(status.contains("Waiting 25s for its provider"), "{status}");
}

#[test]
fn a_run_that_continues_to_wait_reports_it() {
    let script = postponed(OutcomeClass::UsageLimit, 8_040);
    let waiting = script.events.last().expect("there are events").kind.clone();
    let script = script
        .then(EventKind::Cancelled { by: CancelCause::Interrupt })
        .step_over(1, StepEnd::Cancelled)
        .end(RunEnd::Interrupted(CancelCause::Interrupt));
    assert_eq!(script.status_after(0), None);
    let script = script.after(600_000).resumed(LimitChanges::default()).then(waiting);
    assert_snapshot!(script.report(), @"
    [forkhestra] Resuming run q7w3k9zt: 0 of 1 steps complete, builder at iteration 2
    [forkhestra] builder has reached its provider's usage limit: waiting until 2026-09-21 16:27 UTC (2h 4m); Ctrl-C stops; resume continues the wait
    ");
    let status = script.status_after(0).expect("something waits");
    assert!(status.contains("Waiting 2h 4m for the usage limit"), "{status}");
}

#[test]
fn a_loop_says_why_an_iteration_stopped_before_its_end() {
    let mut script = EventScript::of("builder:5").of_backend(1, Backend::Claude);
    if let AgentKind::Direct(direct) = &mut script.plan.steps[0].agent.kind {
        direct.max_turns = Count::parse("3").ok();
    }
    let mut script = script.step(1);
    for (number, class) in
        (1..).zip([OutcomeClass::TurnLimit, OutcomeClass::Budget, OutcomeClass::ContextTooLong])
    {
        let stream_summary =
            StreamSummary { outcome: AgentOutcome::of(class), activity: AgentActivity::default() };
        let (verdict, end) = (Verdict::Incomplete, ProcessEnd::Exited(1));
        script = script.iteration(1, number).finished_with(
            (1, number),
            verdict,
            end,
            (Some(stream_summary), None),
        );
    }
    assert_snapshot!(script.report(), @"
    [forkhestra] Starting: builder (max 5 iterations)
    [forkhestra] Iteration 1/5
    [forkhestra] Iteration 1/5 stopped: its turns are used up (maxTurns 3)
    [forkhestra] Iteration 2/5
    [forkhestra] Iteration 2/5 stopped: what it may spend is spent
    [forkhestra] Iteration 3/5
    [forkhestra] Iteration 3/5 stopped: its context is full
    ");
}

#[test]
fn a_futile_agent_is_reported_with_its_outcome() {
    let failed_script = outcome(OutcomeClass::Overloaded, "API Error: 529");
    let stream_summary = || {
        Some(StreamSummary { outcome: failed_script.clone(), activity: AgentActivity::default() })
    };
    let unit = UnitId { step: 1, iteration: 1, attempt: 1 };
    let script = EventScript::of("builder:5").step(1).iteration(1, 1);
    let script = script.then(EventKind::AgentEnding { unit, why: StopReason::Futile });
    let end = ProcessEnd::Signaled(15);
    for (verdict, expected) in [
        (
            Verdict::AgentStopped(StopReason::Futile),
            "Iteration 1/5 stopped by forkhestra: its provider does not serve it",
        ),
        (
            Verdict::Crashed,
            "Iteration 1/5 failed: its provider does not serve it: API Error: 529\n",
        ),
    ] {
        let failed_script =
            script.clone().finished_with((1, 1), verdict, end.clone(), (stream_summary(), None));
        let failed_script = failed_script.report_in(Verbosity::Verbose);
        assert!(failed_script.contains(expected), "{failed_script}");
        assert!(
            failed_script.contains("ending the agent: nothing more will come of it"),
            "{failed_script}"
        );
    }
}

/// A run that ends because its agent cannot work.
fn blocked(backend: Backend, chain: &str, outcome: AgentOutcome) -> EventScript {
    let script = EventScript::of(chain).of_backend(1, backend).step(1).iteration(1, 1);
    let stream_summary =
        StreamSummary { outcome: outcome.clone(), activity: AgentActivity::default() };
    let script = script.finished_with(
        (1, 1),
        Verdict::Blocked,
        ProcessEnd::Exited(1),
        (Some(stream_summary), None),
    );
    let end = StepEnd::Blocked(outcome);
    script.step_over(1, end.clone()).end(RunEnd::Incomplete { step: 1, end })
}

#[test]
fn a_failed_agent_is_reported_with_cause_and_remedy() {
    let why = outcome(OutcomeClass::Authentication, "Invalid API key · Fix external API key");
    assert_snapshot!(blocked(Backend::Claude, "builder:20", why.clone()).report(), @"
    [forkhestra] Starting: builder (max 20 iterations)
    [forkhestra] Iteration 1/20
    [forkhestra] Incomplete after 0 iterations: authentication failed: Invalid API key · Fix external API key (authentication)

    [forkhestra] Summary
      1  builder  incomplete  0 iterations  authentication  1.5s

    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] What to do: set ANTHROPIC_API_KEY to a key that is valid; or unset it, and log in by starting `claude`
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain incomplete (0/1 steps): step 1, builder, authentication failed
    ");
    assert_snapshot!(blocked(Backend::Gemini, "builder", why.clone()).report(), @"
    [forkhestra] Running: builder
    [forkhestra] Failed: builder (authentication failed: Invalid API key · Fix external API key)

    [forkhestra] Summary
      1  builder  incomplete  0 iterations  authentication  1.5s

    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] What to do: set GEMINI_API_KEY to a key that is valid; or unset it, and log in by starting `gemini`
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain incomplete (0/1 steps): step 1, builder, authentication failed
    ");
    let quiet = blocked(Backend::Codex, "builder:20", why).report_in(Verbosity::Quiet);
    assert_snapshot!(quiet, @"
    [forkhestra] What to do: set CODEX_API_KEY to a key that is valid; or unset it, and log in with `codex login`
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain incomplete (0/1 steps): step 1, builder, authentication failed: Invalid API key · Fix external API key
    ");
}

#[test]
fn a_too_long_usage_limit_names_a_sufficient_wait() {
    let resets = Some(Timestamp::from_milliseconds(1_790_000_000_000 + 70 * 3_600_000));
    let why = AgentOutcome { resets, ..outcome(OutcomeClass::UsageLimit, "You've hit your limit") };
    let report = blocked(Backend::Claude, "builder:20", why).report();
    assert!(report.contains("resume q7w3k9zt --max-wait 71h\n"), "{report}");
    let reason = "its provider's usage limit is reset at 2026-09-24 12:13 UTC, \
                  later than --max-wait 6h allows";
    let step = format!("Incomplete after 0 iterations: {reason} (usage_limit)\n");
    assert!(report.contains(&step), "{report}");
    assert!(report.ends_with(&format!("step 1, builder, {reason}\n")), "{report}");
}

#[test]
fn quiet_mode_reports_a_wait_once() {
    let script = postponed(OutcomeClass::Overloaded, 30);
    let waiting = script.events.last().expect("there are events").kind.clone();
    let again = script.iteration(1, 2).finished_with(
        (1, 2),
        Verdict::Postponed,
        ProcessEnd::Exited(1),
        (None, None),
    );
    let script = again.then(waiting.clone());
    let report = script.report_in(Verbosity::Quiet);
    assert_eq!(report.matches("does not serve it").count(), 1, "{report}");
    let later = script.silent(1, 2).then(waiting).report_in(Verbosity::Quiet);
    assert_eq!(later.matches("does not serve it").count(), 2, "{later}");
}

#[test]
fn a_waiting_run_has_no_agent_to_end() {
    let script = postponed(OutcomeClass::UsageLimit, 8_040);
    let report = script.then(EventKind::Cancelled { by: CancelCause::Interrupt }).report();
    assert!(report.ends_with("[forkhestra] Interrupted (SIGINT)\n"), "{report}");
}

#[test]
fn the_time_of_the_next_attempt_is_shown() {
    let script = EventScript::of("builder:20").step(1).iteration(1, 1);
    let at = script.events.last().expect("there are events").at;
    let after = |seconds| at.saturating_add(std::time::Duration::from_secs(seconds));
    let outcome =
        AgentOutcome { resets: Some(after(7_050)), ..AgentOutcome::of(OutcomeClass::UsageLimit) };
    let stream_summary = StreamSummary { outcome, activity: AgentActivity::default() };
    let script = script.finished_with(
        (1, 1),
        Verdict::Postponed,
        ProcessEnd::Exited(1),
        (Some(stream_summary), None),
    );
    let (step, why) = (1, WaitCause::UsageLimit);
    let script = script.then(EventKind::Waiting { step, why, until: after(7_080) });
    let report = script.report();
    assert!(report.contains("waiting until 2026-09-21 16:11 UTC (1h 57m)"), "{report}");
    let status = script.status_after(0).expect("something waits");
    assert!(status.contains("until 16:11 UTC"), "{status}");
}
