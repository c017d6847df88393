//! The machine of one lane: when it rests, and what it does before and after each iteration.

use super::lanes_effect::LanesEffect;
use super::machine_role::MachineRole;
use crate::config::CheckWhen;
use crate::event::{
    ClaimRefusal, EventKind, IterationReport, RunEnd, StepEnd, StopReason, Verdict,
};
use crate::id::{CommitId, UnitId};
use crate::machine::agent::inspection::InspectionPurpose;
use crate::machine::effect::Effect;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::run_clock::Now;
use crate::machine::state::flow_position::FlowPosition;
use crate::machine::state_machine::Machine;
use crate::plan::PlanCheck;

/// Why a lane rests.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::machine) enum LaneRest {
    /// The step that it shares with other lanes would end like this if the lane were alone.
    StepEnd(StepEnd),
    /// Its branch is over.
    BranchEnd(RunEnd),
    /// It may begin no further iteration.
    Held,
    /// Its set-up failed.
    Unusable(String),
}

impl Machine {
    /// Begins or continues what runs in the lane.
    pub(in crate::machine) fn begin_lane(&mut self, now: Now, step: usize, is_new: bool) {
        let is_recorded = self.role.lane().is_some_and(|lane| lane.is_recorded);
        if (is_new || !is_recorded) && self.begin_lane_setup(now, step) {
            return;
        }
        self.lane_is_set_up(now, step);
    }

    /// Records that the lane can be used, and begins what runs in it.
    pub(in crate::machine) fn lane_is_set_up(&mut self, now: Now, step: usize) {
        if let Some(lane) = self.role.lane_mut()
            && !std::mem::replace(&mut lane.is_recorded, true)
        {
            let path = lane.path.clone();
            self.emit(now, EventKind::LaneOpened { step, path });
        }
        self.advance(now);
    }

    /// Starts the set-up command of a new lane; false if it has none.
    fn begin_lane_setup(&mut self, now: Now, step: usize) -> bool {
        // The plan of a lane has only its branch, so that the step alone is asked.
        let settings = self.plan(step).lane_settings.as_ref().map(|settings| &settings.value);
        let has_setup = settings.is_some_and(|settings| settings.setup.is_some());
        if has_setup {
            let unit = UnitId::before_first(step);
            self.run_checks_for(now, unit, InspectionPurpose::LaneSetup, Vec::new());
        }
        has_setup
    }

    /// The last iteration, if its work has yet to land. What an agent left that crashed or was ended
    /// lands with the work of the next iteration, or when the lane rests for good.
    fn landing_due(&self, step: usize, is_last: bool) -> Option<UnitId> {
        let lane = self.role.lane()?;
        let unit = self.state.steps[step - 1].after?;
        if self.is_attempt(step) {
            return None;
        }
        if lane.settled == Some(unit) || self.cancelled.is_some() || self.is_skipped(step) {
            return None;
        }
        let is_queued = lane.queued == Some(unit);
        let last = self.state.steps[step - 1].last_report();
        last.is_some_and(|report| is_queued || may_land(report, is_last)).then_some(unit)
    }

    /// Lets the lane wait for its landing, if its last iteration made work.
    pub(in crate::machine) fn await_landing(&mut self, step: usize, is_last: bool) -> bool {
        let Some(unit) = self.landing_due(step, is_last) else { return false };
        self.phase = MachinePhase::AwaitingLanding { unit };
        true
    }

    /// Lets the lane go on after its landing was decided.
    pub(in crate::machine) fn landing_settled(&mut self, now: Now, unit: UnitId) {
        if let Some(lane) = self.role.lane_mut() {
            lane.settled = Some(unit);
        }
        if self.phase != (MachinePhase::AwaitingLanding { unit }) {
            return;
        }
        let rest = self.role.lane_mut().and_then(|lane| lane.after_landing.take());
        let is_open = matches!(self.state.position(), FlowPosition::AtStep { .. });
        match rest {
            Some(rest @ LaneRest::BranchEnd(_)) if !is_open => {
                self.phase = MachinePhase::Resting(rest);
            }
            Some(rest @ LaneRest::StepEnd(_)) if rest.is_final() => {
                self.phase = MachinePhase::Resting(rest);
            }
            _ => self.advance_or_continue(now, unit.step),
        }
    }

