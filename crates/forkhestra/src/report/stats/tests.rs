//! Tests of the report.

use std::time::Duration;

use forkhestra_core::cost::{Dollars, Spend, TokenCounts};
use forkhestra_core::history::{ActivityTimes, ExecutionStatus};
use forkhestra_core::id::RunId;
use forkhestra_core::stats::{
    AgentStatistics, CheckStatistics, RunStatistics, SpendByCategory, StatsGrouping, StatsQuery,
    StatsReport, TaskOutcome, TaskStatistics, UnreadableRunFigures,
};
use forkhestra_core::time::Timestamp;
use insta::assert_snapshot;
use unicode_width::UnicodeWidthStr;

use super::*;

fn cents(cents: u64) -> Dollars {
    Dollars::from_nanos(cents * 10_000_000)
}

fn spend(amount: u64) -> Spend {
    let tokens = TokenCounts { input: 1000, ..TokenCounts::default() };
    Spend { tokens, dollars: cents(amount), unpriced: false }
}

fn agent(name: &str, model: Option<&str>, money: SpendByCategory) -> AgentStatistics {
    AgentStatistics {
        fallback: None,
        agent: name.to_owned(),
        model: model.map(str::to_owned),
        iterations: 3,
        duration: Duration::from_secs(240),
        spend: Some(Spend { dollars: money.total(), ..spend(0) }),
        money,
        without_task: Dollars::default(),
    }
}

fn task(number: u64, iterations: u32, amount: u64, outcome: TaskOutcome) -> TaskStatistics {
    TaskStatistics {
        id: format!("TASK-{number:03}"),
        title: format!("Write part {number} of the parser and its documentation"),
        outcome,
        iterations,
        spend: Some(spend(amount)),
        finished_by: (outcome == TaskOutcome::Done).then_some(0),
        changed: Timestamp::default(),
    }
}

/// A run of a builder with this many cents for each of four tasks.
fn run(number: u64, status: ExecutionStatus, amount: u64) -> RunStatistics {
    let productive = cents(amount * 4);
    let (refused, no_change, aborted) = (cents(7), cents(4), cents(1));
    let running = Dollars::default();
    let money = SpendByCategory { productive, refused, no_change, aborted, running };
    let opus = SpendByCategory { productive: cents(120), ..SpendByCategory::default() };
    let tasks = (1..=4).map(|task_number| {
        let first = if task_number == 1 { 2 } else { 1 };
        task(number * 4 + task_number, first, amount, TaskOutcome::Done)
    });
    let seconds = Duration::from_secs;
    RunStatistics {
        version: RunStatistics::VERSION,
        run: RunId::from_random(number),
        chain: Some("build-all".to_owned()),
        definition: "builder:20 -> reviewer".to_owned(),
        working_directory: "/home/ada/shop".to_owned(),
        started: Timestamp::from_milliseconds(
            1_794_700_800_000 + 86_400_000 * i64::try_from(number).expect("a small number"),
        ),
        status,
        is_replay: false,
        times: ActivityTimes {
            agents: seconds(240),
            checks: seconds(30),
            provider: seconds(20),
            backoff: Duration::from_millis(1),
            ..ActivityTimes::default()
        },
        agents: vec![
            agent("builder", Some("sonnet"), money),
            agent("reviewer", Some("opus"), opus),
        ],
        tasks: tasks.chain([task(99, 1, 3, TaskOutcome::Blocked)]).collect(),
        checks: vec![CheckStatistics {
            name: "command:\"cargo test\"".to_owned(),
            runs: 8,
            failed: 3,
            flaky: u32::from(number == 1),
            durations: vec![47_000, 48_000, 50_000],
        }],
    }
}

fn runs() -> Vec<RunStatistics> {
    vec![
        run(1, ExecutionStatus::Complete, 98),
        run(2, ExecutionStatus::Complete, 142),
        run(3, ExecutionStatus::Limited, 310),
    ]
}

fn report(by: Option<StatsGrouping>, runs: Vec<RunStatistics>) -> StatsReport {
    let day_of = |time: Timestamp| time.to_string()[..10].to_owned();
    StatsReport::of(runs, StatsQuery { by, since: None, day_of: &day_of })
}

fn text_of(by: Option<StatsGrouping>, columns: Option<usize>) -> String {
    let layout = StatsLayout { columns, ..StatsLayout::default() };
    plain(&render(&report(by, runs()), &layout))
}

fn plain(text: &str) -> String {
    anstream::adapter::strip_str(text).to_string()
}

