//! Landing: work of lanes goes through the merge queue to the integration ref, and from there into
//! the user's work tree.

use super::landing_checks::{CheckPurpose, CheckedCommit};
use super::lanes_effect::{LanesEffect, WorkToMerge};
use super::lanes_input::MergedWork;
use super::lanes_state::MAX_LANDING_REFUSALS;
use crate::event::{
    EventKind, LandedWork, LandingRefusal, LandingRefusalKind, LaneWork, PathList, StepEnd,
};
use crate::id::{CommitId, LaneNumber, UnitId};
use crate::machine::effect::Effect;
use crate::machine::run_clock::Now;
use crate::machine::state_machine::Machine;
use crate::policy::{
    MergeQueue, MergeResult, QueueAction, QueueEntry, QueueFacts, QueueInput, QueuePhase,
    QueueRefusal,
};

impl Machine {
    /// Begins the merge queue with the recorded work, once the results on the integration ref are
    /// known.
    pub(super) fn begin_queue(&mut self, now: Now) {
        let Some(lanes) = self.state.lanes.as_deref() else { return };
        let entries = lanes.queued().map(|(lane, unit, work)| QueueEntry {
            lane: lane.number,
            unit,
            commit: work.commit.clone(),
        });
        let integration = lanes.integration.clone();
        let facts = QueueFacts {
            checks: (1..=self.landing_checks().len()).collect(),
            baseline: self.recorded_results(&integration).unwrap_or_default(),
            entries: entries.collect(),
            integration,
        };
        let (queue, actions) = MergeQueue::resume(facts);
        if let Some(running) = &mut self.running_lanes {
            running.queue = Some(queue);
        }
        self.carry_out(now, actions);
    }

    /// Passes an input to the merge queue.
    pub(super) fn feed_queue(&mut self, now: Now, input: QueueInput) {
        let queue = self.running_lanes.as_mut().and_then(|running| running.queue.as_mut());
        let actions = queue.map(|queue| queue.handle(input)).unwrap_or_default();
        self.carry_out(now, actions);
    }

    fn carry_out(&mut self, now: Now, actions: Vec<QueueAction>) {
        for action in actions {
            match action {
                QueueAction::Merge { onto, entries } => {
                    let work = entries.iter().filter_map(|entry| self.work_to_merge(entry));
                    let work = work.collect();
                    self.effects.push(Effect::Lanes(LanesEffect::MergeWork { onto, work }));
                }
                QueueAction::Check { tip, entries } => {
                    let units = entries.iter().map(|entry| entry.unit).collect();
                    let (purpose, todo) = (CheckPurpose::Landing, self.landing_checks());
                    let results = Vec::new();
                    self.check_commit(CheckedCommit { commit: tip, units, purpose, todo, results });
                }
                QueueAction::Land { tip, entries } => self.land(now, tip, &entries),
                QueueAction::Refuse { entry, why } => self.refuse_landing(now, &entry, why),
                QueueAction::Stop { not_run, .. } => self.stop_landing(&not_run),
            }
        }
    }

    fn work_to_merge(&self, entry: &QueueEntry) -> Option<WorkToMerge> {
        let lane = self.state.lanes.as_deref()?.lane(entry.lane)?;
        let (_, work) = lane.queued.as_ref()?;
        let (lane, unit) = (entry.lane, entry.unit);
        Some(WorkToMerge { lane, unit, work: work.clone(), at: self.state.queued_at(lane)? })
    }

    /// Takes the work of a lane that waits for its landing.
    pub(super) fn work_fetched(
        &mut self,
        now: Now,
        lane: LaneNumber,
        unit: UnitId,
        work: Result<Option<LaneWork>, String>,
    ) {
        let Some(running) = &mut self.running_lanes else { return };
        running.fetching.remove(&lane);
        let is_collected = running.collected.contains(&lane);
        match work {
            Ok(Some(work)) if is_collected => {
                self.emit_in_lane(now, lane, EventKind::WorkQueued { unit, work });
                self.park(now, lane);
            }
            Ok(work) if running.expected.remove(&lane) => {
                running.attempts.insert(lane, (unit, work));
            }
            Ok(Some(work)) => {
                let commit = work.commit.clone();
                self.emit_in_lane(now, lane, EventKind::WorkQueued { unit, work });
                self.feed_queue(now, QueueInput::Enqueue(QueueEntry { lane, unit, commit }));
            }
            Ok(None) => self.with_lane(lane, |machine| machine.landing_settled(now, unit)),
            Err(why) => {
                let end =
                    StepEnd::NotLanded(format!("the work of lane {lane} cannot be read: {why}"));
                running.end.get_or_insert(end);
            }
        }
    }

