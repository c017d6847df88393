//! The lanes of a run, and what became of their work.

use super::landing_record::{
    HeldWorkTree, LandingChecks, LandingRecord, ParkedWork, RefusedLanding,
};
use super::lane_activity::LaneActivity;
use super::queue_activity::QueueActivity;
use crate::event::{AuxJob, CheckReport, Event, EventKind, LandedWork, LaneWork};
use crate::history::RunActivity;
use crate::id::{CommitId, LaneNumber, UnitId};
use crate::machine::RunState;

/// The lanes of a run, and what became of their work. Empty for a run without lanes.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LanesHistory {
    /// The lanes of the current stage, or of the last one that had lanes, by their numbers.
    pub lanes: Vec<LaneActivity>,
    /// Whether their stage goes on.
    pub is_open: bool,
    pub queue: QueueActivity,
    pub landings: Vec<LandingRecord>,
    pub refusals: Vec<RefusedLanding>,
    pub parked: Vec<ParkedWork>,
    /// Why the user's work tree lacks landed work.
    pub held: Option<HeldWorkTree>,
    /// Work that waits for its landing, first come first.
    waiting: Vec<(LaneNumber, UnitId)>,
    /// The last work of each lane.
    works: Vec<(LaneNumber, LaneWork)>,
    /// The last results of landing checks, with their commit.
    checked: Option<(CommitId, Vec<CheckReport>)>,
}

impl LanesHistory {
    /// Folds an event that the state has accepted.
    pub(in crate::history) fn apply(&mut self, event: &Event, state: &RunState) {
        match event.lane {
            Some(lane) => self.apply_in_lane(lane, event),
            None => self.apply_to_run(event, state),
        }
    }

    /// The lane with this number.
    pub fn lane(&self, number: LaneNumber) -> Option<&LaneActivity> {
        self.lanes.get(number.index())
    }

    /// The number of works that wait for their landing, without those of the batch that is checked.
    pub fn waiting(&self) -> usize {
        match self.queue {
            QueueActivity::CheckingBatch { works, .. } => self.waiting.len().saturating_sub(works),
            _ => self.waiting.len(),
        }
    }

    /// The number of agents that run.
    pub fn running_agents(&self) -> usize {
        self.lanes.iter().filter(|lane| lane.has_running_agent()).count()
    }

    /// The landing of an iteration's work.
    pub fn landing_of(&self, unit: UnitId) -> Option<(&LandingRecord, &LandedWork)> {
        self.landings.iter().find_map(|landing| {
            let work = landing.landed.iter().find(|work| work.unit == unit)?;
            Some((landing, work))
        })
    }

    /// Why the work of an iteration was sent back.
    pub fn refusal_of(&self, unit: UnitId) -> Option<&RefusedLanding> {
        self.refusals.iter().find(|refused| refused.unit == unit)
    }

    /// Whether an event is the start of a check of merged work.
    pub(in crate::history) fn is_landing_check(&self, event: &Event) -> bool {
        let is_check =
            matches!(&event.kind, EventKind::AuxJobStarted { aux_job: AuxJob::Check { .. }, .. });
        self.is_open && event.lane.is_none() && is_check
    }

