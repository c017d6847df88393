//! Keys of the screen of one run.

use super::output_keys;
use crate::app::App;
use crate::app::detail_view::{DetailSubject, DetailView};
use crate::app::run_view::{Focus, RunView, Tab};
use crate::app::task_groups::{beside, in_order};
use crate::app::timeline;
use crate::hits::Hits;
use crate::keys::Action;
use crate::msg::Cmd;

/// So many columns at once are gone to the side.
const SIDEWAYS: usize = 8;

pub(super) fn perform(app: &mut App, action: Action) -> Vec<Cmd> {
    let hits = app.hits.borrow().clone();
    let Some(run) = &mut app.run else { return Vec::new() };
    let page = isize::try_from(page(run, &hits)).unwrap_or(isize::MAX);
    match action {
        Action::Back => return back(app),
        Action::Runs => return to_list(app),
        Action::Inspect => return inspect(run),
        Action::Switch if run.detail.is_some() => return close(run),
        Action::Switch => {
            run.focus = match run.focus {
                Focus::Timeline => Focus::Pane,
                Focus::Pane => Focus::Timeline,
            };
        }
        Action::Tab(number) => return turn_to(run, Tab::ALL[number]),
        Action::NextTab => return turn_to(run, next_tab(run.tab, 1)),
        Action::PreviousTab => return turn_to(run, next_tab(run.tab, Tab::ALL.len() - 1)),
        Action::NextIteration => return select_and_show(run, 1),
        Action::PreviousIteration => return select_and_show(run, -1),
        Action::Up => go(run, &hits, -1),
        Action::Down => go(run, &hits, 1),
        Action::PageUp => go(run, &hits, -page),
        Action::PageDown => go(run, &hits, page),
        Action::First => first(run),
        Action::Last => return last(run, &hits),
        Action::Left | Action::Right => sideways(run, action == Action::Right),
        _ => return output_keys::perform(app, action),
    }
    app.run.as_mut().map(output_keys::wanted_earlier).unwrap_or_default()
}

/// Opens the task that is selected, or else the iteration.
pub(super) fn inspect(run: &mut RunView) -> Vec<Cmd> {
    if run.detail.is_some() {
        return Vec::new();
    }
    if run.focus == Focus::Pane && run.tab == Tab::Tasks {
        let tasks = run.board().map(in_order).unwrap_or_default();
        let Some(task) = run.task_place().and_then(|place| tasks.get(place)) else {
            return Vec::new();
        };
        let id = task.id.clone();
        run.selected_task = Some(id.clone());
        run.detail = Some(DetailView::new(DetailSubject::Task(id.clone())));
        run.task = None;
        return vec![Cmd::ReadTask(Some(id))];
    }
    show_iteration(run)
}

/// Opens the iteration that is selected, in place of what is open.
fn show_iteration(run: &mut RunView) -> Vec<Cmd> {
    let Some(unit) = run.entry().map(|entry| entry.unit()) else { return Vec::new() };
    run.detail = Some(DetailView::new(DetailSubject::Iteration(unit)));
    run.last_message = None;
    vec![Cmd::ReadIteration(unit)]
}

/// Looks at another iteration. One that was opened is exchanged for it.
fn select_and_show(run: &mut RunView, by: isize) -> Vec<Cmd> {
    select(run, by);
    match run.detail.as_ref().map(|detail| &detail.subject) {
        Some(DetailSubject::Iteration(_)) => show_iteration(run),
        Some(DetailSubject::Task(_)) | None => Vec::new(),
    }
}

/// Goes back to the views from what was opened.
pub(super) fn close(run: &mut RunView) -> Vec<Cmd> {
    match run.detail.take().map(|detail| detail.subject) {
        Some(DetailSubject::Task(_)) => vec![Cmd::ReadTask(None)],
        Some(DetailSubject::Iteration(_)) | None => Vec::new(),
    }
}

/// Leaves what was opened last: a task or an iteration, a search, the run, or everything.
fn back(app: &mut App) -> Vec<Cmd> {
    if let Some(run) = &mut app.run
        && run.detail.is_some()
    {
        return close(run);
    }
    if let Some(run) = &mut app.run
        && run.output.search.take().is_some()
    {
        return Vec::new();
    }
    if app.came_from_list { to_list(app) } else { vec![Cmd::Quit] }
}

fn to_list(app: &mut App) -> Vec<Cmd> {
    app.list.selected = app.run.take().map(|run| run.run);
    (app.dialog, app.query) = (None, None);
    vec![Cmd::CloseRun, Cmd::ListRuns(app.list.scope)]
}

