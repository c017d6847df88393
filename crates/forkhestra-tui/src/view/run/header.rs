//! The header: run, status and cost.

use forkhestra_core::plan::PlanStep;
use forkhestra_core::time::Timestamp;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use typeset::text::shortened;

use crate::app::run_screen_state::RunScreenState;
use crate::theme::{DIM, NAME, PLAIN, WARNING};
use crate::view::labels::{self, clock};
use crate::view::screen_row::{ScreenRow, clean};

/// If less room is left for the chain's name, the name is not shortened and the id is cut instead.
const MIN_NAME_WIDTH: usize = 8;

/// Below this width, warnings are shown only as a number.
const MIN_WIDTH_FOR_WARNINGS: u16 = 60;

/// Below this width, the quota of the account is not shown: the name needs the room.
const MIN_WIDTH_FOR_QUOTA: u16 = 70;

/// Draws name, status, duration, cost, quota and directory.
pub(crate) fn draw(run: &RunScreenState, now: Timestamp, area: Rect, buffer: &mut Buffer) {
    let (sign, style, word) = labels::run_status(run.status_override(), run.status());
    let plan = run.history.as_ref().map(|history| &history.state.plan);
    let name = plan.map(|plan| plan.chain.as_ref().unwrap_or(&plan.definition));
    let mut state = ScreenRow::new();
    if run.history.is_some() {
        state = state.add(style, format!("  {sign} ")).add(NAME, word);
        state = state.add(PLAIN, format!("  {}", clock(run.elapsed(now))));
    }
    if let Some(spend) = &run.spend {
        state = state.add(PLAIN, format!("  {}", labels::cost(spend)));
        let is_replayed = |step: &PlanStep| step.agent.replay.is_some();
        if plan.is_some_and(|plan| plan.steps.iter().any(is_replayed)) {
            state = state.add(PLAIN, " (replayed)");
        }
    }
    if let Some(quota) = quota(run, now).filter(|_| area.width >= MIN_WIDTH_FOR_QUOTA) {
        state = state.add(PLAIN, format!("  {quota}"));
    }
    if let Some(warnings) = warnings(run, area.width) {
        state = state.add(WARNING, "  ▲ ").add(PLAIN, warnings);
    }
    let id = ScreenRow::new().add(PLAIN, format!("  {}", run.run));
    let name = name.map(|name| clean(name)).unwrap_or_default();
    let left = state.draw_right(area, buffer);
    let room = usize::from(left.width);
    // A long name is shortened in favour of the id, which is needed to steer the run from
    // elsewhere.
    let for_name = room.saturating_sub(id.width());
    let name = if for_name < MIN_NAME_WIDTH { name } else { shortened(&name, for_name) };
    let title = ScreenRow::new().add(NAME, name).join(id);
    let directory = plan.map(|plan| clean(&plan.working_directory)).unwrap_or_default();
    let directory = ScreenRow::new().add(DIM, format!("  {directory}"));
    let has_room = title.width() + directory.width() <= room;
    let title = if has_room { title.join(directory) } else { title };
    title.draw(left, buffer);
}

/// How much of the current step's account is used, if it is known. An ended run uses none.
fn quota(run: &RunScreenState, now: Timestamp) -> Option<String> {
    let history = run.history.as_ref().filter(|history| history.state.end.is_none())?;
    history.state.quota_text(history.current_step()?, now)
}

/// Number of warnings, if there are any.
fn warnings(run: &RunScreenState, width: u16) -> Option<String> {
    let number = run.history.as_ref().map_or(0, |history| history.warnings.len());
    match number {
        0 => None,
        number if width < MIN_WIDTH_FOR_WARNINGS => Some(number.to_string()),
        number => Some(forkhestra_core::text::count(number, "warning")),
    }
}
