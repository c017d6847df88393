//! Tests of agents that their provider does not serve, or that cannot work at all.

use forkhestra_core::config::Backend;
use forkhestra_core::event::{
    AgentActivity, AgentEnd, AgentOutcome, CancelCause, EventKind, LimitChanges, OutcomeClass,
    RunEnd, StepEnd, StopReason, StreamSummary, Verdict,
};
use forkhestra_core::id::UnitId;
use forkhestra_core::plan::AgentKind;
use forkhestra_core::text::count::Count;
use forkhestra_core::time::Timestamp;
use insta::assert_snapshot;

use super::support::event_script::EventScript;
use crate::report::plan::dry_run::DryRunDetail;

fn outcome(class: OutcomeClass, message: &str) -> AgentOutcome {
    AgentOutcome { message: Some(message.to_owned()), ..AgentOutcome::of(class) }
}

/// An iteration that was not served, and the wait of `seconds` after it.
pub(super) fn postponed(class: OutcomeClass, seconds: u64) -> EventScript {
    let story = EventScript::of("builder:20").step(1).silent(1, 1).iteration(1, 2);
    let heard =
        StreamSummary { outcome: outcome(class, "no more"), activity: AgentActivity::default() };
    let heard = (Some(heard), None);
    let story = story.heard((1, 2), Verdict::Postponed, AgentEnd::Exited(1), heard);
    let at = story.events.last().expect("there are events").at;
    let until = at.saturating_add(std::time::Duration::from_secs(seconds));
    story.then(EventKind::Waiting { step: 1, why: class, until })
}

