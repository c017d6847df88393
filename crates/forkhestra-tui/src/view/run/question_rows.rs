//! The question that a run asks.

use ratatui::layout::Rect;
use typeset::text::{folds, shortened, visible_lines};

use crate::app::run_screen_state::RunScreenState;
use crate::keys::{KeyAction, binding};
use crate::theme::{KEY, NAME, PLAIN};
use crate::view::run::activity_line;
use crate::view::screen_row::ScreenRow;

/// Maximum number of rows for the text of a question.
const MAX_TEXT_ROWS: usize = 6;

/// The text of the open question and the keys that answer it; empty without a question.
pub(crate) fn rows(run: &RunScreenState, area: Rect) -> Vec<ScreenRow> {
    let Some(question) = run.question() else { return Vec::new() };
    let room = (usize::from(area.height) / 5).clamp(1, MAX_TEXT_ROWS);
    let width = usize::from(area.width);
    let text = question.text_or_default();
    let mut rows = folded_rows(&text, width, room);
    let is_cut = folded(&text, width).len() > room;
    let made = run.history.as_ref().zip(run.entry()).map(|(history, entry)| {
        format!("changes by {}", activity_line::agent(history, entry.unit().step))
    });
    let key_of = |action| binding(action).map_or("", |binding| binding.key);
    let keys = [
        (key_of(KeyAction::Approve), Some("approve".to_owned())),
        (key_of(KeyAction::Deny), Some("deny".to_owned())),
        // A key of the view with the messages, which shows the question first.
        ("m", is_cut.then(|| "more".to_owned())),
        (key_of(KeyAction::Diff), made),
    ];
    let shown = keys.into_iter().filter_map(|(key, label)| Some((key, label?)));
    rows.push(shown.fold(ScreenRow::new(), |row, (key, label)| {
        row.add(KEY, key).add(PLAIN, format!(" {label}  "))
    }));
    rows
}

/// Untrusted text in at most `max` rows.
pub(crate) fn folded_rows(text: &str, width: usize, max: usize) -> Vec<ScreenRow> {
    let mut rows = folded(text, width);
    if rows.len() > max {
        rows.truncate(max);
        if let Some(last) = rows.last_mut() {
            *last = shortened(&format!("{last} …"), width);
        }
    }
    rows.into_iter().map(|row| ScreenRow::new().add(NAME, row)).collect()
}

/// The rows of an untrusted text.
pub(crate) fn folded(text: &str, width: usize) -> Vec<String> {
    let lines = visible_lines(text);
    let parts = |line: &String| -> Vec<String> {
        folds(line, width).into_iter().map(|part| line[part].to_owned()).collect()
    };
    lines.iter().flat_map(parts).collect()
}
