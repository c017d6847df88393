//! The figures of all runs together.

use std::cmp::Reverse;
use std::time::Duration;

use forkhestra_core::stats::{
    CheckFigures, CostSummary, ExpensiveRun, GroupFigures, MoneyFigures, NamedFigures, StatsReport,
    TaskFigures, TimeFigures,
};
use forkhestra_core::text;
use typeset::text::visible;

use super::amount_scale::AmountScale;
use super::section::{PART_GAP, line, table};
use super::{StatsLayout, shares, small_sample_note};
use crate::report::run::short_duration;

/// Most checks and agents that are listed.
const MAX_ROWS: usize = 10;

/// Most of the most expensive runs that are listed.
const MAX_EXPENSIVE_RUNS: usize = 3;

/// The sections below the line about runs.
pub(super) fn render(report: &StatsReport, scale: AmountScale, layout: &StatsLayout<'_>) -> String {
    let columns = layout.columns;
    let all = &report.all;
    let mut sections = vec![line("Tasks", &task_parts(all, scale), PART_GAP, columns)];
    sections.extend(all.time.map(|time| line("Time", &time_parts(time), PART_GAP, columns)));
    sections.push(line("Money", &money_parts(all.money, scale), ", ", columns));
    if !report.checks.is_empty() {
        let rows = report.checks.iter().take(MAX_ROWS).map(check_row).collect();
        sections.push(limited("Checks", rows, report.checks.len(), "check", columns));
    }
    // One agent of one run has the figures of the run.
    if report.agents.len() > 1 || layout.single.is_none() && !report.agents.is_empty() {
        let rows = report.agents.iter().take(MAX_ROWS).map(|agent| agent_row(agent, scale));
        sections.push(limited("Agents", rows.collect(), report.agents.len(), "agent", columns));
    }
    if layout.single.is_none() && !report.most_expensive.is_empty() {
        let runs = report.most_expensive.iter().take(MAX_EXPENSIVE_RUNS);
        let rows = runs.map(|run| expensive_run_row(run, scale)).collect();
        sections.push(table("Top cost", rows, columns));
    }
    sections.concat()
}

/// The line about runs: how many there are, and how they ended.
pub(super) fn runs(report: &StatsReport, layout: &StatsLayout<'_>) -> String {
    let iterations = text::count(report.all.iterations, "iteration");
    if let Some(run) = layout.single {
        let name = format!("{} {}", run.run, visible(run.chain_name()));
        let mut parts = vec![name, run.status.to_string(), iterations];
        parts.extend(run.is_replay.then(|| "a replay: nothing was paid".to_owned()));
        return line("Run", &parts, ", ", layout.columns);
    }
    let runs = &report.runs;
    let mut by_status: Vec<(&String, &u32)> = runs.by_status.iter().collect();
    by_status.sort_by_key(|(word, number)| (*word != "complete", Reverse(**number)));
    let mut parts: Vec<String> =
        by_status.iter().map(|(word, number)| format!("{number} {word}")).collect();
    match parts.first_mut() {
        Some(first) => *first = format!("{}: {first}", runs.total),
        None => parts.push("0".to_owned()),
    }
    parts.push(iterations);
    let (replays, unreadable) = (runs.replays, runs.unreadable.len());
    let left_out = |number: usize, what: &str| {
        (number > 0).then(|| format!("not counted: {}", text::count(number, what)))
    };
    parts.extend(left_out(usize::try_from(replays).unwrap_or(usize::MAX), "replay"));
    parts.extend(left_out(unreadable, "unreadable run"));
    line("Runs", &parts, ", ", layout.columns)
}

fn task_parts(all: &GroupFigures, scale: AmountScale) -> Vec<String> {
    let tasks = &all.tasks;
    let without_task = all.money.and_then(|money| without_task_text(&money, scale));
    if tasks.done == 0 {
        return std::iter::once("none done".to_owned()).chain(without_task).collect();
    }
    let mut parts = vec![format!("{} done", tasks.done)];
    parts.extend(tasks.cost.map(|cost| cost_text(&cost, tasks.done, scale)));
    let each = ratio_text(tasks.iterations, tasks.done);
    parts.push(format!("{each} {} each", if each == "1" { "iteration" } else { "iterations" }));
    parts.push(format!("{} on the first try", percent(tasks.first_try, tasks.done)));
    parts.extend(small_sample_text(tasks));
    parts.extend(without_task);
    parts
}

/// The money that belongs to no task, if some belongs to tasks.
pub(super) fn without_task_text(money: &MoneyFigures, scale: AmountScale) -> Option<String> {
    let is_part = !money.without_task.is_zero() && money.without_task < money.total;
    is_part.then(|| format!("not on a task {}", scale.text(money.without_task)))
}

/// `$1.42 each (median $0.98, p90 $3.90)`. One sample has no distribution.
fn cost_text(cost: &CostSummary, done: usize, scale: AmountScale) -> String {
    let each = each_text(cost, done, scale);
    if cost.samples == 1 {
        return each;
    }
    let bound = if cost.at_least { "≥" } else { "" };
    let (median, p90) = (scale.text(cost.median), scale.text(cost.p90));
    format!("{each} (median {bound}{median}, p90 {bound}{p90})")
}

/// `$1.42 each`, with the number of tasks whose cost is known unless it is that of all.
fn each_text(cost: &CostSummary, done: usize, scale: AmountScale) -> String {
    let each = format!("{} each", scale.bound_text(cost.mean, cost.at_least));
    match cost.samples {
        known if known < done => format!("{each} (cost of {known} known)"),
        _ => each,
    }
}

