//! The table of tasks.

use forkhestra_core::cost::Dollars;
use forkhestra_core::stats::{StatsReport, WorkedTaskFigures};
use typeset::column_table::{ColumnTable, ShrinkRule};
use typeset::style::{DIM, NAME};
use typeset::table::{TableCell, aligned};
use typeset::text::visible;

use super::StatsLayout;
use super::amount_scale::AmountScale;
use super::summary::without_task_text;
use crate::project::project_location::ProgramEnvironment;

/// A column of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TaskColumn {
    Id,
    Outcome,
    Cost,
    Iterations,
    Runs,
    Title,
    Directory,
}

impl TaskColumn {
    const ALL: [(Self, &'static str); 7] = [
        (Self::Id, "TASK"),
        (Self::Outcome, "OUTCOME"),
        (Self::Cost, "COST"),
        (Self::Iterations, "ITERATIONS"),
        (Self::Runs, "RUNS"),
        (Self::Title, "TITLE"),
        (Self::Directory, "DIRECTORY"),
    ];

    const SHRINK_RULE: ShrinkRule<'static, Self> = ShrinkRule {
        cut: &[(Self::Title, 10), (Self::Directory, 10)],
        left_out: &[Self::Runs, Self::Title, Self::Iterations, Self::Directory, Self::Outcome],
    };
}

/// A line for each task that agents worked on.
pub(super) fn render(report: &StatsReport, scale: AmountScale, layout: &StatsLayout<'_>) -> String {
    let tasks = report.tasks_worked_on.as_deref().unwrap_or_default();
    if tasks.is_empty() {
        return "No agent worked on a task.\n".to_owned();
    }
    let mut shown = TaskColumn::ALL.to_vec();
    shown.retain(|(column, _)| *column != TaskColumn::Directory || layout.directories.is_some());
    let titles = shown.iter().map(|(_, title)| TableCell::painted(*title, DIM)).collect();
    let mut rows = vec![titles];
    rows.extend(tasks.iter().map(|task| row(task, scale, layout.directories)));
    let names = shown.into_iter().map(|(column, _)| column).collect();
    let mut table = ColumnTable::new(names, rows);
    if let Some(columns) = layout.columns {
        table.fit(columns, &TaskColumn::SHRINK_RULE);
    }
    let without_task = report.all.money.and_then(|money| without_task_text(&money, scale));
    let note = without_task.map(|text| format!("{text}\n")).unwrap_or_default();
    aligned(&table.into_rows()) + &note
}

fn row(
    task: &WorkedTaskFigures,
    scale: AmountScale,
    directories: Option<&ProgramEnvironment>,
) -> Vec<TableCell> {
    let shortened =
        |environment: &ProgramEnvironment| environment.shortened(&task.working_directory);
    let cost = match task.cost.and_then(Dollars::from_dollars) {
        Some(cost) if task.at_least => format!("≥{}", scale.text(cost)),
        Some(cost) => scale.text(cost),
        None if task.at_least => "unknown".to_owned(),
        None => String::new(),
    };
    let mut cells = vec![
        TableCell::painted(visible(&task.id), NAME),
        TableCell::new(task.outcome.as_str()),
        TableCell::new(cost),
        TableCell::new(task.iterations.to_string()),
        TableCell::new(task.runs.to_string()),
        TableCell::new(visible(&task.title)),
    ];
    cells.extend(directories.map(|environment| TableCell::new(visible(&shortened(environment)))));
    cells
}
