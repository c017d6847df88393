//! Tests of the report.

use forkhestra_core::cost::{Dollars, Spend};
use forkhestra_core::event::{LimitChanges, StepEnd, StopReason};
use forkhestra_core::limit::LIMITS;
use forkhestra_core::what_if::{
    EarlierEnd, EndPosition, LimitEffect, LimitOutcome, LimitSavings, LimitSuggestion,
    SimulatedLimit,
};
use std::time::Duration;
use unicode_width::UnicodeWidthStr;

use super::*;

fn limits(options: &[(&str, &str)]) -> LimitChanges {
    let mut changes = LimitChanges::default();
    for (option, value) in options {
        let limit = LIMITS.iter().find(|limit| limit.option == *option).expect("it is a limit");
        limit.set(&mut changes, value).expect("it is a value");
    }
    changes
}

fn simulated(id: &str, completed: bool) -> SimulatedRun {
    SimulatedRun {
        id: id.to_owned(),
        chain: "planner:3 -> builder:20 -> reviewer".to_owned(),
        agents: ["planner", "builder", "reviewer"].map(str::to_owned).to_vec(),
        completed,
        has_cost: true,
    }
}

fn earlier(effect: LimitEffect, cents: u64, completed: bool) -> LimitOutcome {
    let money = Dollars::from_nanos(cents * 10_000_000);
    let is_run = matches!(effect, LimitEffect::EndsRun(_));
    LimitOutcome::Earlier(Box::new(EarlierEnd {
        effect,
        step: 2,
        position: if is_run { EndPosition::After(4) } else { EndPosition::During(5) },
        elapsed: Duration::from_secs(60),
        spend: Spend::default(),
        saved: LimitSavings { money, at_least: !is_run, time: Duration::from_secs(4_000) },
        later_iterations: 3,
        completed,
    }))
}

/// Three runs: one is harmed, one would have been cheaper, and one would have continued.
fn report() -> WhatIfReport {
    let mut report = WhatIfReport::new(&limits(&[("stagnation", "2"), ("timeout", "20m")]));
    let stagnated = || LimitEffect::EndsRun(StepEnd::Stagnated(2));
    let timeout = || LimitEffect::EndsIteration(StopReason::Timeout);
    report.add(
        simulated("abcd1234", true),
        vec![
            earlier(timeout(), 5, true),
            earlier(stagnated(), 120, true),
            earlier(stagnated(), 120, true),
        ],
    );
    report.add(
        simulated("efgh5678", false),
        vec![
            earlier(timeout(), 12, false),
            earlier(stagnated(), 320, false),
            earlier(timeout(), 12, false),
        ],
    );
    let continued =
        vec![LimitOutcome::Continues, LimitOutcome::NotSimulated, LimitOutcome::Continues];
    report.add(simulated("jkmn9999", false), continued);
    report.left_out =
        LeftOutRuns { active: 1, replays: 2, unreadable: vec!["zzzz0000".to_owned()] };
    report
}

fn suggested() -> SuggestionReport {
    let suggestions = SimulatedLimit::all().zip(0..).map(|(limit, number)| LimitSuggestion {
        option: limit.option(),
        scope: limit.scope(),
        value: (number == 2).then(|| limits(&[("stagnation", "4")])),
        runs: 10 * usize::from(number == 2) + 3,
        ended_by_any_value: usize::from(limit.option() == "max-cost"),
    });
    let suggestions = suggestions.collect();
    SuggestionReport { ended: 20, completed: 14, suggestions, left_out: LeftOutRuns::default() }
}

fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

