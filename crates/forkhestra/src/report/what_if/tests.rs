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

fn judged(id: &str, got_done: bool) -> SimulatedRun {
    SimulatedRun {
        id: id.to_owned(),
        chain: "planner:3 -> builder:20 -> reviewer".to_owned(),
        agents: ["planner", "builder", "reviewer"].map(str::to_owned).to_vec(),
        got_done,
        has_cost: true,
    }
}

fn earlier(effect: LimitEffect, cents: u64, got_done: bool) -> LimitOutcome {
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
        got_done,
    }))
}

/// Three runs: one is harmed, one would have been cheaper, and one would have gone on.
fn report() -> WhatIfReport {
    let mut report = WhatIfReport::new(&limits(&[("stagnation", "2"), ("timeout", "20m")]));
    let stagnated = || LimitEffect::EndsRun(StepEnd::Stagnated(2));
    let timeout = || LimitEffect::EndsIteration(StopReason::Timeout);
    report.add(
        judged("abcd1234", true),
        vec![
            earlier(timeout(), 5, true),
            earlier(stagnated(), 120, true),
            earlier(stagnated(), 120, true),
        ],
    );
    report.add(
        judged("efgh5678", false),
        vec![
            earlier(timeout(), 12, false),
            earlier(stagnated(), 320, false),
            earlier(timeout(), 12, false),
        ],
    );
    let gone_on =
        vec![LimitOutcome::Continues, LimitOutcome::NotSimulated, LimitOutcome::Continues];
    report.add(judged("jkmn9999", false), gone_on);
    report.left_out =
        LeftOutRuns { active: 1, replays: 2, unreadable: vec!["zzzz0000".to_owned()] };
    report
}

fn suggested() -> SuggestionReport {
    let suggestions = SimulatedLimit::all().zip(0..).map(|(limit, number)| LimitSuggestion {
        option: limit.option(),
        value: (number == 2).then(|| limits(&[("stagnation", "4")])),
        runs: 10 * usize::from(number == 2) + 3,
        incompatible: usize::from(limit.option() == "max-cost"),
    });
    let suggestions = suggestions.collect();
    SuggestionReport { judged: 20, done: 14, suggestions, left_out: LeftOutRuns::default() }
}

fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

#[test]
fn without_a_terminal_nothing_is_cut() {
    insta::assert_snapshot!(plain(&render(&report(), None)), @"
    3 ended runs: 1 got done

    LIMIT           ENDED EARLIER  CUT OFF  HARMED  MONEY SAVED  TIME SAVED
    --timeout 20m   0              2        1       ≥$0.1200     1h 6m
    --stagnation 2  2              0        1       $3.2000      1h 6m
    all together    1              1        1       ≥$0.1200     1h 6m

    HARMED RUN  CHAIN                                LIMIT           WOULD HAVE ENDED                         GOT DONE
    abcd1234    planner:3 -> builder:20 -> reviewer  --timeout 20m   in iteration 5 of builder: timeout       3 iterations later
    abcd1234    planner:3 -> builder:20 -> reviewer  --stagnation 2  after iteration 4 of builder: stagnated  3 iterations later

    CUT OFF counts runs in which only an iteration would have been ended. Another one would have followed, so that nothing after it is judged.
    1 run would have gone on where a limit ended an agent or the run. What would have come then is not known.
    1 run recorded no states of the work tree, so that --stagnation cannot be judged there.
    Left out: 1 active run, 2 replays, 1 damaged or unreadable run (zzzz0000).
    Only limits are judged. What an agent would have done instead is not known; money and time of harmed runs do not count as saved.
    ");
}

#[test]
fn a_terminal_of_eighty_columns_wraps_no_line() {
    insta::assert_snapshot!(plain(&render(&report(), Some(80))), @"
    3 ended runs: 1 got done

    LIMIT           ENDED EARLIER  CUT OFF  HARMED  MONEY SAVED  TIME SAVED
    --timeout 20m   0              2        1       ≥$0.1200     1h 6m
    --stagnation 2  2              0        1       $3.2000      1h 6m
    all together    1              1        1       ≥$0.1200     1h 6m

    HARMED RUN  CHAIN         LIMIT           WOULD HAVE ENDED    GOT DONE
    abcd1234    planner:3 -…  --timeout 20m   in iteration 5 of…  3 iterations later
    abcd1234    planner:3 -…  --stagnation 2  after iteration 4…  3 iterations later

    CUT OFF counts runs in which only an iteration would have been ended. Another
    one would have followed, so that nothing after it is judged.
    1 run would have gone on where a limit ended an agent or the run. What would
    have come then is not known.
    1 run recorded no states of the work tree, so that --stagnation cannot be judged
    there.
    Left out: 1 active run, 2 replays, 1 damaged or unreadable run (zzzz0000).
    Only limits are judged. What an agent would have done instead is not known;
    money and time of harmed runs do not count as saved.
    ");
    insta::assert_snapshot!(plain(&render_suggestions(&suggested(), Some(80))), @"
    20 ended runs: 14 got done

    TIGHTEST LIMIT    RESTS ON
    --max-iterations  no suggestion: 3 runs of the 10 that are needed
    --timeout         no suggestion: 3 runs of the 10 that are needed
    --stagnation 4    13 runs
    --max-time        no suggestion: 3 runs of the 10 that are needed
    --step-time       no suggestion: 3 runs of the 10 that are needed
    --max-cost        no suggestion: 3 runs of the 10 that are needed
    --step-cost       no suggestion: 3 runs of the 10 that are needed
    --max-wait        no suggestion: 3 runs of the 10 that are needed

    Each value alone would have harmed none of these runs. It rests on the runs that
    got done and that tell how tight the limit can be.
    --max-cost of any value would have ended 1 further run that got done: the cost
    is unknown.
    --idle-timeout cannot be judged: a journal does not record when an agent made
    progress.
    --quota cannot be judged: the use of an account depends on everything that uses
    it.
    ");
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for limit in 44..200 {
        for page in [render(&report(), Some(limit)), render_suggestions(&suggested(), Some(limit))]
        {
            let page = plain(&page);
            let widest = page.lines().map(UnicodeWidthStr::width).max();
            assert!(widest.is_some_and(|widest| widest <= limit), "{limit}:\n{page}");
        }
    }
}

#[test]
fn a_run_that_only_all_limits_together_harm_is_listed() {
    let mut report = WhatIfReport::new(&limits(&[("stagnation", "2"), ("timeout", "20m")]));
    let end = earlier(LimitEffect::EndsRun(StepEnd::RunTime), 1, true);
    let outcomes = vec![LimitOutcome::Unchanged, LimitOutcome::Unchanged, end];
    report.add(judged("abcd1234", true), outcomes);
    let page = plain(&render(&report, None));
    assert!(page.contains("all together  after iteration 4 of builder: run_time"), "{page}");
}
