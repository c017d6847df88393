//! Tests of spend on the live line and in the summary.

use std::sync::Arc;

use forkhestra_core::cost::{Dollars, Spend, TokenCounts};
use forkhestra_core::event::{
    AgentActivity, AgentEnd, AgentOutcome, ClaimRefusal, CompletionSignal, EventKind,
    IterationReport, LimitChanges, MarkerMatch, Observation, OutcomeClass, RunEnd, StepEnd,
    StopReason, StreamSummary, Verdict,
};
use forkhestra_core::id::UnitId;
use forkhestra_core::limit::{Limit, LimitQuantity, Usd};
use insta::assert_snapshot;

use super::support::aux_jobs::report;
use super::support::event_script::EventScript;
use super::support::fake_terminal::FakeTerminal;
use super::support::shown_run::ShownRun;
use crate::report::plan::dry_run::DryRunDetail;

/// Spend in tokens and ten-thousandths of a dollar.
fn spend(tokens: u64, cost: u64) -> Spend {
    let dollars = Dollars::from_nanos(cost * 100_000);
    Spend {
        tokens: TokenCounts { input: tokens, ..TokenCounts::default() },
        dollars,
        unpriced: false,
    }
}

fn unpriced(tokens: u64, cost: u64) -> Spend {
    Spend { unpriced: true, ..spend(tokens, cost) }
}

fn finished(tool_calls: u32) -> StreamSummary {
    let activity = AgentActivity { turns: 3, tool_calls, denials: 1, retries: 2 };
    StreamSummary { outcome: AgentOutcome::of(OutcomeClass::Finished), activity }
}

fn silent(story: EventScript, iteration: u32, spend: Option<Spend>) -> EventScript {
    let end = AgentEnd::Exited(0);
    let heard = (Some(finished(5)), spend);
    story.iteration(1, iteration).heard((1, iteration), Verdict::Incomplete, end, heard)
}

fn marker() -> CompletionSignal {
    let marker = "FORKHESTRA_COMPLETE".to_owned();
    CompletionSignal::Marker(MarkerMatch { marker, offset: 1200, line: 2, message: Some(3) })
}

#[test]
fn the_live_line_has_what_the_run_has_cost_so_far() {
    let first = silent(EventScript::of("planner:20").step(1), 1, Some(spend(5_000, 200)));
    let story = first.iteration(1, 2).after(135_000);
    let status = |story: &EventScript| story.status_after(0).expect("an agent works");
    assert_eq!(status(&story), "[Agent: planner] Iteration 2/20 | 2m 15s | $0.0200");
    let story = story.spent((1, 2), spend(3_000, 100)).spent((1, 2), spend(6_000, 142));
    assert_eq!(status(&story), "[Agent: planner] Iteration 2/20 | 2m 15s | $0.0342");
    let partly = story.clone().spent((1, 2), unpriced(9_000, 142));
    assert!(status(&partly).ends_with(" | at least $0.0342"));
}

#[test]
fn what_nobody_knows_is_not_said_to_be_nothing() {
    let story = EventScript::of("planner:20").step(1).iteration(1, 1).after(1_000);
    let status = |story: &EventScript| story.status_after(0).expect("an agent works");
    assert_eq!(status(&story), "[Agent: planner] Iteration 1/20 | 1s");
    let story = story.spent((1, 1), unpriced(11_600, 0));
    assert_eq!(status(&story), "[Agent: planner] Iteration 1/20 | 1s | 11.6k tokens");
}

#[test]
fn an_iteration_that_was_cut_off_counts_once() {
    let cut_off =
        EventScript::of("planner:20").step(1).iteration(1, 1).spent((1, 1), spend(5_000, 500));
    let report = (None, Some(spend(5_000, 500)));
    let told = cut_off.clone().heard((1, 1), Verdict::Interrupted, AgentEnd::Signaled(9), report);
    let interrupted = told.events.last().expect("it is told").kind.clone();
    let story = cut_off.resumed(LimitChanges::default()).then(interrupted).iteration(1, 1);
    let status = story.spent((1, 1), spend(1_000, 50)).status_after(0);
    assert!(status.is_some_and(|status| status.ends_with("| $0.0550")));
}

