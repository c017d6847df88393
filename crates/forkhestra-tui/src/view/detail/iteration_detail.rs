//! Details of one iteration.

use forkhestra_core::event::{TaskChange, TaskChanges};
use forkhestra_core::history::RunHistory;
use forkhestra_core::id::UnitId;

use super::checks::check_rows;
use super::task_detail::section;
use crate::app::local_clock::LocalClock;
use crate::app::run_screen_state::RunScreenState;
use crate::app::timeline::{self as iterations, TimelineEntry};
use crate::run_source::{ChangedFile, IterationChanges};
use crate::theme::{BAD, NAME, PLAIN};
use crate::view::labels::{self, clock, duration_text};
use crate::view::run::step_details::{fact, heading};
use crate::view::run::{activity_line, timeline};
use crate::view::screen_row::{ScreenRow, clean};

/// The rows of an iteration.
pub(crate) fn rows(
    run: &RunScreenState,
    unit: UnitId,
    local: LocalClock<'_>,
    columns: usize,
) -> Vec<ScreenRow> {
    let Some(history) = &run.history else {
        return vec![ScreenRow::new().add(PLAIN, "reading…")];
    };
    let entry = iterations::find(history, unit).and_then(|place| iterations::get(history, place));
    let Some(entry) = entry else {
        return vec![ScreenRow::new().add(PLAIN, "this iteration is not there any more")];
    };
    let (sign, style) = timeline::entry_sign(run, entry);
    let text = match entry {
        TimelineEntry::Over { record, .. } => labels::outcome(record),
        TimelineEntry::AtWork(work) if run.is_live() && work.gone.is_none() => "at work".to_owned(),
        TimelineEntry::AtWork(_) if run.is_live() => "being checked".to_owned(),
        TimelineEntry::AtWork(_) => "cut off".to_owned(),
    };
    let mut rows = vec![ScreenRow::new().add(style, format!("{sign} ")).add(NAME, text)];
    rows.extend(facts(run, history, entry, local));
    let checks = match entry {
        TimelineEntry::Over { record, .. } => &record.report.checks,
        TimelineEntry::AtWork(work) => &work.checks,
    };
    let tasks = match entry {
        TimelineEntry::Over { record, .. } => record.tasks.as_ref(),
        TimelineEntry::AtWork(work) => work.tasks.as_ref(),
    };
    rows.extend(tasks.map(task_changes).unwrap_or_default());
    if !checks.is_empty() {
        rows.push(ScreenRow::new());
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
    // Files come last, because there may be many.
    rows.extend(files(changes));
    rows
}

fn trouble(why: &str) -> Vec<ScreenRow> {
    vec![ScreenRow::new(), ScreenRow::new().add(BAD, "✗ ").add_foreign(PLAIN, why)]
}

fn facts(
    run: &RunScreenState,
    history: &RunHistory,
    entry: TimelineEntry<'_>,
    local: LocalClock<'_>,
) -> Vec<ScreenRow> {
    let unit = entry.unit();
    let steps = history.steps.len();
    let agent = activity_line::agent(history, unit.step);
    let mut rows = vec![fact("agent", &format!("{agent}, step {} of {steps}", unit.step))];
    let (started, took) = match entry {
        TimelineEntry::Over { record, .. } => {
            (record.started, duration_text(record.report.duration))
        }
        TimelineEntry::AtWork(work) => (work.started, clock(run.agent_elapsed(work, local.now))),
    };
    rows.push(fact("began", &local.time(started)));
    rows.push(fact("took", &took));
    let state = history.state.steps.get(unit.step.saturating_sub(1));
    let spend = match entry {
        TimelineEntry::Over { record, .. } => record.report.spend,
        TimelineEntry::AtWork(work) if work.lane.is_some() => work.spend,
        TimelineEntry::AtWork(_) => state.and_then(|state| state.spending),
    };
    if let Some(spend) = spend {
        let tokens = labels::tokens(spend.tokens.total());
        rows.push(fact("cost", &format!("{} ({tokens} tokens)", labels::cost(&spend))));
    }
    if let TimelineEntry::Over { tree_changed: Some(changed), .. } = entry {
        rows.push(fact("work tree", if changed { "Δ changed" } else { "= unchanged" }));
    }
    rows
}

/// Changes of the agent to the task database.
fn task_changes(tasks: &TaskChanges) -> Vec<ScreenRow> {
    let row = |change: &TaskChange| {
        let reason = change.reason.as_deref().map(|reason| format!(": {}", clean(reason)));
        ScreenRow::new()
            .add(PLAIN, format!("  {:<9}", change.kind.label()))
            .add_foreign(NAME, &change.id)
            .add(PLAIN, format!(" {}{}", clean(&change.title), reason.unwrap_or_default()))
    };
    let head = [ScreenRow::new(), heading("Tasks".to_owned())];
    head.into_iter().chain(tasks.changes.iter().map(row)).collect()
}

fn commits(changes: &IterationChanges) -> Vec<ScreenRow> {
    if changes.commits.is_empty() {
        return Vec::new();
    }
    let number = changes.commits.len() + changes.more_commits as usize;
    let mut rows = vec![ScreenRow::new(), heading(format!("Commits {number}"))];
    if changes.more_commits > 0 {
        rows.push(ScreenRow::new().add(PLAIN, format!("  {} earlier ones", changes.more_commits)));
    }
    rows.extend(changes.commits.iter().map(|commit| {
        let (id, subject) = (clean(commit.short_id()), clean(&commit.subject));
        ScreenRow::new().add(PLAIN, format!("  {id} {subject}"))
    }));
    rows
}

fn files(changes: &IterationChanges) -> Vec<ScreenRow> {
    if changes.files.is_empty() {
        return Vec::new();
    }
    let number = changes.files.len() + changes.more_files as usize;
    let mut rows = vec![ScreenRow::new(), heading(format!("Files changed {number}"))];
    rows.extend(changes.files.iter().map(file_row));
    if changes.more_files > 0 {
        rows.push(ScreenRow::new().add(PLAIN, format!("  and {} more", changes.more_files)));
    }
    rows
}

fn file_row(file: &ChangedFile) -> ScreenRow {
    let lines = match file.lines {
        Some((added, removed)) => format!("+{added} -{removed}"),
        None => "binary".to_owned(),
    };
    ScreenRow::new().add(PLAIN, format!("  {lines:<12} ")).add_foreign(PLAIN, &file.path)
}