/// The note in parentheses that marks the figures of a small sample.
fn small_sample_text(tasks: &TaskFigures) -> Option<String> {
    tasks.small_sample.then(|| format!("({})", small_sample_note()))
}

fn time_parts(time: TimeFigures) -> Vec<String> {
    let TimeFigures { total_ms, agents_ms, checks_ms, hooks_ms, provider_ms, .. } = time;
    let TimeFigures { backoff_ms, paused_ms, asking_ms, landing_ms, other_ms, .. } = time;
    let named = [
        ("agents", agents_ms),
        ("checks", checks_ms),
        ("hooks", hooks_ms),
        ("provider waits", provider_ms),
        ("crash backoff", backoff_ms),
        ("paused", paused_ms),
        ("questions", asking_ms),
        ("landing", landing_ms),
        ("other", other_ms),
    ];
    let percents = shares::rounded(&named.map(|(_, part)| part), total_ms, 100);
    let total = short_duration(Duration::from_millis(total_ms));
    let work = Duration::from_millis(time.work_in_lanes_ms);
    let work = (!work.is_zero()).then(|| format!(" ({} of work in lanes)", short_duration(work)));
    let total = total + &work.unwrap_or_default();
    let parts = named.iter().zip(percents).filter(|((_, part), _)| *part > 0);
    let parts = parts.map(|((name, _), share)| match share {
        0 => format!("{name} <1 %"),
        share => format!("{name} {share} %"),
    });
    std::iter::once(total).chain(parts).collect()
}

fn money_parts(money: Option<MoneyFigures>, scale: AmountScale) -> Vec<String> {
    let Some(money) = money else { return vec!["unknown".to_owned()] };
    let named = [
        ("productive", money.productive),
        ("refused", money.refused),
        ("no change", money.no_change),
        ("aborted", money.aborted),
        ("running", money.running),
    ];
    let nanos = named.map(|(_, part)| part.nanos());
    let units = shares::rounded(&nanos, money.total.nanos(), scale.units(money.total));
    let parts = named.iter().zip(units).filter(|((_, part), _)| !part.is_zero());
    let mut parts: Vec<String> =
        parts.map(|((name, _), units)| format!("{name} {}", scale.units_text(units))).collect();
    let total = scale.bound_text(money.total, money.at_least);
    match parts.first_mut() {
        Some(first) => *first = format!("{total}: {first}"),
        None => parts.push(total),
    }
    parts
}

fn check_row(check: &CheckFigures) -> (String, Vec<String>) {
    let failed = format!("failed {} of {}", check.failed, check.runs);
    let duration = short_duration(Duration::from_millis(check.median_ms));
    let flaky = match check.flaky {
        0 => String::new(),
        number => {
            format!("passed and failed on the same work tree {} (flaky?)", text::times(number))
        }
    };
    (visible(&check.name), vec![failed, duration, flaky])
}

fn agent_row(agent: &NamedFigures, scale: AmountScale) -> (String, Vec<String>) {
    let name = visible(agent.name.as_deref().unwrap_or_default());
    let tasks = &agent.figures.tasks;
    if tasks.done == 0 {
        let iterations = text::count(agent.figures.iterations, "iteration");
        let total = scale.cost_cell(&agent.figures);
        let total = if total.is_empty() { total } else { format!("{total} in all") };
        return (name, vec![iterations, total]);
    }
    let cost = tasks.cost.map(|cost| each_text(&cost, tasks.done, scale));
    let first_try = format!("first try {}", percent(tasks.first_try, tasks.done));
    let done = text::count(tasks.done, "task");
    let note = small_sample_text(tasks).unwrap_or_default();
    (name, vec![done, cost.unwrap_or_default(), first_try, note])
}

fn expensive_run_row(run: &ExpensiveRun, scale: AmountScale) -> (String, Vec<String>) {
    let name = format!("{} {}", run.run, visible(&run.chain));
    let mut work = text::count(run.iterations, "iteration");
    if let Some(task) = &run.busiest_task {
        let on_it = run.busiest_task_iterations;
        let number = if on_it == run.iterations { String::new() } else { format!(", {on_it}") };
        work.push_str(&format!("{number} on {}", visible(task)));
    }
    (name, vec![scale.bound_text(run.cost, run.at_least), work])
}

/// A table of at most [`MAX_ROWS`], with the number of further rows.
fn limited(
    label: &str,
    mut rows: Vec<(String, Vec<String>)>,
    all: usize,
    by: &str,
    columns: Option<usize>,
) -> String {
    let more = all.saturating_sub(rows.len());
    if more > 0 {
        rows.push((format!("… {more} more: --by {by}"), Vec::new()));
    }
    table(label, rows, columns)
}

/// A share: `71 %`. Only all of them are 100 %, and only none 0 %.
pub(super) fn percent(part: usize, whole: usize) -> String {
    let rounded = (part * 200 + whole) / (whole * 2).max(1);
    let share = match (part, rounded) {
        (0, _) => 0,
        (_, 0) => 1,
        (part, 100) if part < whole => 99,
        (_, rounded) => rounded,
    };
    format!("{share} %")
}

/// A quotient with at most one decimal: `1.3`, `2`.
fn ratio_text(number: u32, by: usize) -> String {
    let by = u64::try_from(by).unwrap_or(u64::MAX).max(1);
    let tenths = (u64::from(number) * 20 + by) / (by * 2);
    match tenths % 10 {
        0 => (tenths / 10).to_string(),
        rest => format!("{}.{rest}", tenths / 10),
    }
}
