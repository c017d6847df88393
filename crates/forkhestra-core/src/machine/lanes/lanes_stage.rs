//! A stage with lanes from its beginning to its end.

use std::time::Duration;

use super::landing_checks::{CheckPurpose, CheckedCommit};
use super::lanes_effect::{ExpectedIntegration, LanesEffect};
use super::lanes_input::LanesInput;
use super::lanes_state::LaneState;
use super::running_lanes::{LaneSlot, RunningLanes};
use crate::cost::Spend;
use crate::event::{EventKind, IterationReport, StepEnd};
use crate::id::{CommitId, LaneNumber, UnitId};
use crate::machine::effect::Effect;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::run_clock::Now;
use crate::machine::state_machine::Machine;
use crate::plan::LanedStage;

impl Machine {
    /// Whether a step is the one at which the run enters a stage with lanes.
    pub(in crate::machine) fn is_laned(&self, step: usize) -> bool {
        self.role.lane().is_none() && self.state.plan.laned_stage_of(step).is_some()
    }

    /// Runs the lanes of a stage, or wakes them if they run.
    pub(in crate::machine) fn enter_lanes(&mut self, now: Now, step: usize) {
        let stage = self.state.plan.laned_stage_of(step).map(|stage| stage.steps());
        let step = stage.and_then(|steps| steps.first().copied()).unwrap_or(step);
        self.phase = MachinePhase::InLanes { step };
        if self.running_lanes.is_some() {
            self.wake_lanes(now);
            return;
        }
        let expected = self.state.lanes_of(step).map(|lanes| ExpectedIntegration {
            commit: lanes.integration.clone(),
            before: lanes.before_landing.clone(),
        });
        self.running_lanes = Some(Box::default());
        self.effects.push(Effect::Lanes(LanesEffect::BeginIntegration { step, expected }));
    }

    /// Handles what the engine reports about lanes.
    pub(in crate::machine) fn handle_lanes(&mut self, now: Now, input: LanesInput) {
        let MachinePhase::InLanes { step } = self.phase else { return };
        match input {
            LanesInput::IntegrationBegun { commit } => self.open_lanes(now, step, commit),
            LanesInput::IntegrationFailed { why } => self.abandon_stage(now, step, why),
            LanesInput::LaneOpened { lane, path, is_new } => {
                self.lane_opened(now, lane, path, is_new);
            }
            LanesInput::LaneNotOpened { lane, why } => self.lane_not_opened(now, lane, why),
            LanesInput::LaneAdvanced { lane, to, failure } => {
                if let Some(why) = failure {
                    let message = format!("lane {lane} cannot be moved to landed work: {why}");
                    self.emit(now, EventKind::Warning { message });
                }
                self.with_lane(lane, |machine| machine.lane_advanced(now, to));
            }
            LanesInput::NotParked { number, why } => {
                let message = format!("parked work {number}: {why}");
                self.emit(now, EventKind::Warning { message });
            }
            LanesInput::WorkFetched { lane, unit, work } => {
                self.work_fetched(now, lane, unit, work);
            }
            LanesInput::WorkMerged { results, .. } => self.work_merged(now, results),
            LanesInput::CheckedOut { commit, failure } => {
                self.commit_checked_out(now, &commit, failure);
            }
            LanesInput::IntegrationMoved { to, failure } => {
                self.integration_moved(now, &to, failure);
            }
            LanesInput::BroughtForward { to } => self.brought_forward(now, to),
            LanesInput::Held { why, paths, .. } => self.held(now, why, paths),
        }
    }

    fn open_lanes(&mut self, now: Now, step: usize, commit: CommitId) {
        if self.state.lanes_of(step).is_none() {
            self.emit(now, EventKind::IntegrationStarted { step, commit });
        }
        let Some(lanes) = self.state.lanes_of(step) else { return };
        let commit = lanes.integration.clone();
        let opening = lanes.lanes.iter().filter_map(|lane| {
            let (lane, step) = (lane.number, lane.first_step()?);
            Some(Effect::Lanes(LanesEffect::OpenLane { lane, step, commit: commit.clone() }))
        });
        let opening: Vec<Effect> = opening.collect();
        self.running_lanes = Some(Box::new(RunningLanes::opening(lanes.lanes.len())));
        self.effects.extend(opening);
        self.check_baseline(now, commit);
    }

    /// Checks the integration ref as it is, so that a landing is compared with it.
    fn check_baseline(&mut self, now: Now, commit: CommitId) {
        let todo = self.landing_checks();
        if todo.is_empty() || self.recorded_results(&commit).is_some() {
            self.begin_queue(now);
            return;
        }
        let (purpose, units, results) = (CheckPurpose::Baseline, Vec::new(), Vec::new());
        self.check_commit(CheckedCommit { commit, units, purpose, todo, results });
    }

    fn lane_opened(&mut self, now: Now, lane: LaneNumber, path: String, is_new: bool) {
        let Some(state) = self.state.lanes.as_deref().and_then(|lanes| lanes.lane(lane)) else {
            return;
        };
        let Some(step) = state.first_step() else { return };
        if let Some((unit, number, commit)) = state.parked.clone() {
            // An earlier process may have been killed before it had done so.
            self.effects.push(Effect::Lanes(LanesEffect::ParkWork { lane, unit, number, commit }));
        }
        let machine = self.machine_of_lane(lane, path).map(Box::new);
        let slot =
            self.running_lanes.as_mut().and_then(|running| running.machines.get_mut(lane.index()));
        let (Some(slot), Some(machine)) = (slot, machine) else { return };
        *slot = LaneSlot::Open { machine, due: None };
        self.with_lane(lane, |machine| machine.begin_lane(now, step, is_new));
    }

