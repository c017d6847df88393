//! Keys of the search prompt.

use crossterm::event::{KeyCode, KeyEvent};

use super::dialog_keys::edit;
use super::output_keys;
use crate::app::App;
use crate::app::output_search::OutputSearch;
use crate::msg::Cmd;

pub(super) fn press(app: &mut App, key: KeyEvent) -> Vec<Cmd> {
    let Some(query) = &mut app.query else { return Vec::new() };
    match key.code {
        KeyCode::Esc => {
            app.query = None;
            if let Some(run) = &mut app.run {
                run.lines_mut().search = None;
            }
        }
        KeyCode::Enter => app.query = None,
        _ if edit(query, key) => start_search(app),
        _ => {}
    }
    app.run.as_mut().map(output_keys::request_earlier_lines).unwrap_or_default()
}

/// Searches for the typed text, starting at the first visible line.
pub(super) fn start_search(app: &mut App) {
    let extent = app.hit_map.borrow().output;
    let (Some(query), Some(run)) = (&app.query, &mut app.run) else { return };
    let needle = query.text();
    let lines = run.lines_mut();
    if needle.is_empty() {
        lines.search = None;
        return;
    }
    let mut search = OutputSearch::new(&needle, &lines.buffer);
    let found = search.next(lines.first(extent).0 - 1);
    lines.search = Some(search);
    if let Some(key) = found {
        lines.show(key, extent);
    }
}
