//! The view of lanes and of what became of their work.

use forkhestra_core::history::{
    HeldWorkTree, LandingCounts, LaneActivity, LanesHistory, Liveness, ParkedWork, QueueActivity,
    RunHistory,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The lanes of the current or last stage that had lanes, and what became of their work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LanesView {
    /// The lanes, by their numbers.
    pub lanes: Vec<LaneView>,
    /// How many works wait for their landing.
    pub waiting: usize,
    /// What the merge queue does; omitted if it does nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueWord>,
    /// What became of the work of all lanes of the run.
    pub landings: LandingsView,
    /// Work that is kept under a ref of its own; omitted if there is none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parked: Vec<ParkedView>,
    /// Why the work tree lacks landed work; omitted if it has all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<HeldView>,
}

/// One lane.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LaneView {
    /// Its number, from one.
    pub number: u8,
    /// The step of its current or last iteration; omitted before the first one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// Its current or last iteration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iteration: Option<u32>,
    /// Whether an agent works in it, or its work is being checked.
    pub is_working: bool,
    /// Whether its work waits for its landing.
    pub is_queued: bool,
    /// How often the work that it holds was sent back.
    pub refusals: u32,
    /// Its directory, once it was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub directory: Option<String>,
}

/// What the merge queue does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QueueWord {
    /// The landing checks run on the integration ref as it is.
    CheckingBaseline,
    /// The landing checks run on merged work.
    CheckingBatch,
    /// The checks of a completion claim run on the landed work.
    CheckingClaim,
    /// The work tree is brought to the landed work.
    BringingForward,
}

/// What became of the work of lanes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LandingsView {
    /// Works that landed.
    pub landed: usize,
    /// Landings: work that landed together is one batch.
    pub batches: usize,
    /// Works that were sent back because of a conflict.
    pub conflicts: usize,
    /// Works that were sent back because a check failed with them.
    pub failed_checks: usize,
    /// Works that were sent back without a common history.
    pub unrelated: usize,
}

/// Work that is kept under a ref of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ParkedView {
    /// Its number in the run, from one.
    pub number: u32,
    /// The lane that made it.
    pub lane: u8,
    /// The step of its last iteration.
    pub step: usize,
    /// Its last iteration.
    pub iteration: u32,
    /// The ref that keeps it.
    #[serde(rename = "ref")]
    pub reference: String,
    /// The tasks that it finished.
    pub tasks: Vec<String>,
}

/// Why the work tree lacks landed work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeldView {
    /// The reason, in one line.
    pub why: String,
    /// The files in the way, as far as they are listed.
    pub paths: Vec<String>,
    /// Since when.
    pub since: String,
}

impl LanesView {
    /// The view of a history; none for a run without lanes.
    pub fn of(history: &RunHistory, liveness: Liveness) -> Option<Self> {
        let lanes = &history.lanes;
        if lanes.lanes.is_empty() {
            return None;
        }
        let is_alive = liveness == Liveness::Alive;
        let parked = lanes.parked.iter().map(|parked| ParkedView::of(history, parked));
        Some(Self {
            lanes: lanes.lanes.iter().map(|lane| LaneView::of(history, lane, is_alive)).collect(),
            waiting: lanes.waiting(),
            queue: QueueWord::of(lanes.queue).filter(|_| is_alive),
            landings: LandingsView::of(lanes),
            parked: parked.collect(),
            held: lanes.held.as_ref().map(HeldView::of),
        })
    }
}

impl LaneView {
    fn of(history: &RunHistory, lane: &LaneActivity, is_alive: bool) -> Self {
        let state = history.state.lanes.as_deref();
        let directory = state.and_then(|lanes| lanes.lane(lane.number)?.path.clone());
        Self {
            number: lane.number.get(),
            step: lane.unit.map(|unit| unit.step),
            iteration: lane.unit.map(|unit| unit.iteration),
            is_working: is_alive && lane.activity.unit().is_some(),
            is_queued: lane.queued.is_some(),
            refusals: lane.refusals,
            directory,
        }
    }
}

impl QueueWord {
    const fn of(queue: QueueActivity) -> Option<Self> {
        match queue {
            QueueActivity::Idle => None,
            QueueActivity::CheckingBaseline { .. } => Some(Self::CheckingBaseline),
            QueueActivity::CheckingBatch { .. } => Some(Self::CheckingBatch),
            QueueActivity::CheckingClaim { .. } => Some(Self::CheckingClaim),
            QueueActivity::BringingForward { .. } => Some(Self::BringingForward),
        }
    }
}

impl LandingsView {
    fn of(lanes: &LanesHistory) -> Self {
        let LandingCounts { landed, batches, conflicts, failed_checks, unrelated, .. } =
            lanes.counts();
        Self { landed, batches, conflicts, failed_checks, unrelated }
    }
}

impl ParkedView {
    fn of(history: &RunHistory, parked: &ParkedWork) -> Self {
        Self {
            number: parked.number,
            lane: parked.lane.get(),
            step: parked.unit.step,
            iteration: parked.unit.iteration,
            reference: parked.ref_name(&history.state.run),
            tasks: parked.tasks.clone(),
        }
    }
}

impl HeldView {
    fn of(held: &HeldWorkTree) -> Self {
        let HeldWorkTree { why, paths, since } = held;
        Self { why: why.clone(), paths: paths.listed.clone(), since: since.to_string() }
    }
}