#[test]
fn the_summary_has_a_section_for_each_question() {
    assert_snapshot!(text_of(None, None), @r#"
    Runs      3: 2 complete, 1 limited, 18 iterations
    Tasks     12 done   $1.83 each (median $1.42, p90 $3.10)   1.3 iterations each   75 % on the first try
    Time      14m 30s   agents 83 %   checks 10 %   provider waits 7 %   crash backoff <1 %
    Money     $25.96: productive $25.60, refused $0.21, no change $0.12, aborted $0.03
    Checks    command:"cargo test"  failed 9 of 24  48s  passed and failed on the same work tree once (flaky?)
    Agents    builder (sonnet)  12 tasks      $1.83 each    first try 75 %
              reviewer (opus)   9 iterations  $3.60 in all
    Top cost  30000000 build-all  $13.72  6 iterations, 2 on TASK-013
              20000000 build-all  $7.00   6 iterations, 2 on TASK-009
              10000000 build-all  $5.24   6 iterations, 2 on TASK-005
    "#);
}

#[test]
fn the_summary_fits_a_terminal() {
    assert_snapshot!(text_of(None, Some(60)), @r#"
    Runs      3: 2 complete, 1 limited, 18 iterations
    Tasks     12 done   $1.83 each (median $1.42, p90 $3.10)
              1.3 iterations each   75 % on the first try
    Time      14m 30s   agents 83 %   checks 10 %
              provider waits 7 %   crash backoff <1 %
    Money     $25.96: productive $25.60, refused $0.21,
              no change $0.12, aborted $0.03
    Checks    command:"cargo test"  failed 9 of 24  48s
    Agents    builder (sonnet)  12 tasks      $1.83 each
              reviewer (opus)   9 iterations  $3.60 in all
    Top cost  30000000 bui…  $13.72  6 iterations, 2 on TASK-013
              20000000 bui…  $7.00   6 iterations, 2 on TASK-009
              10000000 bui…  $5.24   6 iterations, 2 on TASK-005
    "#);
    for columns in 26..120 {
        for by in [None].into_iter().chain(StatsGrouping::ALL.map(Some)) {
            let text = text_of(by, Some(columns));
            let widest = text.lines().map(UnicodeWidthStr::width).max().unwrap_or_default();
            assert!(widest <= columns, "{columns}: {text}");
        }
    }
}

#[test]
fn agents_models_chains_and_days_have_tables() {
    assert_snapshot!(text_of(Some(StatsGrouping::Agent), None), @"
    Runs      3: 2 complete, 1 limited, 18 iterations

    AGENT             RUNS  ITERATIONS  TASKS  COST/TASK  FIRST TRY  COST    PRODUCTIVE  REFUSED  NO CHANGE  ABORTED  AGENT TIME
    builder (sonnet)  3     9           12     $1.83      75 %       $22.36  $22.00      $0.21    $0.12      $0.03    12m
    reviewer (opus)   3     9           0                            $3.60   $3.60       $0.00    $0.00      $0.00    12m
    ");
    assert_snapshot!(text_of(Some(StatsGrouping::Day), Some(80)), @"
    Runs      3: 2 complete, 1 limited, 18 iterations

    DAY         RUNS  ITERATIONS  TASKS  COST/TASK  FIRST TRY  COST    PRODUCTIVE
    2026-11-16  1     6           4      $0.98      75 %*      $5.24   $5.12
    2026-11-17  1     6           4      $1.42      75 %*      $7.00   $6.88
    2026-11-18  1     6           4      $3.10      75 %*      $13.72  $13.60
    * fewer than 10 tasks
    ");
}

#[test]
fn checks_and_tasks_have_tables() {
    assert_snapshot!(text_of(Some(StatsGrouping::Check), None), @r#"
    Runs      3: 2 complete, 1 limited, 18 iterations

    CHECK                 RUNS  FAILED  FLAKY  MEDIAN
    command:"cargo test"  24    9       1      48s
    "#);
    let one = report(Some(StatsGrouping::Task), vec![run(1, ExecutionStatus::Complete, 98)]);
    let layout = StatsLayout::default();
    assert_snapshot!(plain(&render(&one, &layout)), @"
    Runs      1: 1 complete, 6 iterations

    TASK      OUTCOME  COST     ITERATIONS  RUNS  TITLE
    TASK-005  done     $0.9800  2           1     Write part 5 of the parser and its documentation
    TASK-006  done     $0.9800  1           1     Write part 6 of the parser and its documentation
    TASK-007  done     $0.9800  1           1     Write part 7 of the parser and its documentation
    TASK-008  done     $0.9800  1           1     Write part 8 of the parser and its documentation
    TASK-099  blocked  $0.0300  1           1     Write part 99 of the parser and its documentation
    ");
}

#[test]
fn tasks_of_all_work_trees_have_their_directories() {
    let home = Some("/home/ada".into());
    let environment = ProgramEnvironment { home, ..ProgramEnvironment::default() };
    let layout = StatsLayout { directories: Some(&environment), ..StatsLayout::default() };
    let mut one = run(1, ExecutionStatus::Complete, 98);
    let mut other = RunStatistics { working_directory: "/srv/api".to_owned(), ..one.clone() };
    one.tasks.truncate(1);
    other.tasks.truncate(1);
    let report = report(Some(StatsGrouping::Task), vec![one, other]);
    assert_snapshot!(plain(&render(&report, &layout)), @"
    Runs      2: 2 complete, 12 iterations

    TASK      OUTCOME  COST   ITERATIONS  RUNS  TITLE                                             DIRECTORY
    TASK-005  done     $0.98  2           1     Write part 5 of the parser and its documentation  ~/shop
    TASK-005  done     $0.98  2           1     Write part 5 of the parser and its documentation  /srv/api
    ");
    let json = serde_json::to_value(&report).expect("texts and numbers are JSON");
    assert_eq!(json["tasksWorkedOn"][1]["workingDirectory"], "/srv/api");
}

#[test]
fn money_that_belongs_to_no_task_is_shown_so_that_sums_can_be_compared() {
    let mut run = run(1, ExecutionStatus::Complete, 98);
    run.agents[0].without_task = cents(12);
    run.agents[1].without_task = cents(120);
    let layout = StatsLayout::default();
    let page = plain(&render(&report(None, vec![run.clone()]), &layout));
    let line = page.lines().find(|line| line.starts_with("Tasks")).expect("it is there");
    assert!(line.ends_with("   not on a task $1.3200"), "{line}");
    let page = plain(&render(&report(Some(StatsGrouping::Task), vec![run.clone()]), &layout));
    assert_eq!(page.lines().last(), Some("not on a task $1.3200"));
    // A project without tasks.
    run.tasks.clear();
    run.agents[0].without_task = run.agents[0].money.total();
    let page = plain(&render(&report(None, vec![run]), &layout));
    assert!(!page.contains("not on a task"), "{page}");
}

#[test]
fn one_run_is_named() {
    let run = run(1, ExecutionStatus::Complete, 98);
    let layout = StatsLayout { single: Some(&run), ..StatsLayout::default() };
    assert_snapshot!(plain(&render(&report(None, vec![run.clone()]), &layout)), @r#"
    Run       10000000 build-all, complete, 6 iterations
    Tasks     4 done   $0.9800 each (median $0.9800, p90 $0.9800)   1.3 iterations each   75 % on the first try   (fewer than 10 tasks)
    Time      4m 50s   agents 83 %   checks 10 %   provider waits 7 %   crash backoff <1 %
    Money     $5.2400: productive $5.1200, refused $0.0700, no change $0.0400, aborted $0.0100
    Checks    command:"cargo test"  failed 3 of 8  48s  passed and failed on the same work tree once (flaky?)
    Agents    builder (sonnet)  4 tasks       $0.9800 each    first try 75 %  (fewer than 10 tasks)
              reviewer (opus)   3 iterations  $1.2000 in all
    "#);
}

#[test]
fn unknown_prices_are_lower_bounds_and_unknown_costs_are_not_zero() {
    let mut unpriced = run(1, ExecutionStatus::Complete, 98);
    unpriced.agents[0].spend =
        unpriced.agents[0].spend.map(|spend| Spend { unpriced: true, ..spend });
    unpriced.tasks[0].spend =
        unpriced.tasks[0].spend.map(|spend| Spend { unpriced: true, ..spend });
    let layout = StatsLayout::default();
    assert_snapshot!(plain(&render(&report(None, vec![unpriced]), &layout)), @r#"
    Runs      1: 1 complete, 6 iterations
    Tasks     4 done   at least $0.9800 each (median ≥$0.9800, p90 ≥$0.9800)   1.3 iterations each   75 % on the first try   (fewer than 10 tasks)
    Time      4m 50s   agents 83 %   checks 10 %   provider waits 7 %   crash backoff <1 %
    Money     at least $5.2400: productive $5.1200, refused $0.0700, no change $0.0400, aborted $0.0100
    Checks    command:"cargo test"  failed 3 of 8  48s  passed and failed on the same work tree once (flaky?)
    Agents    builder (sonnet)  4 tasks       at least $0.9800 each  first try 75 %  (fewer than 10 tasks)
              reviewer (opus)   3 iterations  $1.2000 in all
    Top cost  10000000 build-all  at least $5.2400  6 iterations, 2 on TASK-005
    "#);
    let mut silent = run(1, ExecutionStatus::Running, 98);
    for agent in &mut silent.agents {
        (agent.spend, agent.money) = (None, SpendByCategory::default());
    }
    silent.tasks.iter_mut().for_each(|task| task.spend = None);
    assert_snapshot!(plain(&render(&report(None, vec![silent]), &layout)), @r#"
    Runs      1: 1 running, 6 iterations
    Tasks     4 done   1.3 iterations each   75 % on the first try   (fewer than 10 tasks)
    Time      4m 50s   agents 83 %   checks 10 %   provider waits 7 %   crash backoff <1 %
    Money     unknown
    Checks    command:"cargo test"  failed 3 of 8  48s  passed and failed on the same work tree once (flaky?)
    Agents    builder (sonnet)  4 tasks         first try 75 %  (fewer than 10 tasks)
              reviewer (opus)   3 iterations
    "#);
}

#[test]
fn a_mean_of_some_tasks_says_of_how_many() {
    let mut run = run(1, ExecutionStatus::Complete, 98);
    run.tasks[0].spend = None;
    run.tasks[1].spend = Some(Spend { unpriced: true, ..Spend::default() });
    let layout = StatsLayout::default();
    let page = plain(&render(&report(None, vec![run.clone()]), &layout));
    assert!(page.contains("   $0.9800 each (cost of 2 known) (median $0.9800, "), "{page}");
    assert!(page.contains("4 tasks       $0.9800 each (cost of 2 known)  first try"), "{page}");
    let page = plain(&render(&report(Some(StatsGrouping::Agent), vec![run.clone()]), &layout));
    assert!(page.contains("  $0.9800 (2)  "), "{page}");
    let page = plain(&render(&report(Some(StatsGrouping::Task), vec![run]), &layout));
    assert!(page.contains("TASK-006  done     unknown  1 "), "{page}");
    assert!(!page.contains("$0.0000"), "{page}");
}

#[test]
fn what_is_left_out_is_counted() {
    let unreadable = UnreadableRunFigures {
        run: "abcd1234".to_owned(),
        error: "broken".to_owned(),
        repair: None,
    };
    let report = report(None, runs()).with_left_out(1, vec![unreadable.clone(), unreadable]);
    let layout = StatsLayout::default();
    assert_eq!(
        plain(&render(&report, &layout)).lines().next(),
        Some(
            "Runs      3: 2 complete, 1 limited, 18 iterations, not counted: 1 replay, not counted: 2 unreadable runs"
        )
    );
}

#[test]
fn without_a_run_that_counts_there_is_no_line_about_time() {
    let unreadable = UnreadableRunFigures {
        run: "abcd1234".to_owned(),
        error: "broken".to_owned(),
        repair: None,
    };
    let report = report(None, Vec::new()).with_left_out(0, vec![unreadable]);
    let layout = StatsLayout::default();
    assert_snapshot!(plain(&render(&report, &layout)), @"
    Runs      0, 0 iterations, not counted: 1 unreadable run
    Tasks     none done
    Money     unknown
    ");
}

#[test]
fn the_shown_amounts_add_up() {
    // Each category is a third of a cent more than shown.
    let third = Dollars::from_nanos(3_333_333);
    let mut run = run(1, ExecutionStatus::Complete, 98);
    run.agents.truncate(1);
    let money = SpendByCategory {
        productive: cents(2000) + third,
        refused: cents(100) + third,
        no_change: cents(50) + third,
        aborted: third,
        ..SpendByCategory::default()
    };
    run.agents[0] = agent("builder", None, money);
    let text = plain(&render(&report(None, vec![run]), &StatsLayout::default()));
    let line = text.lines().find(|line| line.starts_with("Money")).expect("it is there");
    assert_eq!(
        line,
        "Money     $21.51: productive $20.00, refused $1.00, no change $0.50, aborted $0.01"
    );
}

#[test]
fn long_lists_are_cut_with_the_command_for_the_rest() {
    let mut run = run(1, ExecutionStatus::Complete, 98);
    let check = run.checks[0].clone();
    run.checks = (1..=13)
        .map(|number| CheckStatistics { name: format!("check {number}"), ..check.clone() })
        .collect();
    let text = plain(&render(&report(None, vec![run]), &StatsLayout::default()));
    assert!(text.contains("… 3 more: --by check"), "{text}");
}
