//! Tests of spend on the live line and in the summary.

use std::sync::Arc;

use forkhestra_core::cost::{Dollars, Spend, TokenCounts};
use forkhestra_core::event::{
    AgentActivity, AgentOutcome, ClaimRefusal, CompletionSignal, EventKind, IterationReport,
    LimitChanges, MarkerMatch, Observation, OutcomeClass, ProcessEnd, RunEnd, StepEnd, StopReason,
    StreamSummary, Verdict,
};
use forkhestra_core::id::UnitId;
use forkhestra_core::limit::{Limit, LimitQuantity, Usd};
use insta::assert_snapshot;

use super::support::aux_jobs::report;
use super::support::event_script::EventScript;
use super::support::fake_terminal::FakeTerminal;
use super::support::shown_run::ShownRun;
use crate::report::plan::dry_run::Verbosity;

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

fn silent(script: EventScript, iteration: u32, spend: Option<Spend>) -> EventScript {
    let end = ProcessEnd::Exited(0);
    let summary_and_spend = (Some(finished(5)), spend);
    script.iteration(1, iteration).finished_with(
        (1, iteration),
        Verdict::Incomplete,
        end,
        summary_and_spend,
    )
}

fn marker() -> CompletionSignal {
    let marker = "FORKHESTRA_COMPLETE".to_owned();
    CompletionSignal::Marker(MarkerMatch { marker, offset: 1200, line: 2, message: Some(3) })
}

#[test]
fn the_live_line_has_the_cost_so_far() {
    let first = silent(EventScript::of("planner:20").step(1), 1, Some(spend(5_000, 200)));
    let script = first.iteration(1, 2).after(135_000);
    let status = |script: &EventScript| script.status_after(0).expect("an agent works");
    assert_eq!(status(&script), "[Agent: planner] Iteration 2/20 | 2m 15s | $0.0200");
    let script = script.spent((1, 2), spend(3_000, 100)).spent((1, 2), spend(6_000, 142));
    assert_eq!(status(&script), "[Agent: planner] Iteration 2/20 | 2m 15s | $0.0342");
    let partly = script.clone().spent((1, 2), unpriced(9_000, 142));
    assert!(status(&partly).ends_with(" | at least $0.0342"));
}

#[test]
fn an_unknown_cost_is_not_shown_as_zero() {
    let script = EventScript::of("planner:20").step(1).iteration(1, 1).after(1_000);
    let status = |script: &EventScript| script.status_after(0).expect("an agent works");
    assert_eq!(status(&script), "[Agent: planner] Iteration 1/20 | 1s");
    let script = script.spent((1, 1), unpriced(11_600, 0));
    assert_eq!(status(&script), "[Agent: planner] Iteration 1/20 | 1s | 11.6k tokens");
}

#[test]
fn an_iteration_that_was_cut_off_counts_once() {
    let cut_off =
        EventScript::of("planner:20").step(1).iteration(1, 1).spent((1, 1), spend(5_000, 500));
    let report = (None, Some(spend(5_000, 500)));
    let finished = cut_off.clone().finished_with(
        (1, 1),
        Verdict::Interrupted,
        ProcessEnd::Signaled(9),
        report,
    );
    let interrupted = finished.events.last().expect("it is there").kind.clone();
    let script = cut_off.resumed(LimitChanges::default()).then(interrupted).iteration(1, 1);
    let status = script.spent((1, 1), spend(1_000, 50)).status_after(0);
    assert!(status.is_some_and(|status| status.ends_with("| $0.0550")));
}