    /// Takes the results of merges.
    pub(super) fn work_merged(&mut self, now: Now, results: Result<Vec<MergedWork>, String>) {
        let Some(running) = &mut self.running_lanes else { return };
        let results = match results {
            Ok(results) => results,
            Err(why) => {
                running
                    .end
                    .get_or_insert(StepEnd::NotLanded(format!("work cannot be merged: {why}")));
                running.queue = None;
                return;
            }
        };
        running.conflicts.clear();
        let entries: Vec<QueueEntry> = match running.queue.as_ref().map(MergeQueue::phase) {
            Some(QueuePhase::Merging { entries, .. }) => entries.clone(),
            _ => return,
        };
        let merged = entries.iter().zip(results).map(|(entry, result)| match result {
            MergedWork::Merged { commit } => MergeResult::Merged { tip: commit },
            MergedWork::AlreadyContained => MergeResult::AlreadyContained,
            MergedWork::Refused { why, paths, with } => {
                running.conflicts.insert(entry.unit, (why, with));
                MergeResult::Conflict { paths }
            }
        });
        let results = merged.collect();
        self.feed_queue(now, QueueInput::Merged { results });
    }

    fn land(&mut self, now: Now, tip: CommitId, entries: &[QueueEntry]) {
        let Some(step) = self.first_laned_step() else { return };
        let Some(lanes) = self.state.lanes.as_deref() else { return };
        let (from, number) = (lanes.integration.clone(), lanes.last_landing + 1);
        let landed = entries.iter().filter_map(|entry| {
            let (_, work) = lanes.lane(entry.lane)?.queued.as_ref()?;
            Some(LandedWork { lane: entry.lane, unit: entry.unit, work: work.clone() })
        });
        let landed: Vec<LandedWork> = landed.collect();
        let tasks = landed.iter().map(|landed| (landed.lane, landed.work.tasks.clone())).collect();
        let to = tip.clone();
        self.emit(now, EventKind::Landed { step, number, from: from.clone(), to, landed });
        self.effects.push(Effect::Lanes(LanesEffect::MoveIntegration { from, to: tip, tasks }));
    }

    /// Goes on after a landing: its lanes, lanes that wait for progress, and the user's work tree.
    pub(super) fn integration_moved(&mut self, now: Now, to: &CommitId, failure: Option<String>) {
        let Some(running) = &mut self.running_lanes else { return };
        if let Some(why) = failure {
            running.end.get_or_insert(StepEnd::NotLanded(why));
            running.queue = None;
            return;
        }
        running.cannot_forward = false;
        self.feed_queue(now, QueueInput::Landed { tip: to.clone() });
        self.settle_landed_lanes(now);
        self.bring_forward();
        self.wake_lanes_for_progress(now);
    }

    /// Lets lanes go on whose work has landed.
    fn settle_landed_lanes(&mut self, now: Now) {
        let Some(lanes) = self.state.lanes.as_deref() else { return };
        let settled = lanes.lanes.iter().filter_map(|lane| Some((lane.number, lane.settled?)));
        for (lane, unit) in settled.collect::<Vec<_>>() {
            self.with_lane(lane, |machine| machine.landing_settled(now, unit));
        }
    }

    /// Lets resting lanes decide again: tasks may be free now, and landed work is progress.
    fn wake_lanes_for_progress(&mut self, now: Now) {
        if !self.is_ending() && self.best_of().is_none() {
            self.wake_lanes(now);
        }
    }

    pub(super) fn bring_forward(&mut self) {
        let Some(lanes) = self.state.lanes.as_deref() else { return };
        let Some(running) = &mut self.running_lanes else { return };
        if running.is_forwarding || lanes.forward == lanes.integration {
            return;
        }
        running.is_forwarding = true;
        let to = lanes.integration.clone();
        self.effects.push(Effect::Lanes(LanesEffect::BringForward { to }));
    }

