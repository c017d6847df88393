//! Keys of the run screen.

use forkhestra_core::id::UnitId;

use super::output_keys;
use crate::app::App;
use crate::app::detail_view::{DetailSubject, DetailView};
use crate::app::output_view::OutputView;
use crate::app::run_screen_state::{RunFocus, RunScreenState, RunTab};
use crate::app::task_groups::{in_order, index_in_neighbour_group};
use crate::app::timeline;
use crate::hit_map::HitMap;
use crate::keys::KeyAction;
use crate::msg::Cmd;

/// Columns per horizontal scroll.
const COLUMN_STEP: usize = 8;

pub(super) fn perform(app: &mut App, action: KeyAction) -> Vec<Cmd> {
    let hit_map = app.hit_map.borrow().clone();
    let Some(run) = &mut app.run else { return Vec::new() };
    let page = isize::try_from(page(run, &hit_map)).unwrap_or(isize::MAX);
    match action {
        KeyAction::Back => return back(app),
        KeyAction::Runs => return to_list(app),
        KeyAction::Inspect => return inspect(run),
        KeyAction::Diff if run.diff.is_some() => return close(run),
        KeyAction::Diff => {
            return run.shown_unit().map_or_else(Vec::new, |unit| show_diff(run, unit));
        }
        KeyAction::Switch if is_covered(run) => return close(run),
        KeyAction::Switch => {
            run.focus = match run.focus {
                RunFocus::Timeline => RunFocus::Pane,
                RunFocus::Pane => RunFocus::Timeline,
            };
        }
        KeyAction::Tab(number) => return switch_tab(run, RunTab::ALL[number]),
        KeyAction::NextTab => return switch_tab(run, next_tab(run.tab, 1)),
        KeyAction::PreviousTab => return switch_tab(run, next_tab(run.tab, RunTab::ALL.len() - 1)),
        KeyAction::NextIteration => return select_and_show(run, 1),
        KeyAction::PreviousIteration => return select_and_show(run, -1),
        KeyAction::Up => go(run, &hit_map, -1),
        KeyAction::Down => go(run, &hit_map, 1),
        KeyAction::PageUp => go(run, &hit_map, -page),
        KeyAction::PageDown => go(run, &hit_map, page),
        KeyAction::First => first(run),
        KeyAction::Last => return last(run, &hit_map),
        KeyAction::Left | KeyAction::Right => sideways(run, action == KeyAction::Right),
        _ => return output_keys::perform(app, action),
    }
    app.run.as_mut().map(output_keys::request_earlier_lines).unwrap_or_default()
}

