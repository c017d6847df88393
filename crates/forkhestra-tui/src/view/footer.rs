//! The last row: a toast, the search prompt, or the keys.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::screen_row::{ScreenRow, columns};
use crate::app::App;
use crate::app::detail_view::DetailSubject;
use crate::app::dialog::{ScreenDialog, ToastKind};
use crate::hit_map::{HitMap, HitTarget};
use crate::keys::{self, KeyAction, KeyContext};
use crate::theme::{ACCENT, BAD, DIM, GOOD, KEY, PLAIN, SELECTED};
use crate::update::{can_resume, is_here, steering_refusal};

/// Draws the last row.
pub(crate) fn draw(app: &App, area: Rect, buffer: &mut Buffer, hit_map: &mut HitMap) {
    if let Some(toast) = &app.toast {
        let (sign, style) = match toast.kind {
            ToastKind::Good => ("✓", GOOD),
            ToastKind::Neutral => ("·", PLAIN),
            ToastKind::Bad => ("✗", BAD),
        };
        let row = ScreenRow::new().add(style, format!("{sign} ")).add_foreign(PLAIN, &toast.text);
        return row.draw(area, buffer);
    }
    if let Some(query) = &app.query {
        let row =
            ScreenRow::new().add(ACCENT, "/").add_foreign(PLAIN, &query.text()).add(SELECTED, " ");
        let keys = ScreenRow::new()
            .add(KEY, "  Enter")
            .add(PLAIN, " keep  ")
            .add(KEY, "Esc")
            .add(PLAIN, " leave");
        let left = keys.draw_right(area, buffer);
        return row.draw(left, buffer);
    }
    if app.dialog.is_none() {
        draw_keys(app, area, buffer, hit_map);
    }
    if let Some(ScreenDialog::Help(_)) = &app.dialog {
        ScreenRow::new()
            .add(PLAIN, "Up and Down scroll, any other key closes this")
            .draw(area, buffer);
    }
}

/// Draws as many keys as fit; help and back are always shown.
fn draw_keys(app: &App, area: Rect, buffer: &mut Buffer, hit_map: &mut HitMap) {
    let last = [KeyAction::Help, KeyAction::Back];
    let end: usize = last.iter().map(|action| shown(app, *action).width()).sum();
    let wanted = wanted(app, hit_map.has_side);
    let mut column = area.x;
    let mut put = |action: KeyAction, limit: u16, buffer: &mut Buffer| {
        let row = shown(app, action);
        let width = columns(row.width());
        if column + width > limit {
            return false;
        }
        let at = Rect { x: column, width, ..area };
        row.draw(at, buffer);
        hit_map.add(at, HitTarget::Key(action));
        column += width;
        true
    };
    let limit = area.right().saturating_sub(columns(end));
    for action in wanted {
        if !put(action, limit, buffer) {
            break;
        }
    }
    for action in last {
        put(action, area.right() + 2, buffer);
    }
}

/// The keys of this screen, most important first.
fn wanted(app: &App, has_side: bool) -> Vec<KeyAction> {
    let is_first = |place: KeyContext| matches!(place, KeyContext::List | KeyContext::Steering);
    let here = |binding: &&keys::KeyBinding| {
        !binding.key.is_empty()
            && binding.context != KeyContext::Everywhere
            && is_here(app, has_side, binding.context)
            && applies(app, binding)
    };
    let (mut open, mut first, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for binding in keys::BINDINGS.iter().filter(here) {
        if is_of_open_screen(app, binding) {
            open.push(binding.action);
        } else if is_first(binding.context) {
            first.push(binding.action);
        } else {
            rest.push(binding.action);
        }
    }
    // If the run cannot be steered, navigation keys come first.
    let is_over = app.run.as_ref().is_some_and(|run| steering_refusal(run).is_some());
    if is_over { [open, rest, first].concat() } else { [open, first, rest].concat() }
}

/// Whether a key has an effect now.
fn applies(app: &App, binding: &keys::KeyBinding) -> bool {
    let run = app.run.as_ref();
    match binding.action {
        KeyAction::Left | KeyAction::Right => false,
        KeyAction::NextMatch | KeyAction::PreviousMatch => {
            run.is_some_and(|run| run.lines().search.is_some())
        }
        KeyAction::Resume | KeyAction::CopyResume => run.is_some_and(can_resume),
        KeyAction::Rewind => run.is_some_and(|run| !run.is_live()),
        KeyAction::Approve | KeyAction::Deny => run.is_some_and(|run| run.question().is_some()),
        // The key would close the diff.
        KeyAction::Diff => run.is_some_and(|run| run.diff.is_none()),
        _ => true,
    }
}

/// Whether a key belongs to the iteration or the diff that is open in front of the tabs.
fn is_of_open_screen(app: &App, binding: &keys::KeyBinding) -> bool {
    let Some(run) = &app.run else { return false };
    let subject = run.detail.as_ref().map(|detail| &detail.subject);
    let is_of_iteration = binding.context == KeyContext::Iteration;
    match (&run.diff, subject) {
        (Some(_), _) => is_of_iteration || binding.context == KeyContext::Lines,
        (None, Some(DetailSubject::Iteration(_))) => is_of_iteration,
        (None, _) => false,
    }
}

fn shown(app: &App, action: KeyAction) -> ScreenRow {
    let Some(binding) = keys::binding(action) else { return ScreenRow::new() };
    let is_grey = binding.context == KeyContext::Steering
        && app.run.as_ref().is_some_and(|run| steering_refusal(run).is_some());
    let key_style = if is_grey { DIM } else { KEY };
    ScreenRow::new()
        .add(key_style, binding.key)
        .add(if is_grey { DIM } else { PLAIN }, format!(" {}  ", label(app, action, binding.label)))
}

/// The current label of a key.
fn label(app: &App, action: KeyAction, usual: &'static str) -> &'static str {
    let run = app.run.as_ref();
    match action {
        KeyAction::Pause if run.is_some_and(|run| run.paused().is_some()) => "continue",
        KeyAction::Raw
            if run
                .is_some_and(|run| run.output.form == crate::run_source::OutputRendering::Raw) =>
        {
            "words"
        }
        KeyAction::Scope if app.list.scope == crate::run_source::RunScope::Everywhere => "here",
        KeyAction::Back => match run {
            None => "quit",
            Some(run) if run.detail.is_some() || run.diff.is_some() => "back",
            // The key ends the search first.
            Some(run) if run.output.search.is_some() => "back",
            Some(_) if app.came_from_list => "back",
            Some(run) if run.is_live() => "detach",
            Some(_) => "quit",
        },
        _ => usual,
    }
}
