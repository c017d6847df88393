//! What lanes and their merge queue do.

use std::time::Duration;

use forkhestra_core::event::AuxJob;
use forkhestra_core::history::{LaneActivity, LanesHistory, QueueActivity, RunActivity};

use crate::report::run::whole_seconds;

/// What a lane does now, in a few words; `now` is on the run's clock.
pub(crate) fn lane_words(lane: &LaneActivity, now: Duration) -> String {
    let since = |what: &str, since: Duration| {
        format!("{what} {}", whole_seconds(now.saturating_sub(since)))
    };
    match (lane.activity, lane.queued) {
        (RunActivity::AgentRunning { since: at, .. }, _) => since("working", at),
        (RunActivity::Judging { since: at, .. }, None) => since("checking", at),
        (RunActivity::AuxJobRunning { job: AuxJob::Hook { .. }, since: at }, _) => {
            since("hook", at)
        }
        (RunActivity::AuxJobRunning { since: at, .. }, _) => since("checking", at),
        (RunActivity::BackingOff { .. }, _) => "waiting after a crash".to_owned(),
        (RunActivity::WaitingForProvider { .. }, _) => "waiting for the provider".to_owned(),
        (_, Some(at)) => since("landing", at),
        (RunActivity::Idle | RunActivity::Asking { .. }, None) => "resting".to_owned(),
    }
}

/// What the merge queue does: `waiting 2 · checking batch of 3, 1m 20s`; none if nothing is to land.
pub(crate) fn queue_words(lanes: &LanesHistory, now: Duration) -> Option<String> {
    let waiting = lanes.waiting();
    let waiting = (waiting > 0).then(|| format!("waiting {waiting}"));
    let what = match lanes.queue {
        QueueActivity::Idle => None,
        QueueActivity::CheckingBaseline { .. } => {
            Some("checking what all lanes begin with".to_owned())
        }
        QueueActivity::CheckingBatch { works: 1, .. } => Some("checking one work".to_owned()),
        QueueActivity::CheckingBatch { works, .. } => Some(format!("checking batch of {works}")),
        QueueActivity::CheckingClaim { .. } => Some("checking a completion claim".to_owned()),
        QueueActivity::BringingForward { .. } => Some("bringing the work tree forward".to_owned()),
    };
    let time = lanes.queue.since().map(|since| whole_seconds(now.saturating_sub(since)));
    let what = what.zip(time).map(|(what, time)| format!("{what}, {time}"));
    let parts: Vec<String> = waiting.into_iter().chain(what).collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}
