//! Everything about one iteration.

use forkhestra_core::event::{TaskChange, TaskChanges};
use forkhestra_core::history::History;
use forkhestra_core::id::UnitId;

use super::checks::check_rows;
use super::details::{fact, heading};
use super::row::{Row, clean};
use super::task_detail::section;
use super::words::{self, clock, spoken};
use super::{going_on, timeline};
use crate::app::local_clock::LocalClock;
use crate::app::run_view::RunView;
use crate::app::timeline::{self as iterations, Entry};
use crate::theme::{BAD, NAME, PLAIN};
use crate::world::{ChangedFile, IterationChanges};

/// The rows of an iteration.
pub(crate) fn rows(run: &RunView, unit: UnitId, local: LocalClock<'_>, columns: usize) -> Vec<Row> {
    let Some(history) = &run.history else { return vec![Row::new().add(PLAIN, "reading…")] };
    let entry = iterations::find(history, unit).and_then(|place| iterations::get(history, place));
    let Some(entry) = entry else {
        return vec![Row::new().add(PLAIN, "this iteration is not there any more")];
    };
    let (sign, style) = timeline::entry_sign(run, entry);
    let said = match entry {
        Entry::Over { record, .. } => words::outcome(record),
        Entry::AtWork(work) if run.is_live() && work.gone.is_none() => "at work".to_owned(),
        Entry::AtWork(_) if run.is_live() => "being checked".to_owned(),
        Entry::AtWork(_) => "cut off".to_owned(),
    };
    let mut rows = vec![Row::new().add(style, format!("{sign} ")).add(NAME, said)];
    rows.extend(facts(run, history, entry, local));
    let checks = match entry {
        Entry::Over { record, .. } => &record.report.checks,
        Entry::AtWork(work) => &work.checks,
    };
    let tasks = match entry {
        Entry::Over { record, .. } => record.tasks.as_ref(),
        Entry::AtWork(work) => work.tasks.as_ref(),
    };
    rows.extend(tasks.map(task_changes).unwrap_or_default());
    if !checks.is_empty() {
        rows.push(Row::new());
        rows.push(heading("Checks".to_owned()));
        rows.extend(checks.iter().flat_map(|check| check_rows(check, columns)));
    }
    let changes = match run.changes.get(&unit) {
        Some(Ok(changes)) => changes,
        Some(Err(why)) => {
            rows.extend(trouble(why));
            &IterationChanges::default()
        }
        None => &IterationChanges::default(),
    };
    rows.extend(commits(changes));
    rows.extend(match &run.last_message {
        None => Vec::new(),
        Some(Err(why)) => trouble(why),
        Some(Ok(message)) => section("Last message", message.as_deref(), columns),
    });
    // There may be many of them, so they come last.
    rows.extend(files(changes));
    rows
}

fn trouble(why: &str) -> Vec<Row> {
    vec![Row::new(), Row::new().add(BAD, "✗ ").add_foreign(PLAIN, why)]
}

fn facts(run: &RunView, history: &History, entry: Entry<'_>, local: LocalClock<'_>) -> Vec<Row> {
    let unit = entry.unit();
    let steps = history.steps.len();
    let agent = going_on::agent(history, unit.step);
    let mut rows = vec![fact("agent", &format!("{agent}, step {} of {steps}", unit.step))];
    let (started, took) = match entry {
        Entry::Over { record, .. } => (record.started, spoken(record.report.duration)),
        Entry::AtWork(work) => (work.started, clock(run.at_work_for(unit.step, local.now))),
    };
    rows.push(fact("began", &local.time(started)));
    rows.push(fact("took", &took));
    let state = history.state.steps.get(unit.step.saturating_sub(1));
    let spend = match entry {
        Entry::Over { record, .. } => record.report.spend,
        Entry::AtWork(_) => state.and_then(|state| state.spending),
    };
    if let Some(spend) = spend {
        let tokens = words::tokens(spend.tokens.total());
        rows.push(fact("cost", &format!("{} ({tokens} tokens)", words::cost(&spend))));
    }
    if let Entry::Over { changed: Some(changed), .. } = entry {
        rows.push(fact("work tree", if changed { "Δ changed" } else { "= unchanged" }));
    }
    rows
}

/// What the agent changed in the task database.
fn task_changes(tasks: &TaskChanges) -> Vec<Row> {
    let row = |change: &TaskChange| {
        let reason = change.reason.as_deref().map(|reason| format!(": {}", clean(reason)));
        Row::new()
            .add(PLAIN, format!("  {:<9}", change.kind.word()))
            .add_foreign(NAME, &change.id)
            .add(PLAIN, format!(" {}{}", clean(&change.title), reason.unwrap_or_default()))
    };
    let head = [Row::new(), heading("Tasks".to_owned())];
    head.into_iter().chain(tasks.changes.iter().map(row)).collect()
}

fn commits(changes: &IterationChanges) -> Vec<Row> {
    if changes.commits.is_empty() {
        return Vec::new();
    }
    let number = changes.commits.len() + changes.more_commits as usize;
    let mut rows = vec![Row::new(), heading(format!("Commits {number}"))];
    if changes.more_commits > 0 {
        rows.push(Row::new().add(PLAIN, format!("  {} earlier ones", changes.more_commits)));
    }
    rows.extend(changes.commits.iter().map(|commit| {
        let (id, subject) = (clean(commit.short_id()), clean(&commit.subject));
        Row::new().add(PLAIN, format!("  {id} {subject}"))
    }));
    rows
}

fn files(changes: &IterationChanges) -> Vec<Row> {
    if changes.files.is_empty() {
        return Vec::new();
    }
    let number = changes.files.len() + changes.more_files as usize;
    let mut rows = vec![Row::new(), heading(format!("Files changed {number}"))];
    rows.extend(changes.files.iter().map(file_row));
    if changes.more_files > 0 {
        rows.push(Row::new().add(PLAIN, format!("  and {} more", changes.more_files)));
    }
    rows
}

fn file_row(file: &ChangedFile) -> Row {
    let lines = match file.lines {
        Some((added, removed)) => format!("+{added} -{removed}"),
        None => "binary".to_owned(),
    };
    Row::new().add(PLAIN, format!("  {lines:<12} ")).add_foreign(PLAIN, &file.path)
}
