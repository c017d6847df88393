//! Tests of the quota of an agent's account.

use forkhestra_core::config::Backend;
use forkhestra_core::event::{EventKind, ProcessEnd, RunEnd, StepEnd, Verdict, WaitCause};
use forkhestra_core::limit::Limit;
use forkhestra_core::quota::{ExceededQuota, QuotaThreshold, QuotaWindow};
use forkhestra_core::time::Timestamp;
use insta::assert_snapshot;

use super::support::event_script::{EventScript, plan_of};
use crate::report::plan::dry_run::Verbosity;

/// An iteration of an agent that tells how full its account is.
fn told(quota: &str) -> EventScript {
    let mut plan = plan_of("builder:20", None, &[]);
    plan.steps[0].limits.quota.value = Limit::parse(quota).expect("it is a quota");
    let script = EventScript::of_plan(plan).step(1).iteration(1, 1);
    let unit = script.unit(1, 1);
    let (five_hours, seven_days) = (after(&script, 8_040), after(&script, 300_000));
    let reading = |window, used, resets| EventKind::Quota {
        unit,
        backend: Backend::Claude,
        window,
        used,
        resets,
    };
    script.then(reading(QuotaWindow::FiveHours, 62, five_hours)).then(reading(
        QuotaWindow::SevenDays,
        41,
        seven_days,
    ))
}

/// The time this many seconds after the last event.
fn after(script: &EventScript, seconds: u64) -> Timestamp {
    let at = script.events.last().expect("there are events").at;
    at.saturating_add(std::time::Duration::from_secs(seconds))
}

#[test]
fn the_quota_is_in_the_live_line_and_in_verbose_mode() {
    let script = told("off");
    let status = |milliseconds| script.status_after(milliseconds).expect("an agent works");
    assert_eq!(status(0), "[Agent: builder] Iteration 1/20 | 0s | 5h 62 % · 7d 41 %");
    let later = status(9_000_000);
    assert_eq!(later, "[Agent: builder] Iteration 1/20 | 2h 30m | 7d 41 %", "unknown again");
    assert_snapshot!(script.report(), @"
    [forkhestra] Starting: builder (max 20 iterations)
    [forkhestra] Iteration 1/20
    ");
    let verbose = script.report_in(Verbosity::Verbose);
    let line = "account of Claude Code: 5h 62 %, reset at 2026-09-21 16:27 UTC\n";
    assert!(verbose.contains(line), "{verbose}");
}

#[test]
fn a_wait_for_the_quota_is_reported_and_counted_down() {
    let script = told("5h=50%");
    let until = after(&script, 8_040);
    let script = script.iteration_finished((1, 1), Verdict::Incomplete, ProcessEnd::Exited(0));
    let script = script.then(EventKind::Waiting { step: 1, why: WaitCause::Quota, until });
    let waiting = "[forkhestra] builder is not started, because 62 % of the account's 5h window \
                   is used, more than --quota 5h=50% allows: waiting until 2026-09-21 16:27 UTC \
                   (2h 13m); Ctrl-C stops; resume continues the wait\n";
    assert!(script.report().ends_with(waiting), "{}", script.report());
    assert_eq!(script.report_in(Verbosity::Quiet), waiting);
    let status = script.status_after(0).expect("something waits");
    let expected = "[Agent: builder] Waiting 2h 13m for the account's quota, until 16:27 UTC \
                    | Iteration 2/20 | 5h 62 % · 7d 41 %";
    assert_eq!(status, expected);
}

#[test]
fn an_end_by_the_quota_names_the_option_that_raises_it() {
    let script = told("5h=50%,7d=even");
    let exceeded = ExceededQuota {
        backend: Backend::Claude,
        window: QuotaWindow::FiveHours,
        used: 62,
        limit: QuotaThreshold::Percent(50),
        until: after(&script, 80_000),
    };
    let end = StepEnd::Quota(exceeded);
    let script = script
        .iteration_finished((1, 1), Verdict::Incomplete, ProcessEnd::Exited(0))
        .step_over(1, end.clone());
    let script = script.end(RunEnd::Incomplete { step: 1, end });
    assert_snapshot!(script.report(), @"
    [forkhestra] Starting: builder (max 20 iterations)
    [forkhestra] Iteration 1/20
    [forkhestra] Incomplete after 1 iteration: 62 % of the account's 5h window is used, more than --quota 5h=50% allows before 2026-09-22 12:26 UTC, later than --max-wait 6h allows (quota)

    [forkhestra] Summary
      1  builder  incomplete  1 iteration  quota  1.5s

    [forkhestra] Logs: /state/q7w3k9zt
    [forkhestra] What to do: resume after 2026-09-22 12:26 UTC, or allow a longer wait (`--max-wait`) or a fuller window (`--quota`)
    [forkhestra] To resume: forkhestra resume q7w3k9zt --quota 5h=70%,7d=even
    [forkhestra] Chain incomplete (0/1 steps): step 1, builder, 62 % of the account's 5h window is used, more than --quota 5h=50% allows
    ");
}