/// Looks at another tab.
pub(super) fn turn_to(run: &mut RunView, tab: Tab) -> Vec<Cmd> {
    let was = std::mem::replace(&mut run.tab, tab);
    run.focus = Focus::Pane;
    if was != tab {
        run.scroll = 0;
    }
    close(run)
}

fn next_tab(tab: Tab, by: usize) -> Tab {
    let place = Tab::ALL.iter().position(|other| *other == tab).unwrap_or(0);
    Tab::ALL[(place + by) % Tab::ALL.len()]
}

fn page(run: &RunView, hits: &Hits) -> usize {
    let rows = match (run.focus, run.tab) {
        _ if run.detail.is_some() => hits.detail_rows.0,
        (Focus::Timeline, _) => hits.list_rows,
        (Focus::Pane, Tab::Output) => hits.output.rows,
        (Focus::Pane, _) => hits.pane_rows.0,
    };
    rows.saturating_sub(1).max(1)
}

/// Goes so many rows down, or up if it is less than nothing, where the keys go.
fn go(run: &mut RunView, hits: &Hits, by: isize) {
    match run.focus {
        _ if run.detail.is_some() => scroll_detail(run, hits, by),
        Focus::Timeline => select(run, by),
        Focus::Pane => scroll(run, hits, by),
    }
}

/// Scrolls what is looked at.
pub(super) fn scroll(run: &mut RunView, hits: &Hits, by: isize) {
    match run.tab {
        Tab::Output => run.output.scroll(by, hits.output),
        _ => scroll_pane(run, hits, by),
    }
}

/// Scrolls what was opened in place of the views.
pub(super) fn scroll_detail(run: &mut RunView, hits: &Hits, by: isize) {
    let (place, rows) = hits.detail_rows;
    if let Some(detail) = &mut run.detail {
        detail.scroll = detail.scroll.saturating_add_signed(by).min(rows.saturating_sub(place));
    }
}

/// Scrolls a tab that is not the output; in that of the tasks, another one is selected.
pub(super) fn scroll_pane(run: &mut RunView, hits: &Hits, by: isize) {
    if run.tab == Tab::Tasks {
        if let Some(place) = run.task_place() {
            run.select_task(place.saturating_add_signed(by));
        }
        return;
    }
    let (place, rows) = hits.pane_rows;
    run.scroll = run.scroll.saturating_add_signed(by).min(rows.saturating_sub(place));
}

/// Looks at another iteration.
pub(super) fn select(run: &mut RunView, by: isize) {
    if let Some(selected) = run.selected() {
        let last = run.entries().saturating_sub(1);
        run.select(selected.saturating_add_signed(by).min(last));
    }
}

fn first(run: &mut RunView) {
    if let Some(detail) = &mut run.detail {
        detail.scroll = 0;
        return;
    }
    match (run.focus, run.tab) {
        (Focus::Timeline, _) => run.select(0),
        (Focus::Pane, Tab::Output) => run.output.go_to_top(),
        (Focus::Pane, Tab::Tasks) => run.select_task(0),
        (Focus::Pane, _) => run.scroll = 0,
    }
}

fn last(run: &mut RunView, hits: &Hits) -> Vec<Cmd> {
    match (run.focus, run.tab) {
        _ if run.detail.is_some() => scroll_detail(run, hits, isize::MAX),
        (Focus::Timeline, _) => run.select(usize::MAX),
        (Focus::Pane, Tab::Output) => return output_keys::follow(run),
        (Focus::Pane, _) => scroll_pane(run, hits, isize::MAX),
    }
    Vec::new()
}

/// Another step, another column of tasks, or the rest of lines that are too long.
fn sideways(run: &mut RunView, is_right: bool) {
    if run.detail.is_some() {
        return;
    }
    if run.focus == Focus::Pane && run.tab == Tab::Tasks {
        if let (Some(board), Some(place)) = (run.board(), run.task_place()) {
            let place = beside(board, place, is_right);
            run.select_task(place);
        }
        return;
    }
    if run.focus == Focus::Pane && run.tab == Tab::Output && !run.output.wraps {
        let column = run.output.column;
        run.output.column = if is_right {
            column.saturating_add(SIDEWAYS)
        } else {
            column.saturating_sub(SIDEWAYS)
        };
        return;
    }
    let step = run.step();
    let next = if is_right { step + 1 } else { step.saturating_sub(1) };
    select_step(run, next);
}

/// Looks at the last iteration of a step, from one, if it has any.
pub(super) fn select_step(run: &mut RunView, step: usize) {
    let place = run.history.as_ref().and_then(|history| timeline::last_of_step(history, step));
    if let Some(place) = place {
        run.select(place);
    }
}