    pub(super) fn lane_not_opened(&mut self, now: Now, lane: LaneNumber, why: String) {
        let message = format!("lane {lane} cannot be made: {why}");
        self.emit(now, EventKind::Warning { message });
        if let Some(running) = &mut self.running_lanes
            && let Some(slot) = running.machines.get_mut(lane.index())
        {
            *slot = LaneSlot::Failed(why);
        }
    }

    /// Ends a stage whose integration ref cannot be used.
    fn abandon_stage(&mut self, now: Now, step: usize, why: String) {
        let end = match self.state.lanes_of(step) {
            Some(_) => StepEnd::NotLanded(why),
            None => StepEnd::NoLane(why),
        };
        self.leave_lanes(now, step, end);
    }

    /// Lets every resting lane decide again.
    pub(super) fn wake_lanes(&mut self, now: Now) {
        self.with_each(|machine| machine.wake(now));
    }

    /// Leaves the stage. Work that was refused and that no agent will repair any more is parked.
    pub(in crate::machine) fn leave_lanes(&mut self, now: Now, step: usize, end: StepEnd) {
        let end = self.unless_held(end);
        // A resume continues in the lanes.
        let is_final = self.cancelled.is_none() && !keeps_lanes(&end);
        if is_final {
            self.park_refused_work(now);
        }
        self.running_lanes = None;
        if !self.is_shared(step) && keeps_lanes(&end) && end != StepEnd::Cancelled {
            // Its branches have ended by themselves, and the stage has not.
            self.emit(now, EventKind::StepFinished { step, end: end.clone() });
        }
        if self.state.lanes_of(step).is_some() {
            if is_final {
                self.warn_of_uncommitted_work(now);
            }
            self.emit(now, EventKind::LanesClosed { step });
            if is_final {
                self.effects.push(Effect::Lanes(LanesEffect::CloseLanes));
            }
        }
        match self.is_shared(step) {
            true => self.finish_step(now, step, end),
            false => self.advance(now),
        }
    }

    /// Names what agents leave in their lanes without a commit: it does not land.
    fn warn_of_uncommitted_work(&mut self, now: Now) {
        let Some(lanes) = self.state.lanes.as_deref() else { return };
        let leaves = |lane: &LaneState| -> Option<String> {
            let step = &lane.progress.steps[lane.current_step()? - 1];
            let (unit, report) = (step.after?, step.last_report()?);
            let paths =
                report.observation.uncommitted.as_ref().filter(|paths| !paths.is_empty())?;
            Some(format!(
                "lane {} leaves uncommitted files, which do not land: {}; iteration {} made them last",
                lane.number,
                paths.listed.join(", "),
                unit.iteration
            ))
        };
        for message in lanes.lanes.iter().filter_map(leaves).collect::<Vec<_>>() {
            self.emit(now, EventKind::Warning { message });
        }
    }

    /// Whether lanes share the iterations of a step.
    pub(in crate::machine) fn is_shared(&self, step: usize) -> bool {
        matches!(self.state.plan.laned_stage_of(step), Some(LanedStage::Step(_)))
    }
}

/// Whether a stage that ends like this is continued in its lanes by a resume.
const fn keeps_lanes(end: &StepEnd) -> bool {
    matches!(
        end,
        StepEnd::Cancelled | StepEnd::NotLanded(_) | StepEnd::NoLane(_) | StepEnd::CannotCheck(_)
    )
}

impl Machine {
    /// Parks work and removes lanes of a stage that is over. An earlier process may have been killed
    /// before it had done so.
    pub(in crate::machine) fn close_lanes_again(&mut self) {
        let Some(lanes) = self.state.lanes.as_deref().filter(|lanes| lanes.is_closed) else {
            return;
        };
        let parked = lanes.lanes.iter().filter_map(|lane| {
            let (unit, number, commit) = lane.parked.clone()?;
            Some(LanesEffect::ParkWork { lane: lane.number, unit, number, commit })
        });
        let effects: Vec<LanesEffect> = parked.chain([LanesEffect::CloseLanes]).collect();
        self.effects.extend(effects.into_iter().map(Effect::Lanes));
    }

    /// The agents in lanes that were running when an earlier process of this run was killed.
    pub(in crate::machine) fn cut_off_in_lanes(
        &self,
    ) -> Vec<(LaneNumber, UnitId, Option<Spend>, Duration)> {
        let lanes = self.state.lanes.as_deref().filter(|lanes| !lanes.is_closed);
        let cut_off = lanes.into_iter().flat_map(|lanes| &lanes.lanes).filter_map(|lane| {
            let unit = lane.progress.steps.iter().find_map(|step| step.running)?;
            let step = &lane.progress.steps[unit.step - 1];
            let spends = self.plan(unit.step).agent.kind.reports_spend();
            Some((lane.number, unit, step.interrupted_spend(spends), step.started))
        });
        cut_off.collect()
    }

    /// Emits their interrupted iterations for readers of the events; the state has counted them.
    pub(in crate::machine) fn report_cut_off_in_lanes(
        &mut self,
        now: Now,
        cut_off: Vec<(LaneNumber, UnitId, Option<Spend>, Duration)>,
    ) {
        for (lane, unit, spend, started) in cut_off {
            let duration = self.clock.elapsed(now).saturating_sub(started);
            let report = IterationReport::cut_off(duration, spend);
            self.emit_in_lane(now, lane, EventKind::IterationFinished { unit, report });
        }
    }

    /// Lets lanes decide again that rest because of a limit.
    pub(in crate::machine) fn wake_for_changed_limits(&mut self, now: Now) {
        if !self.is_ending() {
            self.wake_lanes(now);
        }
    }
}
