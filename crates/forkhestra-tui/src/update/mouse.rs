//! Mouse input.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::{dialog_keys, list_keys, output_keys, perform, run_keys};
use crate::app::App;
use crate::app::dialog::ScreenDialog;
use crate::app::run_screen_state::{RunFocus, RunTab};
use crate::hit_map::HitTarget;
use crate::msg::Cmd;

/// Rows per wheel notch.
const WHEEL_ROWS: isize = 3;

pub(super) fn mouse(app: &mut App, event: MouseEvent) -> Vec<Cmd> {
    if matches!(event.kind, MouseEventKind::Down(_)) {
        // A toast covers the keys of the footer; without it they can be clicked again.
        app.dismiss_toast();
    }
    let target = app.hit_map.borrow().at(event.column, event.row);
    let Some(target) = target else { return Vec::new() };
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => click(app, target),
        MouseEventKind::ScrollUp => wheel(app, target, -WHEEL_ROWS),
        MouseEventKind::ScrollDown => wheel(app, target, WHEEL_ROWS),
        _ => Vec::new(),
    }
}

fn click(app: &mut App, target: HitTarget) -> Vec<Cmd> {
    match target {
        HitTarget::Key(action) => return perform(app, action),
        HitTarget::Answer(is_yes) => return answer(app, is_yes),
        HitTarget::Field(place) => {
            if let Some(ScreenDialog::Limits(form)) = &mut app.dialog {
                form.selected = place.min(form.fields.len() - 1);
            }
        }
        HitTarget::Listed(place) => return click_listed(app, place),
        HitTarget::Dialog => {}
        HitTarget::Step(_)
        | HitTarget::Iteration(_)
        | HitTarget::Task(_)
        | HitTarget::Detail
        | HitTarget::Timeline
        | HitTarget::Pane
        | HitTarget::Side
        | HitTarget::Tab(_) => return click_run(app, target),
    }
    Vec::new()
}

fn click_run(app: &mut App, target: HitTarget) -> Vec<Cmd> {
    let Some(run) = &mut app.run else { return Vec::new() };
    match target {
        HitTarget::Step(number) => run_keys::select_step(run, number),
        // A second click opens the selection.
        HitTarget::Iteration(place) => {
            let is_again = run.focus == RunFocus::Timeline && run.selected() == Some(place);
            run.focus = RunFocus::Timeline;
            run.select(place);
            return if is_again { run_keys::inspect(run) } else { Vec::new() };
        }
        HitTarget::Task(place) => {
            let is_again = run.focus == RunFocus::Pane && run.task_place() == Some(place);
            run.focus = RunFocus::Pane;
            run.select_task(place);
            return if is_again { run_keys::inspect(run) } else { Vec::new() };
        }
        HitTarget::Timeline => run.focus = RunFocus::Timeline,
        HitTarget::Pane | HitTarget::Side => run.focus = RunFocus::Pane,
        HitTarget::Tab(tab) => return run_keys::switch_tab(run, tab),
        _ => {}
    }
    Vec::new()
}

/// Selects a run; a second click opens it.
fn click_listed(app: &mut App, place: usize) -> Vec<Cmd> {
    let shown = app.list.shown();
    let Some(clicked) = shown.get(place).map(|listed| listed.run.clone()) else {
        return Vec::new();
    };
    if app.list.selected_index(&shown) == place && app.list.selected.is_some() {
        return list_keys::open(app);
    }
    app.list.selected = Some(clicked);
    Vec::new()
}

fn answer(app: &mut App, is_yes: bool) -> Vec<Cmd> {
    match app.dialog.take() {
        Some(ScreenDialog::Confirm(confirm)) => dialog_keys::answer(app, confirm, is_yes),
        Some(ScreenDialog::Tell(editor)) if is_yes => dialog_keys::send(app, editor),
        Some(ScreenDialog::Answer(form)) if is_yes => dialog_keys::send_answer(app, form),
        Some(ScreenDialog::Limits(form)) if is_yes => dialog_keys::set(app, form),
        _ => Vec::new(),
    }
}

fn wheel(app: &mut App, target: HitTarget, by: isize) -> Vec<Cmd> {
    let hit_map = app.hit_map.borrow().clone();
    if let Some(ScreenDialog::Help(scroll)) = &mut app.dialog {
        let (place, rows) = hit_map.help_rows;
        *scroll = scroll.saturating_add_signed(by).min(rows.saturating_sub(place));
        return Vec::new();
    }
    if let Some(ScreenDialog::Answer(form)) = &mut app.dialog {
        form.scroll_by(by, hit_map.question_rows);
    }
    if app.dialog.is_some() {
        return Vec::new();
    }
    let Some(run) = &mut app.run else {
        app.list.step(by.signum());
        return Vec::new();
    };
    match target {
        HitTarget::Timeline | HitTarget::Iteration(_) => run_keys::select(run, by.signum()),
        HitTarget::Pane if hit_map.has_side || run.tab == RunTab::Output => {
            run.output.scroll(by, hit_map.output);
            return output_keys::request_earlier_lines(run);
        }
        HitTarget::Detail => run_keys::scroll_detail(run, &hit_map, by),
        HitTarget::Task(_) => run_keys::scroll_pane(run, &hit_map, by.signum()),
        HitTarget::Pane | HitTarget::Side => run_keys::scroll_pane(run, &hit_map, by),
        _ => {}
    }
    Vec::new()
}
