//! The sums of the journals of `journals.rs`, added up by hand.

use super::journal_script::JournalScript;
use super::journals::journals;
use crate::cost::Dollars;
use crate::stats::{
    CostSummary, GroupFigures, NamedFigures, RunStatistics, StatsGrouping, StatsQuery, StatsReport,
    TaskOutcome,
};
use crate::time::Timestamp;

fn runs() -> Vec<RunStatistics> {
    let all = journals().into_iter();
    all.map(|(events, liveness)| RunStatistics::of(&JournalScript::history(&events), liveness))
        .collect()
}

fn report(by: Option<StatsGrouping>) -> StatsReport {
    let day_of = |time: Timestamp| time.to_string()[..10].to_owned();
    StatsReport::of(runs(), StatsQuery { by, since: None, day_of: &day_of })
}

/// An amount in tenths of a cent.
fn mills(mills: u64) -> Dollars {
    Dollars::from_nanos(mills * 1_000_000)
}

fn cents(cents: u64) -> Dollars {
    mills(cents * 10)
}

#[test]
fn runs_are_counted_by_status() {
    let runs = report(None).runs;
    assert_eq!(runs.total, 20);
    let expected = [
        ("complete", 13),
        ("interrupted", 2),
        ("max_iterations", 3),
        ("running", 1),
        ("stagnated", 1),
    ];
    let expected = expected.map(|(word, number)| (word.to_owned(), number));
    assert_eq!(runs.by_status.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn money_is_known_to_the_cent() {
    let money = report(None).all.money.expect("costs are known");
    assert!(money.at_least, "a price is unknown");
    assert_eq!(money.productive, cents(755));
    assert_eq!(money.refused, cents(40));
    assert_eq!(money.no_change, cents(30));
    assert_eq!(money.aborted, cents(72));
    assert_eq!(money.running, cents(11));
    assert_eq!(money.total, cents(908));
    assert_eq!(money.without_task, cents(174));
}

/// The cost of all tasks and the money that belongs to none are the total.
#[test]
fn every_cent_is_on_a_task_or_on_none() {
    let report = report(Some(StatsGrouping::Task));
    let tasks = report.tasks_worked_on.expect("they are requested");
    let of_tasks: f64 = tasks.iter().filter_map(|task| task.cost).sum();
    let money = report.all.money.expect("costs are known");
    let sum = of_tasks + money.without_task.to_dollars();
    assert!((sum - money.total.to_dollars()).abs() < 1e-9, "{sum}");
    for by in [StatsGrouping::Agent, StatsGrouping::Chain, StatsGrouping::Day] {
        let groups = self::report(Some(by)).groups.expect("they are requested");
        let parts = groups.iter().filter_map(|group| group.figures.money);
        assert_eq!(parts.map(|part| part.without_task).sum::<Dollars>(), money.without_task);
    }
}

#[test]
fn tasks_have_their_costs_iterations_and_first_tries() {
    let report = report(None);
    let tasks = &report.all.tasks;
    assert_eq!(
        (tasks.done, tasks.first_try, tasks.iterations, tasks.small_sample),
        (10, 7, 13, false)
    );
    let expected = CostSummary {
        mean: mills(721),
        median: mills(505),
        p90: cents(120),
        samples: 10,
        at_least: true,
    };
    assert_eq!(tasks.cost, Some(expected));
    assert_eq!(report.all.iterations, 23);
}

#[test]
fn time_is_known_to_the_second() {
    let time = report(None).all.time.expect("these are whole runs");
    assert_eq!(time.agents_ms, 1_520_000);
    assert_eq!(time.checks_ms, 100_000);
    assert_eq!(time.hooks_ms, 5_000);
    assert_eq!(time.provider_ms, 600_000);
    assert_eq!(time.backoff_ms, 2_000);
    assert_eq!(time.paused_ms, 30_000);
    assert_eq!(time.other_ms, 0);
    assert_eq!(time.total_ms, 2_257_000);
    assert_eq!(report(None).all.agent_time_ms, 1_500_000);
}

#[test]
fn checks_say_how_often_they_fail_and_whether_they_are_flaky() {
    let checks = report(Some(StatsGrouping::Check)).checks;
    let [test] = checks.as_slice() else { panic!("there is one check: {checks:?}") };
    assert_eq!((test.name.as_str(), test.runs, test.failed, test.flaky), ("test", 4, 2, 1));
    assert_eq!(test.median_ms, 25_000);
}

#[test]
fn the_most_expensive_runs_come_first() {
    let expensive = report(None).most_expensive;
    let shown: Vec<(Dollars, u32, Option<&str>)> = expensive
        .iter()
        .map(|run| (run.cost, run.iterations, run.busiest_task.as_deref()))
        .collect();
    assert_eq!(
        shown,
        [
            (cents(200), 1, Some("TASK-5")),
            (cents(120), 2, Some("TASK-2")),
            (cents(101), 1, Some("TASK-7")),
            (cents(100), 1, Some("TASK-1")),
            (cents(60), 1, Some("TASK-9")),
        ]
    );
    assert_eq!(expensive[1].busiest_task_iterations, 2);
}

fn total(figures: &GroupFigures) -> Dollars {
    figures.money.map(|money| money.total).unwrap_or_default()
}

/// The name, runs, iterations, tasks and total of each group.
fn rows(groups: &[NamedFigures]) -> Vec<(Option<&str>, u32, u32, usize, Dollars)> {
    let row = |group: &'_ NamedFigures| {
        let figures = &group.figures;
        (group.runs, figures.iterations, figures.tasks.done, total(figures))
    };
    let rows = groups.iter().map(|group| {
        let (runs, iterations, tasks, total) = row(group);
        (group.name.as_deref(), runs, iterations, tasks, total)
    });
    rows.collect()
}

#[test]
fn agents_and_models_are_compared() {
    let report = report(Some(StatsGrouping::Model));
    assert_eq!(
        rows(&report.agents),
        [
            (Some("builder (sonnet)"), 17, 20, 8, cents(668)),
            (Some("reviewer (opus)"), 2, 2, 2, cents(240)),
            (Some("script"), 1, 1, 0, cents(0)),
        ]
    );
    let models = report.groups.expect("they are requested");
    assert_eq!(
        rows(&models),
        [
            (Some("sonnet"), 17, 20, 8, cents(668)),
            (Some("opus"), 2, 2, 2, cents(240)),
            (None, 1, 1, 0, cents(0)),
        ]
    );
    let opus = &models[1].figures;
    // Everything that was spent on a task counts for the agent that finished it.
    assert_eq!(opus.tasks.cost.map(|cost| cost.mean), Some(cents(150)));
    assert_eq!((opus.tasks.first_try, opus.tasks.small_sample), (1, true));
    assert!(models[2].figures.money.is_none() && opus.time.is_none());
}

#[test]
fn chains_and_days_have_whole_runs() {
    let chains = report(Some(StatsGrouping::Chain)).groups.expect("they are requested");
    let names: Vec<Option<&str>> = chains.iter().map(|group| group.name.as_deref()).collect();
    assert_eq!(names, [Some("builder:9"), Some("reviewer:9"), Some("script")]);
    let days = report(Some(StatsGrouping::Day)).groups.expect("they are requested");
    assert_eq!(
        rows(&days),
        [(Some("2026-11-01"), 10, 12, 4, cents(453)), (Some("2026-11-02"), 10, 11, 6, cents(455)),]
    );
    let time: u64 = days.iter().filter_map(|day| day.figures.time).map(|time| time.total_ms).sum();
    assert_eq!(time, 2_257_000);
}

#[test]
fn tasks_are_listed_over_all_runs() {
    let report = report(Some(StatsGrouping::Task));
    assert!(report.groups.is_none());
    let tasks = report.tasks_worked_on.expect("they are requested");
    assert_eq!(tasks.len(), 11);
    let ninth = tasks.iter().find(|task| task.id == "TASK-9").expect("it was worked on");
    assert_eq!((ninth.runs, ninth.iterations, ninth.first_try), (2, 2, false));
    assert_eq!((ninth.outcome, ninth.cost), (TaskOutcome::Done, Some(1.0)));
    assert_eq!(ninth.title, "Title of TASK-9");
    let blocked = tasks.iter().find(|task| task.id == "TASK-10").expect("it was worked on");
    assert_eq!((blocked.outcome, blocked.cost), (TaskOutcome::Blocked, Some(0.13)));
    // Another directory has other tasks.
    let firsts = tasks.iter().filter(|task| task.id == "TASK-1");
    let directories: Vec<&str> = firsts.map(|task| task.working_directory.as_str()).collect();
    assert_eq!(directories, ["/work", "/other"]);
}

#[test]
fn every_grouping_adds_up_to_the_whole() {
    let all = report(None).all;
    for by in [StatsGrouping::Agent, StatsGrouping::Model, StatsGrouping::Chain, StatsGrouping::Day]
    {
        let groups = report(Some(by)).groups.expect("they are requested");
        let figures = || groups.iter().map(|group| &group.figures);
        let total_of_groups: Dollars = figures().map(total).sum();
        let iterations: u32 = figures().map(|figures| figures.iterations).sum();
        let tasks: usize = figures().map(|figures| figures.tasks.done).sum();
        assert_eq!(
            (total_of_groups, iterations, tasks),
            (total(&all), all.iterations, all.tasks.done),
            "{by:?}"
        );
    }
}

#[test]
fn the_order_of_runs_does_not_matter() {
    let day_of = |time: Timestamp| time.to_string();
    let query = StatsQuery { by: Some(StatsGrouping::Task), since: None, day_of: &day_of };
    let mut backwards = runs();
    backwards.reverse();
    assert_eq!(StatsReport::of(backwards, query), StatsReport::of(runs(), query));
}

#[test]
fn statistics_read_back_from_their_json() {
    for statistics in runs() {
        let text = serde_json::to_string(&statistics).expect("texts and numbers are JSON");
        let read: RunStatistics = serde_json::from_str(&text).expect("it was just written");
        assert_eq!(read, statistics);
    }
}