    /// Continues an open step, or what follows an ended one.
    pub(in crate::machine) fn advance_or_continue(&mut self, now: Now, step: usize) {
        match self.state.steps[step - 1].end() {
            Some(_) => self.advance(now),
            None => self.continue_step(now, step),
        }
    }

    /// Lets the lane begin no further iteration. A wait ends.
    pub(in crate::machine) fn hold(&mut self, now: Now) {
        let Some(lane) = self.role.lane_mut() else { return };
        if !std::mem::replace(&mut lane.is_held, true) {
            self.abort_wait(now);
        }
    }

    /// Lets the lane begin no further iteration, unless its next one is to repair refused work.
    pub(in crate::machine) fn hold_unless(&mut self, now: Now, repairs: bool) {
        let has_refused = self.role.lane().is_some_and(|lane| lane.has_refused_work);
        if !(repairs && has_refused) {
            self.hold(now);
            return;
        }
        if let Some(lane) = self.role.lane_mut() {
            lane.is_held = false;
        }
        if self.phase == MachinePhase::Resting(LaneRest::Held) {
            self.phase = MachinePhase::New;
            self.advance(now);
        }
    }

    /// Lets a resting lane decide again.
    pub(in crate::machine) fn wake(&mut self, now: Now) {
        if let Some(lane) = self.role.lane_mut() {
            lane.is_held = false;
        }
        if matches!(&self.phase, MachinePhase::Resting(rest) if !rest.is_final()) {
            self.phase = MachinePhase::New;
            self.advance(now);
        }
    }

    /// The attempt of a step that begins.
    pub(in crate::machine) fn take_reserved_unit(&mut self, step: usize) -> Option<UnitId> {
        let unit = self.reserve_unit(step)?;
        if let Some(lane) = self.role.lane_mut() {
            lane.reserved = None;
        }
        Some(unit)
    }

    /// Prepares the lane for its next iteration; false if it can begin at once.
    pub(in crate::machine) fn prepare_iteration(&mut self, step: usize) -> bool {
        let MachineRole::Lane(lane) = &self.role else { return false };
        if lane.is_held {
            self.rest(step, LaneRest::Held);
            return true;
        }
        if lane.advanced_to.as_ref() == Some(&lane.integration) {
            return false;
        }
        let (lane, to, drops) = (lane.number, lane.integration.clone(), lane.drops_work);
        self.phase = MachinePhase::Advancing { step };
        self.effects.push(Effect::Lanes(LanesEffect::AdvanceLane { lane, to, drops }));
        true
    }

    /// Begins the iteration for which the lane was prepared.
    pub(in crate::machine) fn lane_advanced(&mut self, now: Now, to: CommitId) {
        if let Some(lane) = self.role.lane_mut() {
            lane.advanced_to = Some(to);
            lane.drops_work = false;
        }
        if let MachinePhase::Advancing { step } = self.phase {
            self.start_iteration(now, step);
        }
    }

    /// Gives the work of the lane up, which is parked.
    pub(in crate::machine) fn drop_work(&mut self) {
        if let Some(lane) = self.role.lane_mut() {
            lane.drops_work = true;
            lane.advanced_to = None;
        }
    }

    /// Lets the lane be given the integration ref before its next iteration, whatever it has. Effects for
    /// lanes are performed one after the other, so that earlier ones have been performed by then.
    pub(in crate::machine) fn advance_again(&mut self) {
        if let Some(lane) = self.role.lane_mut() {
            lane.advanced_to = None;
        }
    }