#[test]
fn without_a_terminal_nothing_is_cut() {
    insta::assert_snapshot!(plain(&render(&report(), None)), @"
    3 ended runs: 1 completed

    LIMIT           ENDED EARLIER  ITERATION ENDED  HARMED  MONEY SAVED  TIME SAVED
    --timeout 20m   0              2                1       ≥$0.1200     1h 6m
    --stagnation 2  2              0                1       $3.2000      1h 6m
    all together    1              1                1       ≥$0.1200     1h 6m

    HARMED RUN  CHAIN                                LIMIT           WOULD HAVE ENDED                         COMPLETED
    abcd1234    planner:3 -> builder:20 -> reviewer  --timeout 20m   in iteration 5 of builder: timeout       3 iterations later
    abcd1234    planner:3 -> builder:20 -> reviewer  --stagnation 2  after iteration 4 of builder: stagnated  3 iterations later

    ITERATION ENDED counts runs in which only one iteration would have ended earlier. The loop would have continued, so nothing after that point is simulated.
    1 run would have continued past a limit that ended an agent or the run; what would have followed is unknown.
    1 run recorded no states of the work tree, so --stagnation cannot be simulated there.
    Left out: 1 active run, 2 replays, 1 damaged or unreadable run (zzzz0000).
    Only limits are simulated. What an agent would have done after an earlier end is unknown. Money and time of harmed runs do not count as saved.
    ");
}

#[test]
fn a_terminal_of_eighty_columns_wraps_no_line() {
    insta::assert_snapshot!(plain(&render(&report(), Some(80))), @"
    3 ended runs: 1 completed

    LIMIT           ENDED EARLIER  ITERATION ENDED  HARMED  MONEY SAVED  TIME SAVED
    --timeout 20m   0              2                1       ≥$0.1200     1h 6m
    --stagnation 2  2              0                1       $3.2000      1h 6m
    all together    1              1                1       ≥$0.1200     1h 6m

    HARMED RUN  CHAIN         LIMIT           WOULD HAVE ENDED    COMPLETED
    abcd1234    planner:3 -…  --timeout 20m   in iteration 5 of…  3 iterations later
    abcd1234    planner:3 -…  --stagnation 2  after iteration 4…  3 iterations later

    ITERATION ENDED counts runs in which only one iteration would have ended
    earlier. The loop would have continued, so nothing after that point is
    simulated.
    1 run would have continued past a limit that ended an agent or the run; what
    would have followed is unknown.
    1 run recorded no states of the work tree, so --stagnation cannot be simulated
    there.
    Left out: 1 active run, 2 replays, 1 damaged or unreadable run (zzzz0000).
    Only limits are simulated. What an agent would have done after an earlier end is
    unknown. Money and time of harmed runs do not count as saved.
    ");
    insta::assert_snapshot!(plain(&render_suggestions(&suggested(), Some(80))), @"
    20 ended runs: 14 completed

    TIGHTEST LIMIT    BASED ON
    --max-iterations  no suggestion: 3 of 10 required runs
    --timeout         no suggestion: 3 of 10 required runs
    --stagnation 4    13 runs
    --max-time        no suggestion: 3 of 10 required runs
    --step-time       no suggestion: 3 of 10 required runs
    --group-time      no suggestion: 3 of 10 required runs
    --max-cost        no suggestion: 3 of 10 required runs
    --step-cost       no suggestion: 3 of 10 required runs
    --group-cost      no suggestion: 3 of 10 required runs
    --max-wait        no suggestion: 3 of 10 required runs

    Each value, set alone from the beginning, would have harmed no completed run.
    BASED ON counts the completed runs to which the limit applies.
    Any value of --max-cost would have ended 1 further run that completed, because
    the cost is unknown.
    --idle-timeout cannot be simulated: journals do not record agent progress.
    --quota cannot be simulated: the usage of an account is shared with other
    programs.
    ");
}

#[test]
fn money_of_which_nothing_is_known_is_not_zero() {
    let LimitOutcome::Earlier(mut end) =
        earlier(LimitEffect::EndsIteration(StopReason::Timeout), 0, false)
    else {
        panic!("it ends earlier")
    };
    end.spend.unpriced = true;
    let mut report = WhatIfReport::new(&limits(&[("timeout", "20m")]));
    report.add(simulated("abcd1234", false), vec![LimitOutcome::Earlier(end)]);
    let json: serde_json::Value = serde_json::from_str(&json(&report)).expect("it is JSON");
    let result = &json["results"][0];
    assert!(result["earlier"][0]["cost"].is_null(), "{json}");
    assert!(result["saved"]["cost"].is_null(), "{json}");
    let page = plain(&render(&report, None));
    assert!(page.contains("  unknown      1h 6m") && !page.contains('$'), "{page}");
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for limit in 32..200 {
        for page in [render(&report(), Some(limit)), render_suggestions(&suggested(), Some(limit))]
        {
            let page = plain(&page);
            let widest = page.lines().map(UnicodeWidthStr::width).max();
            assert!(widest.is_some_and(|widest| widest <= limit), "{limit}:\n{page}");
        }
    }
}

/// It is the key of the row.
#[test]
fn a_limit_is_not_cut_as_long_as_another_column_can_be_left_out() {
    let report = report();
    for limit in 34..100 {
        let page = plain(&render(&report, Some(limit)));
        let rows = page.lines().filter(|line| line.contains("--stagnation 2")).count();
        assert_eq!(rows, 2, "{limit}:\n{page}");
    }
}

#[test]
fn a_run_that_would_have_continued_past_one_of_the_limits_is_counted() {
    let mut report = WhatIfReport::new(&limits(&[("stagnation", "2"), ("timeout", "20m")]));
    let end = earlier(LimitEffect::EndsRun(StepEnd::RunTime), 1, false);
    report.add(
        simulated("abcd1234", false),
        vec![LimitOutcome::Continues, LimitOutcome::Continues, end],
    );
    let page = plain(&render(&report, None));
    assert!(page.contains("1 run would have continued past a limit"), "{page}");
}

#[test]
fn a_run_that_only_all_limits_together_harm_is_listed() {
    let mut report = WhatIfReport::new(&limits(&[("stagnation", "2"), ("timeout", "20m")]));
    let end = earlier(LimitEffect::EndsRun(StepEnd::RunTime), 1, true);
    let outcomes = vec![LimitOutcome::Unchanged, LimitOutcome::Unchanged, end];
    report.add(simulated("abcd1234", true), outcomes);
    let page = plain(&render(&report, None));
    assert!(page.contains("all together  after iteration 4 of builder: run_time"), "{page}");
}

#[test]
fn a_step_that_another_round_follows_has_a_column_of_its_own() {
    let mut report = WhatIfReport::new(&limits(&[("timeout", "20m")]));
    let step = LimitEffect::EndsStep(StepEnd::StepTime);
    report.add(simulated("abcd1234", false), vec![earlier(step, 5, false)]);
    let page = plain(&render(&report, None));
    assert!(page.contains("ENDED EARLIER  STEP ENDED  HARMED"), "{page}");
    assert!(page.contains("STEP ENDED counts runs"), "{page}");
    let json: serde_json::Value = serde_json::from_str(&json(&report)).expect("it is JSON");
    let result = &json["results"][0];
    assert_eq!((&result["endedEarlier"], &result["stepEnded"]), (&0.into(), &1.into()));
    assert_eq!(result["earlier"][0]["endedPart"], "step");
}

#[test]
fn limits_of_groups_are_not_suggested_to_runs_without_groups() {
    let mut report = suggested();
    report.suggestions.iter_mut().for_each(|suggestion| suggestion.runs = 0);
    let page = plain(&render_suggestions(&report, None));
    assert!(!page.contains("--group-") && page.contains("--step-cost"), "{page}");
}
