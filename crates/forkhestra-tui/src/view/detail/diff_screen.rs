//! The diff of an iteration.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::checks::wrapped;
use super::detail_screen::inside;
use crate::app::output_view::{OutputExtent, OutputView};
use crate::app::run_screen_state::RunScreenState;
use crate::hit_map::{HitMap, HitTarget};
use crate::theme::{FOCUSED, KEY, PLAIN};
use crate::view::run::run_screen::rule;
use crate::view::run::{output, timeline};
use crate::view::screen_row::{ScreenRow, row_at};

/// Draws the diff.
pub(crate) fn draw(
    run: &RunScreenState,
    diff: &OutputView,
    area: Rect,
    buffer: &mut Buffer,
    hit_map: &mut HitMap,
) {
    hit_map.add(area, HitTarget::Detail);
    hit_map.is_wide = true;
    let text = inside(area);
    let extent = OutputExtent { columns: usize::from(text.width), rows: usize::from(text.height) };
    hit_map.output = extent;
    let number = diff.unit.map(|unit| timeline::number(unit, run.has_steps())).unwrap_or_default();
    let title = ScreenRow::new().add(FOCUSED, format!("Diff of iteration {number}"));
    let back = ScreenRow::new().add(PLAIN, " ").add(KEY, "Esc").add(PLAIN, " back ");
    let room = usize::from(area.width).saturating_sub(title.width() + back.width() + 5);
    let position = match diff.shows_all(extent) {
        true => ScreenRow::new(),
        false => output::summary(diff, room),
    };
    rule(area, &title, &position.join(back), buffer);
    if diff.buffer.is_empty() {
        let rows = wrapped(&empty_reason(diff), extent.columns, PLAIN);
        for (number, row) in rows.iter().enumerate() {
            row.draw(row_at(text, number), buffer);
        }
        return;
    }
    output::draw_lines(diff, text, buffer);
}

/// Why there is no diff to show.
fn empty_reason(diff: &OutputView) -> String {
    match &diff.trouble {
        Some(why) => format!("✗ {why}"),
        None if diff.has_output => "the iteration changed nothing".to_owned(),
        None => "reading…".to_owned(),
    }
}