    /// Lets the lane rest, once its last work has landed.
    pub(in crate::machine) fn rest(&mut self, step: usize, rest: LaneRest) {
        let Some(lane) = self.role.lane_mut() else { return };
        lane.reserved = None;
        lane.after_landing = Some(rest.clone());
        if !self.await_landing(step, true) {
            self.phase = MachinePhase::Resting(rest);
        }
    }

    /// Whether the lane begins no further iteration.
    pub(in crate::machine) fn is_held(&self) -> bool {
        self.role.lane().is_some_and(|lane| lane.is_held)
    }

    /// The next attempt of a step, whose iteration number no other lane takes; none if the numbers are
    /// used up.
    pub(in crate::machine) fn reserve_unit(&mut self, step: usize) -> Option<UnitId> {
        let state = &self.state.steps[step - 1];
        let Some(lane) = self.role.lane_mut().filter(|lane| lane.shared_step == Some(step)) else {
            return Some(state.next_unit(step));
        };
        let unit = state.next_unit_besides(step, &lane.reserved_elsewhere);
        let before = state.shared_numbers.as_ref().map_or(0, |numbers| numbers.taken_before);
        let is_limit_own =
            state.shared_numbers.as_ref().is_some_and(|numbers| numbers.is_limit_own);
        let limit = self.state.plan.steps[step - 1].iterations.filter(|_| !is_limit_own);
        let is_left = limit.is_none_or(|limit| unit.iteration <= before + limit.get());
        lane.reserved = is_left.then_some(unit.iteration);
        is_left.then_some(unit)
    }

    /// Whether a check runs in the lane itself. Landing checks run on merged work, and those of a
    /// shared step on the work of all its lanes.
    pub(in crate::machine) fn runs_here(&self, step: usize, check: &PlanCheck) -> bool {
        match check.when {
            _ if self.is_attempt(step) => true,
            CheckWhen::Always => true,
            CheckWhen::Landing => self.role.lane().is_none(),
            CheckWhen::Completion => !self.role.shares(step),
        }
    }

    /// Whether the lane does all the work of a step, as one of several attempts.
    pub(super) fn is_attempt(&self, step: usize) -> bool {
        self.role.shares(step) && self.plan(step).best.is_some()
    }

    /// Ends the agent of an attempt, since another one is complete.
    pub(super) fn end_attempt(&mut self, now: Now) {
        if matches!(self.phase, MachinePhase::AgentRunning(_)) {
            self.end_agent(now, StopReason::NotPicked);
        }
    }

    /// Why the lane rests.
    pub(in crate::machine) const fn resting(&self) -> Option<&LaneRest> {
        match &self.phase {
            MachinePhase::Resting(rest) => Some(rest),
            _ => None,
        }
    }
}

impl LaneRest {
    /// Whether no progress of other lanes changes it.
    pub(in crate::machine) const fn is_final(&self) -> bool {
        match self {
            Self::BranchEnd(_) | Self::Unusable(_) => true,
            Self::Held => false,
            Self::StepEnd(end) => !matches!(
                end,
                StepEnd::Complete(_)
                    | StepEnd::MaxIterations
                    | StepEnd::Stagnated(_)
                    | StepEnd::Cycling(_)
                    | StepEnd::TasksBlocked(_)
                    | StepEnd::NoTasks
            ),
        }
    }

    /// The end of a shared step that no other lane can avert.
    pub(in crate::machine) const fn fatal_end(&self) -> Option<&StepEnd> {
        match self {
            Self::StepEnd(end) if self.is_final() => Some(end),
            _ => None,
        }
    }
}

/// Whether the work of an iteration may land.
fn may_land(report: &IterationReport, is_last: bool) -> bool {
    match report.verdict {
        Verdict::Refused(ClaimRefusal::ProtectedFiles) => false,
        Verdict::Complete(_) | Verdict::Incomplete | Verdict::Refused(_) => true,
        Verdict::Crashed | Verdict::AgentStopped(_) | Verdict::Blocked => is_last,
        Verdict::Postponed | Verdict::Interrupted => false,
    }
}
