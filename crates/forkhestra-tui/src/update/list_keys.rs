//! Keys of the list of runs.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::app::App;
use crate::app::run_view::RunView;
use crate::keys::Action;
use crate::msg::Cmd;
use crate::world::Scope;

pub(super) fn perform(app: &mut App, action: Action) -> Vec<Cmd> {
    let page = isize::try_from(app.hits.borrow().list_rows.max(1)).unwrap_or(isize::MAX);
    match action {
        Action::Up => app.list.step(-1),
        Action::Down => app.list.step(1),
        Action::PageUp => app.list.step(-page),
        Action::PageDown => app.list.step(page),
        Action::First => app.list.step(isize::MIN),
        Action::Last => app.list.step(isize::MAX),
        Action::Filter => app.list.is_typing = true,
        Action::Open => return open(app),
        Action::Scope => {
            app.list.scope = match app.list.scope {
                Scope::Here => Scope::Everywhere,
                Scope::Everywhere => Scope::Here,
            };
            app.list.runs = None;
            return vec![Cmd::ListRuns(app.list.scope)];
        }
        Action::Back if app.list.filter.is_empty() => return vec![Cmd::Quit],
        Action::Back => app.list.filter.clear(),
        _ => {}
    }
    Vec::new()
}

/// Opens the run that is selected.
pub(super) fn open(app: &mut App) -> Vec<Cmd> {
    let shown = app.list.shown();
    let Some(listed) = shown.get(app.list.place(&shown)) else { return Vec::new() };
    let run = listed.run.clone();
    app.list.selected = Some(run.clone());
    app.run = Some(RunView::new(run.clone()));
    app.came_from_list = true;
    vec![Cmd::OpenRun(run)]
}

/// Letters that go into the filter.
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
        KeyCode::Char(letter) if !is_control && !typeset::text::is_obeyed(letter) => {
            app.list.filter.push(letter);
        }
        _ => {}
    }
    Vec::new()
}
