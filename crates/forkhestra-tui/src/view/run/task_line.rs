//! The current task and the task counts, in one line.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::limit_bars::meter;
use crate::app::run_screen_state::RunScreenState;
use crate::app::task_progress::TaskProgress;
use crate::run_source::TaskCard;
use crate::theme::{ACCENT, GOOD, NAME, PLAIN};
use crate::view::screen_row::{ScreenRow, clean};

/// Minimum width for the bar.
const MIN_WIDTH_FOR_BAR: u16 = 100;
/// Minimum width for the longer texts.
const MIN_WIDTH_FOR_LONG_TEXT: u16 = 60;
/// Width of the bar.
const BAR_WIDTH: usize = 16;

/// Draws the line if there are tasks. Returns whether it did.
pub(crate) fn draw(run: &RunScreenState, area: Rect, buffer: &mut Buffer) -> bool {
    let Some(progress) = run.task_progress() else { return false };
    let left = counts(&progress, run.is_live(), area.width).draw_right(area, buffer);
    task(run, &progress).draw(left, buffer);
    true
}

fn counts(progress: &TaskProgress<'_>, is_live: bool, room: u16) -> ScreenRow {
    let TaskProgress { done, all, blocked, .. } = *progress;
    let counted = match room {
        MIN_WIDTH_FOR_LONG_TEXT.. => format!("{done} of {all} tasks done"),
        _ => format!("{done} of {all} done"),
    };
    let blocked = match blocked {
        0 => String::new(),
        _ if room < MIN_WIDTH_FOR_LONG_TEXT => String::new(),
        blocked => format!(", {blocked} blocked"),
    };
    let left = match progress.left() {
        0 => String::new(),
        _ if room < MIN_WIDTH_FOR_LONG_TEXT || is_live => String::new(),
        left => format!(", {left} left"),
    };
    let bar = if room < MIN_WIDTH_FOR_BAR {
        ScreenRow::new()
    } else {
        meter(fraction(done, all), BAR_WIDTH, GOOD)
    };
    ScreenRow::new()
        .add(PLAIN, "  ")
        .join(bar)
        .add(PLAIN, " ")
        .add(PLAIN, format!("{counted}{blocked}{left}"))
}

#[expect(clippy::cast_precision_loss, reason = "a bar has few columns")]
fn fraction(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// The current task, the next one, or why there is neither.
fn task(run: &RunScreenState, progress: &TaskProgress<'_>) -> ScreenRow {
    let named = |sign: &str, style: Style, word: &str, task: &TaskCard| {
        ScreenRow::new()
            .add(style, format!("{sign} "))
            .add(PLAIN, word)
            .add(NAME, clean(&task.id))
            .add(PLAIN, format!(" {}", clean(&task.title)))
    };
    match (progress.current, progress.next) {
        (Some(task), _) if run.is_live() => named("●", ACCENT, "", task),
        (Some(task), _) => named("○", PLAIN, "in progress: ", task),
        (None, Some(task)) => named("○", PLAIN, "next task: ", task),
        (None, None) if progress.done == progress.all => {
            ScreenRow::new().add(GOOD, "✓ ").add(PLAIN, "all tasks are done")
        }
        (None, None) => ScreenRow::new().add(PLAIN, "○ no task is ready"),
    }
}
