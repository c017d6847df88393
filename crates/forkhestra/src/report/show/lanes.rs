//! Lanes and landings of a shown run.

use forkhestra_core::history::Liveness;

use super::ShownRunFacts;
use crate::report::text::lanes::{landings, lane_activities};

/// What the lanes of a live run do, what became of their work, and why the work tree lacks some.
pub(super) fn rows(subject: &ShownRunFacts<'_>) -> Vec<(&'static str, String)> {
    let history = subject.history();
    let lanes = &history.lanes;
    if lanes.lanes.is_empty() {
        return Vec::new();
    }
    let mut rows = Vec::new();
    if lanes.is_open && subject.liveness == Liveness::Alive {
        let now = history.state.elapsed + subject.time_since();
        let busy = lanes.lanes.iter().filter(|lane| lane.activity.unit().is_some()).count();
        let all = lanes.lanes.len();
        rows.push(("lanes", format!("{busy} of {all} at work")));
        rows.extend(lane_activities::queue_words(lanes, now).map(|queue| ("queue", queue)));
    }
    rows.push(("landings", landings::counts_sentence(lanes.counts())));
    rows.extend(lanes.held.as_ref().map(|held| ("held", landings::held_reason(held))));
    rows
}