    fn apply_to_run(&mut self, event: &Event, state: &RunState) {
        let since = event.elapsed;
        match &event.kind {
            EventKind::IntegrationStarted { .. } => {
                let lanes = state.lanes.iter().flat_map(|lanes| &lanes.lanes);
                self.lanes = lanes.map(|lane| LaneActivity::idle(lane.number)).collect();
                self.is_open = true;
                self.waiting.clear();
            }
            EventKind::AuxJobStarted { aux_job: AuxJob::Check { unit, .. }, .. }
                if self.is_open =>
            {
                // Several checks of the same commit are one activity.
                let before = self.queue.since().filter(|_| self.queue.checks(*unit));
                let since = before.unwrap_or(since);
                let position = self.waiting.iter().position(|(_, waits)| waits == unit);
                self.queue = match position {
                    _ if unit.is_before_first() => QueueActivity::CheckingBaseline { since },
                    Some(before) => {
                        QueueActivity::CheckingBatch { last: *unit, works: before + 1, since }
                    }
                    None => QueueActivity::CheckingClaim { unit: *unit, since },
                };
            }
            EventKind::LandingChecked { commit, checks, .. } => {
                self.queue = QueueActivity::Idle;
                self.checked = Some((commit.clone(), checks.clone()));
            }
            EventKind::Landed { number, to, landed, .. } => {
                self.note_landing(event, *number, to, landed);
                self.queue = QueueActivity::BringingForward { since };
            }
            EventKind::BroughtForward { .. } => {
                self.end_forwarding();
                self.held = None;
            }
            EventKind::Held { why, paths, .. } => {
                self.end_forwarding();
                let (why, paths) = (why.clone(), paths.clone());
                self.held = Some(HeldWorkTree { why, paths, since: event.at });
            }
            EventKind::LanesClosed { .. } => {
                self.is_open = false;
                self.rest();
            }
            // Whatever ran is gone.
            EventKind::RunFinished { .. } | EventKind::RunResumed { .. } => self.rest(),
            _ => {}
        }
    }

    fn apply_in_lane(&mut self, number: LaneNumber, event: &Event) {
        if matches!(event.kind, EventKind::ClaimRefused { .. }) {
            self.queue = QueueActivity::Idle;
        }
        let Some(lane) = self.lanes.get_mut(number.index()) else { return };
        lane.activity.apply(event);
        match &event.kind {
            EventKind::IterationStarted { unit, .. } => lane.unit = Some(*unit),
            EventKind::WorkQueued { unit, work } => {
                self.works.retain(|(of, _)| *of != number);
                self.works.push((number, work.clone()));
                lane.queued = Some(event.elapsed);
                self.waiting.retain(|(of, _)| *of != number);
                self.waiting.push((number, *unit));
            }
            EventKind::LandingRefused { unit, refusal } => {
                lane.queued = None;
                lane.refusals += 1;
                self.waiting.retain(|(of, _)| *of != number);
                self.refusals.push(RefusedLanding {
                    lane: number,
                    unit: *unit,
                    at: event.at,
                    refusal: refusal.clone(),
                });
            }
            EventKind::WorkParked { unit, number: parked, commit } => {
                (lane.queued, lane.refusals) = (None, 0);
                self.waiting.retain(|(of, _)| *of != number);
                let tasks = self.works.iter().find(|(of, _)| *of == number);
                self.parked.push(ParkedWork {
                    number: *parked,
                    lane: number,
                    unit: *unit,
                    commit: commit.clone(),
                    tasks: tasks.map(|(_, work)| work.tasks.clone()).unwrap_or_default(),
                    at: event.at,
                });
            }
            _ => {}
        }
    }

    fn note_landing(
        &mut self,
        event: &Event,
        number: u32,
        commit: &CommitId,
        landed: &[LandedWork],
    ) {
        let checks = self.checked.as_ref().filter(|(checked, _)| checked == commit);
        let checks = checks.map(|(_, checks)| checks).filter(|checks| !checks.is_empty());
        self.landings.push(LandingRecord {
            number,
            at: event.at,
            commit: commit.clone(),
            landed: landed.to_vec(),
            checked: checks.map(|checks| LandingChecks::of(checks)),
        });
        for work in landed {
            self.waiting.retain(|(of, _)| *of != work.lane);
            if let Some(lane) = self.lanes.get_mut(work.lane.index()) {
                (lane.queued, lane.refusals) = (None, 0);
            }
        }
    }

    /// Ends the attempt to bring the work tree forward. The queue may check the next batch meanwhile.
    fn end_forwarding(&mut self) {
        if matches!(self.queue, QueueActivity::BringingForward { .. }) {
            self.queue = QueueActivity::Idle;
        }
    }

    fn rest(&mut self) {
        self.queue = QueueActivity::Idle;
        self.lanes.iter_mut().for_each(|lane| lane.activity = RunActivity::Idle);
    }
}