#[test]
fn the_summary_has_tokens_and_cost_where_they_are_known() {
    let story = silent(EventScript::of("planner:5 -> tester").step(1), 1, Some(spend(11_600, 342)));
    let heard = (Some(finished(5)), Some(unpriced(4_000, 100)));
    let story = story.iteration(1, 2);
    let story = story.heard((1, 2), Verdict::Complete(marker()), AgentEnd::Exited(0), heard);
    let story = story.step_over(1, StepEnd::Complete(marker())).once(2, 0).end(RunEnd::Complete);
    assert_snapshot!(story.told(), @"
    [forkhestra] Starting: planner (max 5 iterations)
    [forkhestra] Iteration 1/5
    [forkhestra] Iteration 2/5
    [forkhestra] Complete after 2 iterations

    [forkhestra] Running: tester
    [forkhestra] Done: tester (exit 0)

    [forkhestra] Summary
      1  planner  complete  2 iterations  marker     3s    15.6k tokens  at least $0.0442
      2  tester   complete  1 iteration   exit_code  1.5s

    [forkhestra] In all: 3 iterations, 4.5s
    [forkhestra] Spent: 15.6k tokens, at least $0.0442
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] Chain complete (2/2 steps)
    ");
}

#[test]
fn those_who_want_everything_see_what_each_iteration_did_and_spent() {
    let story = silent(EventScript::of("planner:5").step(1), 1, Some(spend(11_600, 342)));
    let unit = UnitId { step: 1, iteration: 2, attempt: 1 };
    let outcome = AgentOutcome {
        message: Some("3 turns".into()),
        ..AgentOutcome::of(OutcomeClass::TurnLimit)
    };
    let heard =
        StreamSummary { outcome, activity: AgentActivity { turns: 1, ..AgentActivity::default() } };
    let (incomplete, refused) = (Verdict::Incomplete, Verdict::Refused(ClaimRefusal::NoWork));
    let story = story
        .iteration(1, 2)
        .heard((1, 2), incomplete, AgentEnd::Exited(1), (Some(heard), Some(unpriced(1, 0))))
        .iteration(1, 3)
        .then(EventKind::CompletionRequested { unit, by: marker() })
        .heard((1, 3), refused, AgentEnd::Exited(0), (Some(finished(0)), None));
    let told = story.told_in(DryRunDetail::Verbose);
    let (_, iterations) = told.split_once("Iteration 1/5\n").expect("there are iterations");
    assert_snapshot!(iterations, @"
    [forkhestra]   pid: 4711
    [forkhestra]   exit 0 after 1.5s, 1234 bytes on stdout, 0 on stderr
    [forkhestra]   3 turns, 5 tool calls, 1 denial, 2 repeated requests
    [forkhestra]   no completion marker
    [forkhestra]   11.6k tokens (11.6k read), $0.0342
    [forkhestra] Iteration 2/5
    [forkhestra]   pid: 4711
    [forkhestra]   exit 1 after 1.5s, 1234 bytes on stdout, 0 on stderr
    [forkhestra]   1 turn, 0 tool calls
    [forkhestra]   its turns are used up: 3 turns
    [forkhestra]   1 token (1 read), cost unknown
    [forkhestra] Iteration 2/5 stopped: its turns are used up
    [forkhestra] Iteration 3/5
    [forkhestra]   pid: 4711
    [forkhestra]   completion requested: marker `FORKHESTRA_COMPLETE` in line 2 of message 3
    [forkhestra]   exit 0 after 1.5s, 1234 bytes on stdout, 0 on stderr
    [forkhestra]   3 turns, 0 tool calls, 1 denial, 2 repeated requests
    [forkhestra] Iteration 3/5 claimed completion; refused: it used no tool and changed nothing
    ");
}

#[test]
fn a_limit_of_cost_says_how_to_go_on() {
    let limit = |text| Limit::At(Usd::parse(text).expect("an amount"));
    for (end, option) in [(StepEnd::RunCost, "--max-cost 11"), (StepEnd::StepCost, "--step-cost 8")]
    {
        let mut story = EventScript::of("planner:5 -> builder:5");
        story.plan.limits.cost.value = limit("5");
        story.plan.steps[0].limits.cost.value = limit("4");
        story.plan.steps[1].limits.cost.value = limit("2.50");
        let over = if end == StepEnd::RunCost { 51_000 } else { 40_000 };
        let story = silent(story.step(1), 1, Some(spend(1_000, over)));
        let story = story.step_over(1, end.clone()).end(RunEnd::Incomplete { step: 1, end });
        let told = story.told();
        assert!(told.contains(&format!("resume q7w3k9zt {option}\n")), "{told}");
    }
}

#[test]
fn a_cost_that_nobody_knows_says_what_to_do() {
    let story = silent(EventScript::of("planner:5").step(1), 1, Some(unpriced(1_000, 0)));
    let end = StepEnd::CostUnknown;
    let story = story.step_over(1, end.clone()).end(RunEnd::Incomplete { step: 1, end });
    assert_snapshot!(story.told(), @"
    [forkhestra] Starting: planner (max 5 iterations)
    [forkhestra] Iteration 1/5
    [forkhestra] Incomplete after 1 iteration: its cost is unknown, and there is a limit (cost_unknown)

    [forkhestra] Summary
      1  planner  incomplete  1 iteration  cost_unknown  1.5s  1.0k tokens  cost unknown

    [forkhestra] Spent: 1.0k tokens, cost unknown
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] What to do: add its model (`forkhestra logs -v` names it) to `prices` in the config, then resume; or turn the limit off (`--max-cost off`, `--step-cost off`)
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    [forkhestra] Chain incomplete (0/1 steps): step 1, planner, its cost is unknown, and there is a limit
    ");
}

#[test]
fn a_cost_that_was_not_reported_in_time_needs_no_other_limit() {
    let mut story = EventScript::of("planner:5");
    story.plan.limits.cost.value = Limit::parse("5").expect("the limit is right");
    let heard = (Some(finished(5)), Some(unpriced(0, 0)));
    let ended = Verdict::Ended(StopReason::Idle);
    let story = story.step(1).iteration(1, 1).heard((1, 1), ended, AgentEnd::Signaled(15), heard);
    let end = StepEnd::CostUnknown;
    let story = story.step_over(1, end.clone()).end(RunEnd::Incomplete { step: 1, end });
    let told = story.told();
    let lines: Vec<&str> =
        told.lines().filter(|line| line.contains("To ") || line.contains("to do")).collect();
    assert_snapshot!(lines.join("\n"), @"
    [forkhestra] What to do: the agent was stopped before it reported its cost; resume accepts that part as unknown, and keeps the limit
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    ");
}

#[test]
fn the_live_line_stays_where_it_is_when_an_agent_spends() {
    let story = EventScript::of("builder:3").step(1).iteration(1, 1).after(2_000);
    let terminal = FakeTerminal::new(70);
    let mut screen =
        ShownRun::new(story.reporter(DryRunDetail::Normal), Arc::new(terminal.outlet()));
    let before = story.events.len();
    let story = story.spent((1, 1), spend(10, 10)).after(20).spent((1, 1), spend(20, 20));
    for event in &story.events[..before] {
        screen.event(event).expect("it is shown");
    }
    for event in &story.events[before..] {
        screen.event(event).expect("it is shown");
        let seen = terminal.seen();
        assert!(seen.ends_with("[Agent: builder] Iteration 1/3 | 2s | $0.0010"), "{seen}");
    }
}

#[test]
fn what_is_spent_counts_once_if_the_work_is_checked_even_after_we_died() {
    let unit = UnitId { step: 1, iteration: 1, attempt: 1 };
    let unpaid = report(Verdict::Complete(marker()), Vec::new(), Observation::default());
    let report = IterationReport { spend: Some(spend(1_000, 500)), ..unpaid };
    let gone = EventKind::AgentFinished { unit, report: report.clone() };
    let checked = EventKind::IterationFinished { unit, report };
    let gone = EventScript::of("builder:3")
        .step(1)
        .iteration(1, 1)
        .spent((1, 1), spend(900, 400))
        .then(gone);
    let cut_off = gone.clone().resumed(LimitChanges::default());
    for story in [gone, cut_off] {
        let told = story.then(checked.clone()).end(RunEnd::Complete).told();
        assert!(told.contains("Spent: 1.0k tokens"), "{told}");
    }
}
