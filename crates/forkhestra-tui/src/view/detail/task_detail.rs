//! Details of one task.

use forkhestra_core::history::IterationRecord;
use typeset::text::visible_lines;

use super::checks::wrapped;
use crate::app::run_screen_state::RunScreenState;
use crate::run_source::TaskDetails;
use crate::theme::{BAD, GOOD, NAME, PLAIN};
use crate::view::labels::{self, duration_text};
use crate::view::run::step_details::{fact, heading};
use crate::view::run::timeline;
use crate::view::screen_row::{ScreenRow, clean};

/// The rows of a task, once it was read.
pub(crate) fn rows(run: &RunScreenState, id: &str, columns: usize) -> Vec<ScreenRow> {
    match &run.task {
        None => vec![ScreenRow::new().add(PLAIN, "reading…")],
        Some(Err(why)) => vec![ScreenRow::new().add(BAD, "✗ ").add_foreign(PLAIN, why)],
        Some(Ok(None)) => {
            vec![ScreenRow::new().add(PLAIN, format!("there is no task {} any more", clean(id)))]
        }
        Some(Ok(Some(task))) => of(run, task, columns),
    }
}

fn of(run: &RunScreenState, task: &TaskDetails, columns: usize) -> Vec<ScreenRow> {
    let mut rows = Vec::new();
    let title = clean(&task.title);
    let parts = typeset::text::folds(&title, columns);
    rows.extend(parts.into_iter().map(|part| ScreenRow::new().add(NAME, &title[part])));
    rows.push(fact("status", &task.status));
    let optional = [
        ("assignee", task.assignee.clone()),
        ("priority", task.priority.clone()),
        ("labels", (!task.labels.is_empty()).then(|| task.labels.join(", "))),
        ("part of", task.parent.clone()),
        ("file", Some(task.file.clone())),
    ];
    for (name, value) in optional {
        rows.extend(value.map(|value| fact(name, &value)));
    }
    rows.extend(iterations(run, &task.id));
    rows.extend(section("Description", task.description.as_deref(), columns));
    if !task.criteria.is_empty() {
        let checked = task.criteria.iter().filter(|(_, is_checked)| *is_checked).count();
        rows.push(ScreenRow::new());
        rows.push(heading(format!("Acceptance criteria {checked}/{}", task.criteria.len())));
        rows.extend(
            task.criteria
                .iter()
                .flat_map(|(text, is_checked)| criterion(text, *is_checked, columns)),
        );
    }
    if !task.dependencies.is_empty() {
        rows.push(ScreenRow::new());
        rows.push(heading("Depends on".to_owned()));
        rows.extend(task.dependencies.iter().map(|(id, known)| dependency(id, known.as_ref())));
    }
    rows.extend(section("Plan", task.plan.as_deref(), columns));
    rows.extend(section("Notes", task.notes.as_deref(), columns));
    rows
}

/// The iterations that changed the task, and how.
fn iterations(run: &RunScreenState, id: &str) -> Vec<ScreenRow> {
    let Some(history) = &run.history else { return Vec::new() };
    let has_steps = history.steps.len() > 1;
    let row = |record: &IterationRecord| {
        let changes = record.tasks.iter().flat_map(|tasks| &tasks.changes);
        let kinds: Vec<&str> =
            changes.filter(|change| change.id == id).map(|change| change.kind.label()).collect();
        let (sign, style) = labels::verdict(&record.report.verdict);
        let number = timeline::number(record.unit, has_steps);
        let spend = record.report.spend.as_ref().map(labels::cost).unwrap_or_default();
        let took = duration_text(record.report.duration);
        (!kinds.is_empty()).then(|| {
            ScreenRow::new()
                .add(style, format!("  {sign} "))
                .add(PLAIN, format!("{number:<5} {took:>7} {spend:>9}  {}", kinds.join(", ")))
        })
    };
    let rows: Vec<ScreenRow> = history.attempts().filter_map(row).collect();
    if rows.is_empty() {
        return Vec::new();
    }
    [ScreenRow::new(), heading("Iterations".to_owned())].into_iter().chain(rows).collect()
}

/// A text below a heading, if there is one.
pub(crate) fn section(title: &str, text: Option<&str>, columns: usize) -> Vec<ScreenRow> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else {
        return Vec::new();
    };
    let lines = visible_lines(text);
    let lines = lines.iter().flat_map(|line| wrapped(line, columns, PLAIN));
    [ScreenRow::new(), heading(title.to_owned())].into_iter().chain(lines).collect()
}

fn criterion(text: &str, is_checked: bool, columns: usize) -> Vec<ScreenRow> {
    let (sign, style) = if is_checked { ("☑", GOOD) } else { ("☐", PLAIN) };
    let text = clean(text);
    let parts = typeset::text::folds(&text, columns.saturating_sub(4));
    let row = |(number, part): (usize, std::ops::Range<usize>)| {
        let start = if number == 0 { format!("  {sign} ") } else { "    ".to_owned() };
        ScreenRow::new().add(style, start).add(PLAIN, &text[part])
    };
    parts.into_iter().enumerate().map(row).collect()
}

fn dependency(id: &str, known: Option<&(String, String)>) -> ScreenRow {
    let row = |sign: &str, style| {
        ScreenRow::new().add(style, format!("  {sign} ")).add_foreign(NAME, id).add(PLAIN, " ")
    };
    match known {
        Some((status, title)) if status == "Done" => row("✓", GOOD).add_foreign(PLAIN, title),
        Some((status, title)) => {
            row("○", PLAIN).add_foreign(PLAIN, title).add(PLAIN, format!(" ({})", clean(status)))
        }
        None => row("✗", BAD).add(PLAIN, "does not exist"),
    }
}
