//! Keys of the run list.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::app::App;
use crate::app::run_screen_state::RunScreenState;
use crate::keys::KeyAction;
use crate::msg::Cmd;
use crate::run_source::RunScope;

pub(super) fn perform(app: &mut App, action: KeyAction) -> Vec<Cmd> {
    let page = isize::try_from(app.hit_map.borrow().list_rows.max(1)).unwrap_or(isize::MAX);
    match action {
        KeyAction::Up => app.list.step(-1),
        KeyAction::Down => app.list.step(1),
        KeyAction::PageUp => app.list.step(-page),
        KeyAction::PageDown => app.list.step(page),
        KeyAction::First => app.list.step(isize::MIN),
        KeyAction::Last => app.list.step(isize::MAX),
        KeyAction::Filter => app.list.is_typing = true,
        KeyAction::Open => return open(app),
        KeyAction::Scope => {
            app.list.scope = match app.list.scope {
                RunScope::Here => RunScope::Everywhere,
                RunScope::Everywhere => RunScope::Here,
            };
            app.list.runs = None;
            return vec![Cmd::ListRuns(app.list.scope)];
        }
        KeyAction::Back if app.list.filter.is_empty() => return vec![Cmd::Quit],
        KeyAction::Back => app.list.filter.clear(),
        _ => {}
    }
    Vec::new()
}

/// Opens the selected run.
pub(super) fn open(app: &mut App) -> Vec<Cmd> {
    let shown = app.list.shown();
    let Some(listed) = shown.get(app.list.selected_index(&shown)) else { return Vec::new() };
    let run = listed.run.clone();
    app.list.selected = Some(run.clone());
    app.run = Some(RunScreenState::new(run.clone()));
    app.came_from_list = true;
    vec![Cmd::OpenRun(run)]
}

/// Handles typing into the filter.
pub(super) fn type_filter(app: &mut App, key: KeyEvent) -> Vec<Cmd> {
    let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Esc => {
            app.list.filter.clear();
            app.list.is_typing = false;
        }
        KeyCode::Enter => app.list.is_typing = false,
        KeyCode::Backspace => drop(app.list.filter.pop()),
        KeyCode::Char('u') if is_control => app.list.filter.clear(),
        KeyCode::Up => app.list.step(-1),
        KeyCode::Down => app.list.step(1),
        KeyCode::Char(letter) if !is_control && !typeset::text::is_control_character(letter) => {
            app.list.filter.push(letter);
        }
        _ => {}
    }
    Vec::new()
}