#[test]
fn a_wait_for_a_usage_limit_is_said_once_and_counted_down() {
    let story = postponed(OutcomeClass::UsageLimit, 8_040);
    assert_snapshot!(story.told(), @"
    [forkhestra] Starting: builder (max 20 iterations)
    [forkhestra] Iteration 1/20
    [forkhestra] Iteration 2/20
    [forkhestra] builder has reached its provider's usage limit: waiting until 2026-09-21 16:27 UTC (2h 14m); Ctrl-C stops; resume continues the wait
    ");
    let status = |milliseconds| story.status_after(milliseconds).expect("something waits");
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
fn a_machine_that_slept_has_less_to_wait() {
    let mut story = postponed(OutcomeClass::UsageLimit, 8_040);
    let hour = std::time::Duration::from_secs(3_600);
    story = story.then(EventKind::MachineSlept { duration: hour });
    let last = story.events.last_mut().expect("there are events");
    last.at = last.at.saturating_add(hour);
    let status = story.status_after(60_000).expect("something waits");
    assert!(status.contains("Waiting 1h 13m for the usage limit, until 16:27 UTC"), "{status}");
}

#[test]
fn a_provider_that_does_not_serve_is_said_in_the_agents_words() {
    let story = postponed(OutcomeClass::Overloaded, 30);
    let told = story.told();
    let said = "builder's provider does not serve it (no more): trying again in 30s\n";
    assert!(told.ends_with(said), "{told}");
    let status = story.status_after(5_500).expect("something waits");
    assert!(status.contains("Waiting 25s for its provider"), "{status}");
}

#[test]
fn a_run_that_goes_on_waiting_says_so() {
    let story = postponed(OutcomeClass::UsageLimit, 8_040);
    let waiting = story.events.last().expect("there are events").kind.clone();
    let story = story
        .then(EventKind::Cancelled { by: CancelCause::Interrupt })
        .step_over(1, StepEnd::Cancelled)
        .end(RunEnd::Interrupted(CancelCause::Interrupt));
    assert_eq!(story.status_after(0), None);
    let story = story.after(600_000).resumed(LimitChanges::default()).then(waiting);
    assert_snapshot!(story.told(), @"
    [forkhestra] Resuming run q7w3k9zt: 0 of 1 steps complete, builder at iteration 2
    [forkhestra] builder has reached its provider's usage limit: waiting until 2026-09-21 16:27 UTC (2h 4m); Ctrl-C stops; resume continues the wait
    ");
    let status = story.status_after(0).expect("something waits");
    assert!(status.contains("Waiting 2h 4m for the usage limit"), "{status}");
}

#[test]
fn a_loop_says_why_an_iteration_stopped_before_its_end() {
    let mut story = EventScript::of("builder:5").of_backend(1, Backend::Claude);
    if let AgentKind::Direct(direct) = &mut story.plan.steps[0].agent.kind {
        direct.max_turns = Count::parse("3").ok();
    }
    let mut story = story.step(1);
    for (number, class) in
        (1..).zip([OutcomeClass::TurnLimit, OutcomeClass::Budget, OutcomeClass::ContextTooLong])
    {
        let heard =
            StreamSummary { outcome: AgentOutcome::of(class), activity: AgentActivity::default() };
        let (verdict, end) = (Verdict::Incomplete, AgentEnd::Exited(1));
        story = story.iteration(1, number).heard((1, number), verdict, end, (Some(heard), None));
    }
    assert_snapshot!(story.told(), @"
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
fn an_agent_that_was_ended_because_it_is_no_use_says_what_the_matter_is() {
    let told = outcome(OutcomeClass::Overloaded, "API Error: 529");
    let heard =
        || Some(StreamSummary { outcome: told.clone(), activity: AgentActivity::default() });
    let unit = UnitId { step: 1, iteration: 1, attempt: 1 };
    let story = EventScript::of("builder:5").step(1).iteration(1, 1);
    let story = story.then(EventKind::AgentEnding { unit, why: StopReason::Futile });
    let end = AgentEnd::Signaled(15);
    for (verdict, expected) in [
        (
            Verdict::Ended(StopReason::Futile),
            "Iteration 1/5 stopped by forkhestra: its provider does not serve it",
        ),
        (
            Verdict::Crashed,
            "Iteration 1/5 failed: its provider does not serve it: API Error: 529\n",
        ),
    ] {
        let told = story.clone().heard((1, 1), verdict, end.clone(), (heard(), None));
        let told = told.told_in(DryRunDetail::Verbose);
        assert!(told.contains(expected), "{told}");
        assert!(told.contains("ending the agent: nothing more will come of it"), "{told}");
    }
}

/// A run that ends because its agent cannot work.
fn blocked(backend: Backend, chain: &str, outcome: AgentOutcome) -> EventScript {
    let story = EventScript::of(chain).of_backend(1, backend).step(1).iteration(1, 1);
    let heard = StreamSummary { outcome: outcome.clone(), activity: AgentActivity::default() };
    let story = story.heard((1, 1), Verdict::Blocked, AgentEnd::Exited(1), (Some(heard), None));
    let end = StepEnd::Blocked(outcome);
    story.step_over(1, end.clone()).end(RunEnd::Incomplete { step: 1, end })
}

#[test]
fn an_agent_that_cannot_work_says_why_and_what_to_do() {
    let why = outcome(OutcomeClass::Authentication, "Invalid API key · Fix external API key");
    assert_snapshot!(blocked(Backend::Claude, "builder:20", why.clone()).told(), @"
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
    assert_snapshot!(blocked(Backend::Gemini, "builder", why.clone()).told(), @"
    [forkhestra] Running: builder
    [forkhestra] Failed: builder (authentication failed: Invalid API key · Fix external API key)

    [forkhestra] Summary
      1  builder  incomplete  0 iterations  authentication  1.5s

    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] What to do: set GEMINI_API_KEY to a key that is valid; or unset it, and log in by starting `gemini`
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain incomplete (0/1 steps): step 1, builder, authentication failed
    ");
    let quiet = blocked(Backend::Codex, "builder:20", why).told_in(DryRunDetail::Quiet);
    assert_snapshot!(quiet, @"
    [forkhestra] What to do: set CODEX_API_KEY to a key that is valid; or unset it, and log in with `codex login`
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain incomplete (0/1 steps): step 1, builder, authentication failed: Invalid API key · Fix external API key
    ");
}

#[test]
fn a_usage_limit_that_takes_too_long_says_which_wait_would_do() {
    let resets = Some(Timestamp::from_milliseconds(1_790_000_000_000 + 70 * 3_600_000));
    let why = AgentOutcome { resets, ..outcome(OutcomeClass::UsageLimit, "You've hit your limit") };
    let told = blocked(Backend::Claude, "builder:20", why).told();
    assert!(told.contains("resume q7w3k9zt --max-wait 71h\n"), "{told}");
    let reason = "its provider's usage limit is reset at 2026-09-24 12:13 UTC, \
                  later than --max-wait 6h allows";
    let step = format!("Incomplete after 0 iterations: {reason} (usage_limit)\n");
    assert!(told.contains(&step), "{told}");
    assert!(told.ends_with(&format!("step 1, builder, {reason}\n")), "{told}");
}

#[test]
fn whoever_wants_it_quiet_is_told_once_why_nothing_happens() {
    let story = postponed(OutcomeClass::Overloaded, 30);
    let waiting = story.events.last().expect("there are events").kind.clone();
    let again =
        story.iteration(1, 2).heard((1, 2), Verdict::Postponed, AgentEnd::Exited(1), (None, None));
    let story = again.then(waiting.clone());
    let told = story.told_in(DryRunDetail::Quiet);
    assert_eq!(told.matches("does not serve it").count(), 1, "{told}");
    let later = story.silent(1, 2).then(waiting).told_in(DryRunDetail::Quiet);
    assert_eq!(later.matches("does not serve it").count(), 2, "{later}");
}

#[test]
fn who_only_waits_has_no_agent_to_end() {
    let story = postponed(OutcomeClass::UsageLimit, 8_040);
    let told = story.then(EventKind::Cancelled { by: CancelCause::Interrupt }).told();
    assert!(told.ends_with("[forkhestra] Interrupted (SIGINT)\n"), "{told}");
}

#[test]
fn the_moment_of_the_next_try_is_shown() {
    let story = EventScript::of("builder:20").step(1).iteration(1, 1);
    let at = story.events.last().expect("there are events").at;
    let after = |seconds| at.saturating_add(std::time::Duration::from_secs(seconds));
    let outcome =
        AgentOutcome { resets: Some(after(7_050)), ..AgentOutcome::of(OutcomeClass::UsageLimit) };
    let heard = StreamSummary { outcome, activity: AgentActivity::default() };
    let story = story.heard((1, 1), Verdict::Postponed, AgentEnd::Exited(1), (Some(heard), None));
    let (step, why) = (1, OutcomeClass::UsageLimit);
    let story = story.then(EventKind::Waiting { step, why, until: after(7_080) });
    let told = story.told();
    assert!(told.contains("waiting until 2026-09-21 16:11 UTC (1h 57m)"), "{told}");
    let status = story.status_after(0).expect("something waits");
    assert!(status.contains("until 16:11 UTC"), "{status}");
}