    pub(super) fn brought_forward(&mut self, now: Now, commit: CommitId) {
        let (Some(running), Some(lanes)) = (&mut self.running_lanes, &self.state.lanes) else {
            return;
        };
        running.is_forwarding = false;
        let Some(step) = lanes.steps.first().copied() else { return };
        self.emit(now, EventKind::BroughtForward { step, commit });
        self.bring_forward();
    }

    pub(super) fn held(&mut self, now: Now, why: String, paths: PathList) {
        let (Some(running), Some(lanes)) = (&mut self.running_lanes, &self.state.lanes) else {
            return;
        };
        running.is_forwarding = false;
        running.cannot_forward = true;
        let Some(step) = lanes.steps.first().copied() else { return };
        if lanes.held.as_ref() != Some(&why) {
            self.emit(now, EventKind::Held { step, why, paths });
        }
    }

    fn refuse_landing(&mut self, now: Now, entry: &QueueEntry, why: QueueRefusal) {
        let (lane, unit) = (entry.lane, entry.unit);
        let refusal = match why {
            QueueRefusal::Conflict { paths, .. } => {
                let running = self.running_lanes.as_mut();
                let known = running.and_then(|running| running.conflicts.remove(&unit));
                let (why, with) = known.unwrap_or((LandingRefusalKind::Conflict, Vec::new()));
                LandingRefusal { why, paths: PathList::of(paths), with, checks: Vec::new() }
            }
            QueueRefusal::RedChecks { tip, checks, .. } => {
                let lanes = self.state.lanes.as_deref();
                let reports = lanes.and_then(|lanes| lanes.results_on(&tip)).unwrap_or_default();
                let red = checks.iter().filter_map(|number| reports.get(number.checked_sub(1)?));
                LandingRefusal {
                    why: LandingRefusalKind::ChecksFailed,
                    paths: PathList::default(),
                    with: Vec::new(),
                    checks: red.cloned().collect(),
                }
            }
        };
        self.emit_in_lane(now, lane, EventKind::LandingRefused { unit, refusal });
        let refusals = self.state.lanes.as_deref().and_then(|lanes| lanes.lane(lane));
        if refusals.is_some_and(|lane| lane.refusals >= MAX_LANDING_REFUSALS) {
            self.park(now, lane);
        }
        self.with_lane(lane, |machine| machine.landing_settled(now, unit));
    }

    /// Parks the work of a lane that waits for its landing or was refused.
    fn park(&mut self, now: Now, lane: LaneNumber) {
        let Some(lanes) = self.state.lanes.as_deref() else { return };
        let number = lanes.last_parked + 1;
        let Some(of_lane) = lanes.lane(lane) else { return };
        let queued = of_lane.queued.as_ref().map(|(unit, work)| (*unit, work.commit.clone()));
        let Some((unit, commit)) = queued.or(of_lane.refused.clone()) else { return };
        let parked = commit.clone();
        self.emit_in_lane(now, lane, EventKind::WorkParked { unit, number, commit: parked });
        self.effects.push(Effect::Lanes(LanesEffect::ParkWork { lane, unit, number, commit }));
        self.with_lane(lane, Self::drop_work);
    }

    /// Parks all refused work, since no agent will repair it.
    pub(super) fn park_refused_work(&mut self, now: Now) {
        let Some(lanes) = self.state.lanes.as_deref() else { return };
        let refused = lanes.lanes.iter().filter(|lane| lane.refused.is_some());
        for lane in refused.map(|lane| lane.number).collect::<Vec<_>>() {
            self.park(now, lane);
        }
    }

    /// Ends the stage, since landing checks give no verdict.
    fn stop_landing(&mut self, not_run: &[usize]) {
        let addresses = self.landing_checks();
        let named = not_run.iter().filter_map(|number| addresses.get(number.checked_sub(1)?));
        let names = named.filter_map(|(step, number)| {
            Some(self.state.plan.step(*step)?.check(*number)?.value.display_name())
        });
        let names: Vec<String> = names.collect();
        let end =
            StepEnd::CannotCheck(format!("landing checks gave no verdict: {}", names.join(", ")));
        if let Some(running) = &mut self.running_lanes {
            running.end.get_or_insert(end);
            running.queue = None;
        }
    }
}
