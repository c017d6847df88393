//! Applies data from the feeds.

use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::history::RunHistory;
use forkhestra_core::id::{RunId, UnitId};

use crate::app::App;
use crate::app::detail_view::DetailSubject;
use crate::app::run_screen_state::RunScreenState;
use crate::msg::{Cmd, RunNews};
use crate::output::{BufferPatch, OutputLine};
use crate::run_source::{IterationChanges, OutputRendering, RunListItem, TaskBoard, TaskDetails};

/// Applies a new list of runs.
pub(super) fn runs(app: &mut App, runs: Result<Vec<RunListItem>, String>) -> Vec<Cmd> {
    let runs = Some(runs);
    if app.list.runs != runs {
        app.list.runs = runs;
        app.has_changed = true;
    }
    Vec::new()
}

/// Applies new events of a run.
pub(super) fn apply_news(app: &mut App, news: RunNews) -> Vec<Cmd> {
    let Some(run) = app.run.as_mut().filter(|run| run.run == news.run) else { return Vec::new() };
    let before = (run.liveness, run.is_caught_up, run.trouble.clone(), run.resume.clone());
    let has_events = !news.events.is_empty();
    for event in &news.events {
        if let Err(why) = add(run, event) {
            run.misfit.get_or_insert(why);
        }
    }
    if has_events {
        run.spend = run.history.as_ref().and_then(RunHistory::spend);
    }
    run.liveness = news.liveness;
    run.is_caught_up |= news.is_caught_up;
    run.keep_position();
    run.resume = news.resume;
    run.trouble = news.trouble;
    let after = (run.liveness, run.is_caught_up, run.trouble.clone(), run.resume.clone());
    let diff = unread_diff(run, &news.events).map(Cmd::ReadDiff);
    app.has_changed |= has_events || before != after;
    diff.into_iter().collect()
}

/// The iteration of the open diff, if that could not be read before and the iteration is over now.
fn unread_diff(run: &RunScreenState, events: &[Event]) -> Option<UnitId> {
    let unit = run.diff.as_ref().filter(|diff| diff.trouble.is_some())?.unit?;
    let is_its_end = |event: &Event| matches!(&event.kind, EventKind::IterationFinished { unit: over, .. } if *over == unit);
    events.iter().any(is_its_end).then_some(unit)
}

fn add(run: &mut RunScreenState, event: &Event) -> Result<(), String> {
    if matches!(event.kind, EventKind::RunStarted { .. }) {
        // The journal was repaired and is read from its beginning again.
        (run.history, run.misfit) = (None, None);
    }
    match RunHistory::advance(&mut run.history, event) {
        Ok(_) => Ok(()),
        Err(why) => Err(format!("the journal is damaged: an event {why}")),
    }
}

/// Applies a change of the output.
pub(super) fn output(
    app: &mut App,
    id: &RunId,
    (unit, form): (UnitId, OutputRendering),
    patch: Result<BufferPatch, String>,
) -> Vec<Cmd> {
    let Some(run) = app.run.as_mut().filter(|run| &run.run == id) else { return Vec::new() };
    let output = &mut run.output;
    if (output.unit, output.form) != (Some(unit), form) {
        return Vec::new();
    }
    app.has_changed = true;
    (output.has_output, output.is_loading) = (true, false);
    match patch {
        Ok(patch) => {
            output.trouble = None;
            output.buffer.apply(patch);
        }
        Err(why) => output.trouble = Some(typeset::text::visible(&why)),
    }
    if let Some(search) = &mut output.search {
        search.advance(&output.buffer);
    }
    Vec::new()
}

/// Applies the tasks of a project.
pub(super) fn tasks(
    app: &mut App,
    id: &RunId,
    board: Option<Result<TaskBoard, String>>,
) -> Vec<Cmd> {
    let Some(run) = app.run.as_mut().filter(|run| &run.run == id) else { return Vec::new() };
    let board = Some(board);
    if run.tasks != board {
        run.tasks = board;
        app.has_changed = true;
    }
    Vec::new()
}

/// Applies the details of the open task.
pub(super) fn task(
    app: &mut App,
    run: &RunId,
    id: &str,
    task: Result<Option<Box<TaskDetails>>, String>,
) -> Vec<Cmd> {
    let is_open =
        |subject: &DetailSubject| matches!(subject, DetailSubject::Task(open) if open == id);
    if let Some(shown) = showing(app, run, is_open) {
        shown.task = Some(task);
        app.has_changed = true;
    }
    Vec::new()
}

/// Applies the changes of an iteration in the repository.
pub(super) fn changes(
    app: &mut App,
    run: &RunId,
    unit: UnitId,
    changes: Result<IterationChanges, String>,
) -> Vec<Cmd> {
    if let Some(shown) = app.run.as_mut().filter(|shown| &shown.run == run) {
        shown.changes.insert(unit, changes);
        app.has_changed = true;
    }
    Vec::new()
}

/// Applies the last message of the open iteration.
pub(super) fn last_message(
    app: &mut App,
    run: &RunId,
    unit: UnitId,
    message: Result<Option<String>, String>,
) -> Vec<Cmd> {
    if let Some(shown) = showing(app, run, |subject| *subject == DetailSubject::Iteration(unit)) {
        shown.last_message = Some(message);
        app.has_changed = true;
    }
    Vec::new()
}

/// Applies the diff of an iteration.
pub(super) fn diff(
    app: &mut App,
    run: &RunId,
    unit: UnitId,
    lines: Result<Vec<OutputLine>, String>,
) -> Vec<Cmd> {
    let shown = app.run.as_mut().filter(|shown| &shown.run == run);
    let diff = shown.and_then(|shown| shown.diff.as_mut());
    let Some(diff) = diff.filter(|diff| diff.unit == Some(unit)) else { return Vec::new() };
    app.has_changed = true;
    diff.has_output = true;
    match lines {
        Ok(after) => {
            diff.trouble = None;
            diff.buffer.apply(BufferPatch { is_new: true, after, ..BufferPatch::default() });
        }
        Err(why) => diff.trouble = Some(typeset::text::visible(&why)),
    }
    if let Some(search) = &mut diff.search {
        search.advance(&diff.buffer);
    }
    Vec::new()
}

/// The open run, if it is this one and its detail screen matches.
fn showing<'a>(
    app: &'a mut App,
    run: &RunId,
    is_open: impl Fn(&DetailSubject) -> bool,
) -> Option<&'a mut RunScreenState> {
    let shown = app.run.as_mut().filter(|shown| &shown.run == run)?;
    let is_open = shown.detail.as_ref().is_some_and(|detail| is_open(&detail.subject));
    is_open.then_some(shown)
}

/// Requests the output of the selected iteration, if it is a different one now.
pub(super) fn request_output(app: &mut App) -> Option<Cmd> {
    let run = app.run.as_mut().filter(|run| run.is_caught_up)?;
    let unit = run.entry()?.unit();
    if run.output.unit == Some(unit) {
        return None;
    }
    run.output.switch_to(unit);
    Some(Cmd::Follow { unit, form: run.output.form })
}
