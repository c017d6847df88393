//! Tables of agents, models, chains, days and checks.

use std::time::Duration;

use forkhestra_core::cost::Dollars;
use forkhestra_core::stats::{MoneyFigures, NamedFigures, StatsGrouping, StatsReport};
use typeset::column_table::{ColumnTable, ShrinkRule};
use typeset::style::{DIM, NAME};
use typeset::table::{TableCell, aligned};
use typeset::text::visible;

use super::amount_scale::AmountScale;
use super::small_sample_note;
use super::summary::percent;
use crate::report::run::short_duration;

/// A column of the table of groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GroupColumn {
    Name,
    Runs,
    Iterations,
    Tasks,
    CostPerTask,
    FirstTry,
    Cost,
    Productive,
    Refused,
    NoChange,
    Aborted,
    AgentTime,
}

impl GroupColumn {
    const ALL: [(Self, &'static str); 12] = [
        (Self::Name, ""),
        (Self::Runs, "RUNS"),
        (Self::Iterations, "ITERATIONS"),
        (Self::Tasks, "TASKS"),
        (Self::CostPerTask, "COST/TASK"),
        (Self::FirstTry, "FIRST TRY"),
        (Self::Cost, "COST"),
        (Self::Productive, "PRODUCTIVE"),
        (Self::Refused, "REFUSED"),
        (Self::NoChange, "NO CHANGE"),
        (Self::Aborted, "ABORTED"),
        (Self::AgentTime, "AGENT TIME"),
    ];

    const SHRINK_RULE: ShrinkRule<'static, Self> = ShrinkRule {
        cut: &[(Self::Name, 14)],
        left_out: &[
            Self::AgentTime,
            Self::NoChange,
            Self::Refused,
            Self::Aborted,
            Self::Productive,
            Self::Iterations,
            Self::Runs,
            Self::CostPerTask,
            Self::FirstTry,
            Self::Tasks,
        ],
    };
}

/// The mark of a group with a small sample of tasks.
const SMALL_SAMPLE_MARK: &str = "*";

/// A line for each agent, model, chain or day.
pub(super) fn render(
    report: &StatsReport,
    by: StatsGrouping,
    scale: AmountScale,
    columns: Option<usize>,
) -> String {
    let groups = report.groups.as_deref().unwrap_or_default();
    let title = |(column, title): (GroupColumn, &str)| match column {
        GroupColumn::Name => by.as_str().to_uppercase(),
        _ => title.to_owned(),
    };
    let titles = GroupColumn::ALL.map(|column| TableCell::painted(title(column), DIM)).to_vec();
    let mut rows = vec![titles];
    rows.extend(groups.iter().map(|group| row(group, by, scale)));
    let names = GroupColumn::ALL.map(|(column, _)| column).to_vec();
    let mut table = ColumnTable::new(names, rows);
    table.leave_out_empty();
    if let Some(columns) = columns {
        table.fit(columns, &GroupColumn::SHRINK_RULE);
    }
    let note = match groups.iter().any(is_small_sample) {
        true => format!("{SMALL_SAMPLE_MARK} {}\n", small_sample_note()),
        false => String::new(),
    };
    aligned(&table.into_rows()) + &note
}

fn is_small_sample(group: &NamedFigures) -> bool {
    group.figures.tasks.small_sample && group.figures.tasks.done > 0
}

fn row(group: &NamedFigures, by: StatsGrouping, scale: AmountScale) -> Vec<TableCell> {
    let NamedFigures { name, runs, figures } = group;
    let tasks = &figures.tasks;
    let unnamed = if by == StatsGrouping::Model { "(not named)" } else { "" };
    let name = visible(name.as_deref().unwrap_or(unnamed));
    let amount = |part: fn(&MoneyFigures) -> Dollars| {
        figures.money.map(|money| scale.text(part(&money))).unwrap_or_default()
    };
    let cost_per_task = tasks.cost.map(|cost| {
        let bound = if cost.at_least { "≥" } else { "" };
        let known = match cost.samples {
            known if known < tasks.done => format!(" ({known})"),
            _ => String::new(),
        };
        format!("{bound}{}{known}", scale.text(cost.mean))
    });
    let mark = if is_small_sample(group) { SMALL_SAMPLE_MARK } else { "" };
    let first_try = match tasks.done {
        0 => String::new(),
        done => percent(tasks.first_try, done) + mark,
    };
    let texts = [
        runs.to_string(),
        figures.iterations.to_string(),
        tasks.done.to_string(),
        cost_per_task.unwrap_or_default(),
        first_try,
        scale.cost_cell(figures),
        amount(|money| money.productive),
        amount(|money| money.refused),
        amount(|money| money.no_change),
        amount(|money| money.aborted),
        short_duration(Duration::from_millis(figures.agent_time_ms)),
    ];
    let mut cells = vec![TableCell::painted(name, NAME)];
    cells.extend(texts.map(TableCell::new));
    cells
}

/// A column of the table of checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CheckColumn {
    Name,
    Runs,
    Failed,
    Flaky,
    Median,
}

impl CheckColumn {
    const ALL: [(Self, &'static str); 5] = [
        (Self::Name, "CHECK"),
        (Self::Runs, "RUNS"),
        (Self::Failed, "FAILED"),
        (Self::Flaky, "FLAKY"),
        (Self::Median, "MEDIAN"),
    ];

    const SHRINK_RULE: ShrinkRule<'static, Self> =
        ShrinkRule { cut: &[(Self::Name, 14)], left_out: &[Self::Median, Self::Flaky, Self::Runs] };
}

/// A line for each check.
pub(super) fn checks(report: &StatsReport, columns: Option<usize>) -> String {
    if report.checks.is_empty() {
        return "No check ran.\n".to_owned();
    }
    let titles = CheckColumn::ALL.map(|(_, title)| TableCell::painted(title, DIM)).to_vec();
    let mut rows = vec![titles];
    rows.extend(report.checks.iter().map(|check| {
        let duration = short_duration(Duration::from_millis(check.median_ms));
        let numbers = [check.runs, check.failed, check.flaky].map(|number| number.to_string());
        let mut cells = vec![TableCell::painted(visible(&check.name), NAME)];
        cells.extend(numbers.map(TableCell::new));
        cells.push(TableCell::new(duration));
        cells
    }));
    let names = CheckColumn::ALL.map(|(column, _)| column).to_vec();
    let mut table = ColumnTable::new(names, rows);
    if let Some(columns) = columns {
        table.fit(columns, &CheckColumn::SHRINK_RULE);
    }
    aligned(&table.into_rows())
}