/// Opens the selected task, or else the selected iteration.
pub(super) fn inspect(run: &mut RunScreenState) -> Vec<Cmd> {
    if is_covered(run) {
        return Vec::new();
    }
    if run.focus == RunFocus::Pane && run.tab == RunTab::Tasks {
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

/// Opens the selected iteration in place of the open detail.
fn show_iteration(run: &mut RunScreenState) -> Vec<Cmd> {
    let Some(unit) = run.entry().map(|entry| entry.unit()) else { return Vec::new() };
    run.detail = Some(DetailView::new(DetailSubject::Iteration(unit)));
    run.last_message = None;
    vec![Cmd::ReadIteration(unit)]
}

/// Opens the diff of an iteration in place of the open one, whose settings it has.
fn show_diff(run: &mut RunScreenState, unit: UnitId) -> Vec<Cmd> {
    let diff = run.diff.get_or_insert_with(OutputView::new);
    diff.switch_to(unit);
    diff.go_to_top();
    vec![Cmd::ReadDiff(unit)]
}

/// Selects another iteration. An open iteration detail and an open diff are replaced by its own.
fn select_and_show(run: &mut RunScreenState, by: isize) -> Vec<Cmd> {
    select(run, by);
    let mut cmds = match run.detail.as_ref().map(|detail| &detail.subject) {
        Some(DetailSubject::Iteration(_)) => show_iteration(run),
        Some(DetailSubject::Task(_)) | None => Vec::new(),
    };
    let unit = run.entry().map(|entry| entry.unit());
    if let Some(unit) = unit.filter(|_| run.diff.is_some()) {
        cmds.extend(show_diff(run, unit));
    }
    cmds
}

/// Whether a detail screen or a diff is in front of the tabs.
const fn is_covered(run: &RunScreenState) -> bool {
    run.detail.is_some() || run.diff.is_some()
}

/// Closes the diff, or else the detail screen.
pub(super) fn close(run: &mut RunScreenState) -> Vec<Cmd> {
    if run.diff.take().is_some() {
        return Vec::new();
    }
    match run.detail.take().map(|detail| detail.subject) {
        Some(DetailSubject::Task(_)) => vec![Cmd::ReadTask(None)],
        Some(DetailSubject::Iteration(_)) | None => Vec::new(),
    }
}

/// Leaves the innermost level: a search in the diff, the diff, the detail screen, a search in the
/// output, the run, or the program.
fn back(app: &mut App) -> Vec<Cmd> {
    if let Some(diff) = app.run.as_mut().and_then(|run| run.diff.as_mut())
        && diff.search.take().is_some()
    {
        return Vec::new();
    }
    if let Some(run) = &mut app.run
        && is_covered(run)
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

/// Switches to another tab.
pub(super) fn switch_tab(run: &mut RunScreenState, tab: RunTab) -> Vec<Cmd> {
    let was = std::mem::replace(&mut run.tab, tab);
    run.focus = RunFocus::Pane;
    if was != tab {
        run.scroll = 0;
    }
    run.diff = None;
    close(run)
}

fn next_tab(tab: RunTab, by: usize) -> RunTab {
    let place = RunTab::ALL.iter().position(|other| *other == tab).unwrap_or(0);
    RunTab::ALL[(place + by) % RunTab::ALL.len()]
}

fn page(run: &RunScreenState, hit_map: &HitMap) -> usize {
    let rows = match (run.focus, run.tab) {
        _ if run.diff.is_some() => hit_map.output.rows,
        _ if run.detail.is_some() => hit_map.detail_rows.0,
        (RunFocus::Timeline, _) => hit_map.list_rows,
        (RunFocus::Pane, RunTab::Output) => hit_map.output.rows,
        (RunFocus::Pane, _) => hit_map.pane_rows.0,
    };
    rows.saturating_sub(1).max(1)
}

/// Moves by `by` rows in the focused pane; a negative number moves up.
fn go(run: &mut RunScreenState, hit_map: &HitMap, by: isize) {
    match run.focus {
        _ if is_covered(run) => scroll_detail(run, hit_map, by),
        RunFocus::Timeline => select(run, by),
        RunFocus::Pane => scroll(run, hit_map, by),
    }
}

/// Scrolls the open tab.
pub(super) fn scroll(run: &mut RunScreenState, hit_map: &HitMap, by: isize) {
    match run.tab {
        RunTab::Output => run.output.scroll(by, hit_map.output),
        _ => scroll_pane(run, hit_map, by),
    }
}

/// Scrolls the diff or the detail screen.
pub(super) fn scroll_detail(run: &mut RunScreenState, hit_map: &HitMap, by: isize) {
    if let Some(diff) = &mut run.diff {
        return diff.scroll(by, hit_map.output);
    }
    let (place, rows) = hit_map.detail_rows;
    if let Some(detail) = &mut run.detail {
        detail.scroll = detail.scroll.saturating_add_signed(by).min(rows.saturating_sub(place));
    }
}

/// Scrolls a tab other than output; on the task tab, moves the selection.
pub(super) fn scroll_pane(run: &mut RunScreenState, hit_map: &HitMap, by: isize) {
    if run.tab == RunTab::Tasks {
        if let Some(place) = run.task_place() {
            run.select_task(place.saturating_add_signed(by));
        }
        return;
    }
    let (place, rows) = hit_map.pane_rows;
    run.scroll = run.scroll.saturating_add_signed(by).min(rows.saturating_sub(place));
}

/// Moves the selection of the timeline.
pub(super) fn select(run: &mut RunScreenState, by: isize) {
    if let Some(selected) = run.selected() {
        let last = run.entries().saturating_sub(1);
        run.select(selected.saturating_add_signed(by).min(last));
    }
}

fn first(run: &mut RunScreenState) {
    if let Some(diff) = &mut run.diff {
        return diff.go_to_top();
    }
    if let Some(detail) = &mut run.detail {
        detail.scroll = 0;
        return;
    }
    match (run.focus, run.tab) {
        (RunFocus::Timeline, _) => run.select(0),
        (RunFocus::Pane, RunTab::Output) => run.output.go_to_top(),
        (RunFocus::Pane, RunTab::Tasks) => run.select_task(0),
        (RunFocus::Pane, _) => run.scroll = 0,
    }
}

fn last(run: &mut RunScreenState, hit_map: &HitMap) -> Vec<Cmd> {
    match (run.focus, run.tab) {
        _ if is_covered(run) => scroll_detail(run, hit_map, isize::MAX),
        (RunFocus::Timeline, _) => run.select(usize::MAX),
        (RunFocus::Pane, RunTab::Output) => return output_keys::follow(run),
        (RunFocus::Pane, _) => scroll_pane(run, hit_map, isize::MAX),
    }
    Vec::new()
}

/// Switches to another step or task column, or scrolls long lines.
fn sideways(run: &mut RunScreenState, is_right: bool) {
    if run.detail.is_some() && run.diff.is_none() {
        return;
    }
    let is_output = run.focus == RunFocus::Pane && run.tab == RunTab::Output;
    if run.diff.is_some() || is_output && !run.output.wraps {
        return scroll_sideways(run.lines_mut(), is_right);
    }
    if run.focus == RunFocus::Pane && run.tab == RunTab::Tasks {
        if let (Some(board), Some(place)) = (run.board(), run.task_place()) {
            let place = index_in_neighbour_group(board, place, is_right);
            run.select_task(place);
        }
        return;
    }
    let step = run.step();
    let next = if is_right { step + 1 } else { step.saturating_sub(1) };
    select_step(run, next);
}

/// Scrolls long lines that are not wrapped.
const fn scroll_sideways(lines: &mut OutputView, is_right: bool) {
    lines.column = match (lines.wraps, is_right) {
        (true, _) => 0,
        (false, true) => lines.column.saturating_add(COLUMN_STEP),
        (false, false) => lines.column.saturating_sub(COLUMN_STEP),
    };
}

/// Selects the last iteration of a step, counted from one, if it has any.
pub(super) fn select_step(run: &mut RunScreenState, step: usize) {
    let place = run.history.as_ref().and_then(|history| timeline::last_of_step(history, step));
    if let Some(place) = place {
        run.select(place);
    }
}