#[test]
fn the_summary_has_tokens_and_cost_where_they_are_known() {
    let script =
        silent(EventScript::of("planner:5 -> tester").step(1), 1, Some(spend(11_600, 342)));
    let summary_and_spend = (Some(finished(5)), Some(unpriced(4_000, 100)));
    let script = script.iteration(1, 2);
    let script = script.finished_with(
        (1, 2),
        Verdict::Complete(marker()),
        ProcessEnd::Exited(0),
        summary_and_spend,
    );
    let script = script.step_over(1, StepEnd::Complete(marker())).once(2, 0).end(RunEnd::Complete);
    assert_snapshot!(script.report(), @"
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
fn verbose_mode_shows_the_activity_and_spend_of_each_iteration() {
    let script = silent(EventScript::of("planner:5").step(1), 1, Some(spend(11_600, 342)));
    let unit = UnitId { step: 1, iteration: 2, attempt: 1 };
    let outcome = AgentOutcome {
        message: Some("3 turns".into()),
        ..AgentOutcome::of(OutcomeClass::TurnLimit)
    };
    let stream_summary =
        StreamSummary { outcome, activity: AgentActivity { turns: 1, ..AgentActivity::default() } };
    let (incomplete, refused) = (Verdict::Incomplete, Verdict::Refused(ClaimRefusal::NoWork));
    let script = script
        .iteration(1, 2)
        .finished_with(
            (1, 2),
            incomplete,
            ProcessEnd::Exited(1),
            (Some(stream_summary), Some(unpriced(1, 0))),
        )
        .iteration(1, 3)
        .then(EventKind::CompletionRequested { unit, by: marker() })
        .finished_with((1, 3), refused, ProcessEnd::Exited(0), (Some(finished(0)), None));
    let report = script.report_in(Verbosity::Verbose);
    let (_, iterations) = report.split_once("Iteration 1/5\n").expect("there are iterations");
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
fn a_cost_limit_shows_the_resume_command() {
    let limit = |text| Limit::At(Usd::parse(text).expect("an amount"));
    for (end, option) in [(StepEnd::RunCost, "--max-cost 11"), (StepEnd::StepCost, "--step-cost 8")]
    {
        let mut script = EventScript::of("planner:5 -> builder:5");
        script.plan.limits.cost.value = limit("5");
        script.plan.steps[0].limits.cost.value = limit("4");
        script.plan.steps[1].limits.cost.value = limit("2.50");
        let over = if end == StepEnd::RunCost { 51_000 } else { 40_000 };
        let script = silent(script.step(1), 1, Some(spend(1_000, over)));
        let script = script.step_over(1, end.clone()).end(RunEnd::Incomplete { step: 1, end });
        let report = script.report();
        assert!(report.contains(&format!("resume q7w3k9zt {option}\n")), "{report}");
    }
}

#[test]
fn an_unknown_cost_shows_its_remedy() {
    let mut script = EventScript::of("planner:5");
    script.plan.limits.cost.value = Limit::parse("5").expect("the limit is right");
    let script = silent(script.step(1), 1, Some(unpriced(1_000, 0)));
    let end = StepEnd::CostUnknown;
    let script = script.step_over(1, end.clone()).end(RunEnd::Incomplete { step: 1, end });
    assert_snapshot!(script.report(), @"
    [forkhestra] Starting: planner (max 5 iterations)
    [forkhestra] Iteration 1/5
    [forkhestra] Incomplete after 1 iteration: its cost is unknown, and there is a limit (cost_unknown)

    [forkhestra] Summary
      1  planner  incomplete  1 iteration  cost_unknown  1.5s  1.0k tokens  cost unknown

    [forkhestra] Spent: 1.0k tokens, cost unknown
    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] What to do: add its model (`forkhestra logs -v` names it) to `prices` in the config, then resume; or turn the limit off (`--max-cost off`)
    [forkhestra] To resume: forkhestra resume q7w3k9zt --max-cost off
    [forkhestra] Chain incomplete (0/1 steps): step 1, planner, its cost is unknown, and there is a limit
    ");
}

#[test]
fn a_cost_that_was_not_reported_in_time_needs_no_other_limit() {
    let mut script = EventScript::of("planner:5");
    script.plan.limits.cost.value = Limit::parse("5").expect("the limit is right");
    let summary_and_spend = (Some(finished(5)), Some(unpriced(0, 0)));
    let ended = Verdict::AgentStopped(StopReason::Idle);
    let script = script.step(1).iteration(1, 1).finished_with(
        (1, 1),
        ended,
        ProcessEnd::Signaled(15),
        summary_and_spend,
    );
    let end = StepEnd::CostUnknown;
    let script = script.step_over(1, end.clone()).end(RunEnd::Incomplete { step: 1, end });
    let report = script.report();
    let lines: Vec<&str> =
        report.lines().filter(|line| line.contains("To ") || line.contains("to do")).collect();
    assert_snapshot!(lines.join("\n"), @"
    [forkhestra] What to do: the agent was stopped before it reported its cost; resume accepts that part as unknown, and keeps the limit
    [forkhestra] To resume: forkhestra resume q7w3k9zt
    ");
}

#[test]
fn the_live_line_stays_where_it_is_when_an_agent_spends() {
    let script = EventScript::of("builder:3").step(1).iteration(1, 1).after(2_000);
    let terminal = FakeTerminal::new(70);
    let mut screen =
        ShownRun::new(script.reporter(Verbosity::Normal), Arc::new(terminal.report_output()));
    let before = script.events.len();
    let script = script.spent((1, 1), spend(10, 10)).after(20).spent((1, 1), spend(20, 20));
    for event in &script.events[..before] {
        screen.event(event).expect("it is shown");
    }
    for event in &script.events[before..] {
        screen.event(event).expect("it is shown");
        let seen = terminal.seen();
        assert!(seen.ends_with("[Agent: builder] Iteration 1/3 | 2s | $0.0010"), "{seen}");
    }
}

#[test]
fn spend_counts_once_if_the_work_is_checked_after_a_kill() {
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
    for script in [gone, cut_off] {
        let finished = script.then(checked.clone()).step_over(1, StepEnd::Complete(marker()));
        let output = finished.end(RunEnd::Complete).report();
        assert!(output.contains("Spent: 1.0k tokens"), "{output}");
    }
}
