//! The mouse.

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};

use super::{dialog_keys, list_keys, output_keys, perform, run_keys};
use crate::app::App;
use crate::app::dialog::Dialog;
use crate::app::run_view::{Focus, Tab};
use crate::hits::Target;
use crate::msg::Cmd;

/// So many rows go by for a notch of the wheel.
const NOTCH: isize = 3;

pub(super) fn mouse(app: &mut App, event: MouseEvent) -> Vec<Cmd> {
    if matches!(event.kind, MouseEventKind::Down(_)) {
        // It stands where the keys are, which can be clicked on again then.
        app.toast = None;
    }
    let target = app.hits.borrow().at(event.column, event.row);
    let Some(target) = target else { return Vec::new() };
    match event.kind {
        MouseEventKind::Down(MouseButton::Left) => click(app, target),
        MouseEventKind::ScrollUp => wheel(app, target, -NOTCH),
        MouseEventKind::ScrollDown => wheel(app, target, NOTCH),
        _ => Vec::new(),
    }
}

fn click(app: &mut App, target: Target) -> Vec<Cmd> {
    match target {
        Target::Key(action) => return perform(app, action),
        Target::Answer(is_yes) => return answer(app, is_yes),
        Target::Field(place) => {
            if let Some(Dialog::Limits(form)) = &mut app.dialog {
                form.selected = place.min(form.fields.len() - 1);
            }
        }
        Target::Listed(place) => return click_listed(app, place),
        Target::Dialog => {}
        Target::Step(_)
        | Target::Iteration(_)
        | Target::Task(_)
        | Target::Detail
        | Target::Timeline
        | Target::Pane
        | Target::Side
        | Target::Tab(_) => return click_run(app, target),
    }
    Vec::new()
}

fn click_run(app: &mut App, target: Target) -> Vec<Cmd> {
    let Some(run) = &mut app.run else { return Vec::new() };
    match target {
        Target::Step(number) => run_keys::select_step(run, number),
        // What is selected is opened by another click.
        Target::Iteration(place) => {
            let is_again = run.focus == Focus::Timeline && run.selected() == Some(place);
            run.focus = Focus::Timeline;
            run.select(place);
            return if is_again { run_keys::inspect(run) } else { Vec::new() };
        }
        Target::Task(place) => {
            let is_again = run.focus == Focus::Pane && run.task_place() == Some(place);
            run.focus = Focus::Pane;
            run.select_task(place);
            return if is_again { run_keys::inspect(run) } else { Vec::new() };
        }
        Target::Timeline => run.focus = Focus::Timeline,
        Target::Pane | Target::Side => run.focus = Focus::Pane,
        Target::Tab(tab) => return run_keys::turn_to(run, tab),
        _ => {}
    }
    Vec::new()
}

/// One that is selected is opened by another click.
fn click_listed(app: &mut App, place: usize) -> Vec<Cmd> {
    let shown = app.list.shown();
    let Some(clicked) = shown.get(place).map(|listed| listed.run.clone()) else {
        return Vec::new();
    };
    if app.list.place(&shown) == place && app.list.selected.is_some() {
        return list_keys::open(app);
    }
    app.list.selected = Some(clicked);
    Vec::new()
}

fn answer(app: &mut App, is_yes: bool) -> Vec<Cmd> {
    match app.dialog.take() {
        Some(Dialog::Confirm(confirm)) => dialog_keys::answer(app, confirm, is_yes),
        Some(Dialog::Tell(editor)) if is_yes => dialog_keys::send(app, editor),
        Some(Dialog::Limits(form)) if is_yes => dialog_keys::set(app, form),
        _ => Vec::new(),
    }
}

fn wheel(app: &mut App, target: Target, by: isize) -> Vec<Cmd> {
    let hits = app.hits.borrow().clone();
    if let Some(Dialog::Help(scroll)) = &mut app.dialog {
        let (place, rows) = hits.help_rows;
        *scroll = scroll.saturating_add_signed(by).min(rows.saturating_sub(place));
        return Vec::new();
    }
    if app.dialog.is_some() {
        return Vec::new();
    }
    let Some(run) = &mut app.run else {
        app.list.step(by.signum());
        return Vec::new();
    };
    match target {
        Target::Timeline | Target::Iteration(_) => run_keys::select(run, by.signum()),
        Target::Pane if hits.has_side || run.tab == Tab::Output => {
            run.output.scroll(by, hits.output);
            return output_keys::wanted_earlier(run);
        }
        Target::Detail => run_keys::scroll_detail(run, &hits, by),
        Target::Task(_) => run_keys::scroll_pane(run, &hits, by.signum()),
        Target::Pane | Target::Side => run_keys::scroll_pane(run, &hits, by),
        _ => {}
    }
    Vec::new()
}
