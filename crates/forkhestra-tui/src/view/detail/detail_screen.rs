//! The detail screen of a task or an iteration.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::{iteration_detail, task_detail};
use crate::app::detail_view::DetailSubject;
use crate::app::local_clock::LocalClock;
use crate::app::run_screen_state::RunScreenState;
use crate::hit_map::{HitMap, HitTarget};
use crate::theme::{FOCUSED, KEY, PLAIN};
use crate::view::run::run_screen::rule;
use crate::view::run::timeline;
use crate::view::screen_row::{ScreenRow, clean, row_at};

/// Draws the detail screen.
pub(crate) fn draw(
    run: &RunScreenState,
    clock: LocalClock<'_>,
    area: Rect,
    buffer: &mut Buffer,
    hit_map: &mut HitMap,
) {
    let Some(detail) = &run.detail else { return };
    hit_map.add(area, HitTarget::Detail);
    hit_map.is_wide = true;
    let inside = inside(area);
    let width = usize::from(inside.width);
    let (title, rows) = match &detail.subject {
        DetailSubject::Task(id) => {
            (format!("Task {}", clean(id)), task_detail::rows(run, id, width))
        }
        DetailSubject::Iteration(unit) => {
            let title = format!("Iteration {}", timeline::number(*unit, run.has_steps()));
            (title, iteration_detail::rows(run, *unit, clock, width))
        }
    };
    let back = ScreenRow::new().add(PLAIN, " ").add(KEY, "Esc").add(PLAIN, " back ");
    rule(area, &ScreenRow::new().add(FOCUSED, title), &back, buffer);
    let height = usize::from(inside.height);
    hit_map.detail_rows = (height, rows.len());
    let first = detail.scroll.min(rows.len().saturating_sub(height));
    for (number, row) in rows.iter().skip(first).take(height).enumerate() {
        row.draw(row_at(inside, number), buffer);
    }
}

/// The area below the title, with a margin on both sides.
pub(super) fn inside(area: Rect) -> Rect {
    Rect {
        x: area.x + area.width.min(1),
        y: area.y + area.height.min(1),
        width: area.width.saturating_sub(2),
        height: area.height.saturating_sub(1),
    }
}
