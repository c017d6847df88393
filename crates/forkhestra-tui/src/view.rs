//! Drawing of the screens.

pub(crate) mod detail;
mod dialog;
mod footer;
mod labels;
pub(crate) mod run;
mod run_list;
mod sanitize;
mod screen_row;

use ratatui::Frame;
use ratatui::layout::Rect;

use self::screen_row::{ScreenRow, row_at};
use crate::app::App;
use crate::hit_map::HitMap;
use crate::theme::PLAIN;

/// Minimum size of a usable screen.
const MIN_SIZE: (u16, u16) = (40, 10);

/// Draws the screen.
pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let place = frame.area();
    let mut hit_map = HitMap::default();
    if place.width < MIN_SIZE.0 || place.height < MIN_SIZE.1 {
        let (columns, rows) = MIN_SIZE;
        let text = format!("too small: {columns}x{rows} are needed");
        ScreenRow::new().add(PLAIN, text).draw(row_at(place, 0), frame.buffer_mut());
        hit_map.is_too_small = true;
    } else {
        let inside = Rect { x: place.x + 1, width: place.width - 2, ..place };
        let body = Rect { height: inside.height - 1, ..inside };
        let buffer = frame.buffer_mut();
        match &app.run {
            Some(run) => run::run_screen::draw(app, run, body, buffer, &mut hit_map),
            None => run_list::draw(app, body, buffer, &mut hit_map),
        }
        footer::draw(app, row_at(inside, usize::from(body.height)), buffer, &mut hit_map);
        dialog::draw(app, body, frame, &mut hit_map);
    }
    sanitize::sanitize(frame.buffer_mut(), app.style);
    *app.hit_map.borrow_mut() = hit_map;
}
