//! A row for each lane of a run, and one for its merge queue.

use forkhestra_core::event::{AuxJob, TaskChanges};
use forkhestra_core::history::{
    IterationPosition, LaneActivity, LanesHistory, QueueActivity, RunActivity, RunHistory,
};
use forkhestra_core::text::count;
use forkhestra_core::time::Timestamp;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::app::run_screen_state::RunScreenState;
use crate::theme::{ACCENT, DIM, NAME, PLAIN, WARNING};
use crate::view::labels::clock;
use crate::view::run::activity_line::agent;
use crate::view::screen_row::{ScreenRow, clean};

/// The rows of the lanes and of the merge queue while they run; empty for a run without lanes. On a
/// low screen the lanes that rest have no row, and then those that do not fit.
pub(crate) fn rows(run: &RunScreenState, area: Rect, now: Timestamp) -> Vec<ScreenRow> {
    let Some(history) = run.history.as_ref().filter(|history| history.lanes.is_open) else {
        return Vec::new();
    };
    let lanes = &history.lanes;
    let room = usize::from(area.height / 3);
    let queue = queue_row(run, lanes, now);
    let room_for_lanes = room.saturating_sub(usize::from(queue.is_some()));
    let mut shown: Vec<&LaneActivity> = lanes.lanes.iter().collect();
    if shown.len() > room_for_lanes {
        shown.retain(|lane| lane.unit.is_some_and(|_| is_busy(lane)));
    }
    let all = shown.len();
    let is_cut = all > room_for_lanes;
    shown.truncate(if is_cut { room_for_lanes.saturating_sub(1) } else { room_for_lanes });
    let more = all - shown.len();
    let mut rows: Vec<ScreenRow> =
        shown.into_iter().map(|lane| lane_row(run, history, lane, now)).collect();
    if is_cut && room_for_lanes > 0 {
        rows.push(ScreenRow::new().add(DIM, format!("   … and {}", count(more, "lane"))));
    }
    rows.extend(queue);
    rows
}

const fn is_busy(lane: &LaneActivity) -> bool {
    lane.queued.is_some() || !matches!(lane.activity, RunActivity::Idle)
}

fn lane_row(
    run: &RunScreenState,
    history: &RunHistory,
    lane: &LaneActivity,
    now: Timestamp,
) -> ScreenRow {
    let (sign, style, what) = activity(run, lane, now);
    let row = ScreenRow::new().add(NAME, format!("{:>2} ", lane.number));
    let row = row.add(style, format!("{sign} "));
    let Some(unit) = lane.unit else { return row.add(PLAIN, what) };
    let position = IterationPosition::of(&history.state, unit);
    let iteration = position.map_or_else(String::new, |position| format!(" {position}"));
    let name = agent(history, unit.step);
    let mut row = row.add(PLAIN, format!("{name}{iteration} · {what}"));
    let work = history.unfinished_agents().find(|work| work.unit == unit);
    if let Some(spend) = work.and_then(|work| work.spend) {
        row = row.add(PLAIN, format!(" · {}", spend.cost()));
    }
    let last = history.steps.get(unit.step - 1);
    let tasks = work.and_then(|work| work.tasks.as_ref()).or_else(|| {
        let record = last?.iterations.iter().rfind(|record| record.lane == Some(lane.number))?;
        record.tasks.as_ref().filter(|_| record.unit == unit)
    });
    let tasks: Vec<&str> = tasks.into_iter().flat_map(TaskChanges::worked_on).collect();
    if !tasks.is_empty() {
        row = row.add(NAME, format!(" · {}", clean(&tasks.join(", "))));
    }
    match lane.refusals {
        0 => row,
        refusals => {
            row.add(WARNING, format!(" · sent back {}", forkhestra_core::text::times(refusals)))
        }
    }
}

/// What a lane does, with its sign.
fn activity(
    run: &RunScreenState,
    lane: &LaneActivity,
    now: Timestamp,
) -> (&'static str, Style, String) {
    let for_time =
        |what: &str, since| format!("{what} for {}", clock(run.elapsed(now).saturating_sub(since)));
    match (lane.activity, lane.queued) {
        (RunActivity::AgentRunning { since, .. }, _) => ("●", ACCENT, for_time("works", since)),
        (RunActivity::AuxJobRunning { job: AuxJob::Hook { .. }, since }, _) => {
            ("◐", ACCENT, for_time("runs a hook", since))
        }
        (RunActivity::AuxJobRunning { since, .. }, _) => {
            ("◐", ACCENT, for_time("is checked", since))
        }
        (_, Some(since)) => ("◐", ACCENT, for_time("waits for its landing", since)),
        (RunActivity::Judging { since, .. }, None) => ("◐", ACCENT, for_time("is checked", since)),
        (RunActivity::BackingOff { .. }, None) => ("◐", WARNING, "backs off".to_owned()),
        (RunActivity::WaitingForProvider { .. }, None) => {
            ("◐", WARNING, "waits for the provider".to_owned())
        }
        (RunActivity::Idle | RunActivity::Asking { .. }, None) => ("○", DIM, "rests".to_owned()),
    }
}

/// What the merge queue does: `waiting 2 · checking batch of 3, 1m 20s`.
fn queue_row(run: &RunScreenState, lanes: &LanesHistory, now: Timestamp) -> Option<ScreenRow> {
    let what = match lanes.queue {
        QueueActivity::Idle => None,
        QueueActivity::CheckingBaseline { .. } => {
            Some("checking what the lanes begin with".to_owned())
        }
        QueueActivity::CheckingBatch { works, .. } => Some(format!("checking batch of {works}")),
        QueueActivity::CheckingClaim { .. } => Some("checking a completion claim".to_owned()),
        QueueActivity::BringingForward { .. } => Some("bringing the work tree forward".to_owned()),
    };
    let long = lanes.queue.since().map(|since| clock(run.elapsed(now).saturating_sub(since)));
    let what = what.zip(long).map(|(what, long)| format!("{what}, {long}"));
    let waiting = Some(lanes.waiting()).filter(|waiting| *waiting > 0);
    let waiting = waiting.map(|waiting| format!("waiting {waiting}"));
    let counts = lanes.counts();
    let landed = (counts.landed > 0).then(|| format!("{} landed", counts.landed));
    let parked = (counts.parked > 0).then(|| format!("{} parked", counts.parked));
    let parts: Vec<String> = [waiting, what, landed].into_iter().flatten().collect();
    let mut row = ScreenRow::new().add(NAME, " ⇒ ").add(PLAIN, parts.join(" · "));
    if let Some(parked) = &parked {
        let gap = if parts.is_empty() { "" } else { " · " };
        row = row.add(WARNING, format!("{gap}{parked}"));
    }
    if let Some(held) = &lanes.held {
        row = row.add(WARNING, format!(" · work tree held: {}", clean(&held.why)));
    }
    (!parts.is_empty() || parked.is_some() || lanes.held.is_some()).then_some(row)
}
