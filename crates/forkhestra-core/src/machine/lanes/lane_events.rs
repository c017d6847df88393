//! Folding the events of lanes into the state of a run.
//!
//! An event in a lane is folded into the progress of that lane. What counts for all lanes (spend,
//! iteration numbers, limits of accounts, messages) is folded into the run and the other lanes as
//! well.

use super::lanes_state::LanesState;
use crate::event::{
    Event, EventKind, IterationReport, LandingRefusal, LimitChanges, OperatorMessage, StepEnd,
};
use crate::id::{CommitId, LaneNumber, UnitId};
use crate::machine::state::run_state::{RunState, UnexpectedEvent};
use crate::machine::state::step_state::StepStatus;
use crate::plan::Flow;
use crate::policy::Feedback;
use crate::quota::{QuotaReading, UNREPORTED_QUOTA};
use crate::time::Timestamp;

const NO_LANE: UnexpectedEvent = UnexpectedEvent("the run has no such lane");

impl RunState {
    /// Folds an event in a lane into its progress, and shares what counts for all lanes.
    pub(in crate::machine) fn apply_in_lane(
        &mut self,
        number: LaneNumber,
        event: &Event,
    ) -> Result<(), UnexpectedEvent> {
        if self.end.is_some() {
            return Err(UnexpectedEvent("the run was over"));
        }
        let lane = self.lanes.as_mut().and_then(|lanes| lanes.lane_mut(number)).ok_or(NO_LANE)?;
        lane.progress.apply_to_run(event)?;
        self.note_event_of_lane(number, event);
        Ok(())
    }

    /// Shares an event that was folded into a lane with the run and the other lanes.
    pub(in crate::machine) fn note_event_of_lane(&mut self, number: LaneNumber, event: &Event) {
        self.advance_time(event.elapsed);
        self.note_in_lane_state(number, event);
        self.note_from_lane(number, event);
        if let EventKind::IterationFinished { unit, report } = &event.kind {
            self.note_finished_in_lanes(unit.step, report);
        }
        if let EventKind::IterationStarted { unit, .. } = &event.kind {
            self.set_last_unit(*unit);
        }
        let Some(lanes) = &mut self.lanes else { return };
        for other in lanes.lanes.iter_mut().filter(|lane| lane.number != number) {
            other.progress.advance_time(event.elapsed);
            other.progress.note_from_lane(number, event);
        }
    }

    /// Folds what an event in another lane means for this state: that of the run or of a lane.
    fn note_from_lane(&mut self, lane: LaneNumber, event: &Event) {
        let Some(scope) = event.scope.step() else {
            if let EventKind::Warning { message } = &event.kind {
                self.warned_of_quota |= message.starts_with(UNREPORTED_QUOTA);
            }
            return;
        };
        let Some(step) = scope.checked_sub(1).and_then(|index| self.steps.get_mut(index)) else {
            return;
        };
        match &event.kind {
            EventKind::IterationStarted { unit, .. } => {
                step.other_lanes.begin(lane, *unit, event.elapsed);
                if let Some(numbers) = &mut step.shared_numbers {
                    numbers.take(unit.iteration);
                }
            }
            EventKind::Spent { unit, spend } => {
                step.other_lanes.note_spend(lane, *unit, Some(*spend));
            }
            EventKind::StepStarted { observation, .. } => self.count_snapshot(observation),
            EventKind::AgentFinished { unit, report } => {
                step.other_lanes.note_spend(lane, *unit, report.spend);
                self.count_snapshot(&report.observation);
            }
            EventKind::IterationFinished { unit, report } => {
                let started = step.other_lanes.started(lane, *unit);
                step.other_lanes.finish(lane, *unit, report);
                self.count_snapshot(&report.observation);
                self.update_usage_limits(unit.step, report, (event.at, event.elapsed), started);
            }
            EventKind::Quota { backend, window, used, resets, .. } => {
                let (window, used, resets) = (*window, *used, *resets);
                self.quotas.note(*backend, QuotaReading { window, used, resets });
            }
            EventKind::MessagesGiven { messages, .. } => {
                self.messages.retain(|message| !messages.contains(&message.number));
            }
            _ => {}
        }
    }

    /// Notes in the run how many iterations of a step have finished in all lanes that share it.
    fn note_finished_in_lanes(&mut self, step: usize, report: &IterationReport) {
        let lanes = self.lanes.iter().flat_map(|lanes| &lanes.lanes);
        let sharing = lanes.filter(|lane| lane.shared_step == Some(step));
        let finished: Vec<u32> =
            sharing.map(|lane| lane.progress.steps[step - 1].finished).collect();
        if !finished.is_empty() {
            self.steps[step - 1].note_finished_in_lane(report, finished.iter().sum());
        }
    }

    /// Folds an event about the landing of a lane's work.
    fn note_in_lane_state(&mut self, number: LaneNumber, event: &Event) {
        let Some(lanes) = &mut self.lanes else { return };
        match &event.kind {
            EventKind::LaneOpened { path, .. } => {
                lanes.lanes[number.index()].path = Some(path.clone());
            }
            EventKind::WorkQueued { unit, work } => {
                let lane = &mut lanes.lanes[number.index()];
                lane.queued = Some((*unit, work.clone()));
                lane.queued_at = Some(event.at);
                if !lanes.queue.contains(&number) {
                    lanes.queue.push(number);
                }
            }
            EventKind::LandingRefused { unit, refusal } => {
                let with = lanes.landed_names(refusal);
                let work = lanes.lanes[number.index()].queued.take();
                lanes.settle(number, *unit);
                let lane = &mut lanes.lanes[number.index()];
                lane.refused = work.map(|(unit, work)| (unit, work.commit));
                lane.refusals += 1;
                lane.progress.reject_last_claim(*unit);
                let feedback = Feedback::of_landing_refusal(refusal, &with);
                lane.progress.steps[unit.step - 1].feedback = feedback;
            }
            EventKind::WorkParked { unit, number: parked, commit } => {
                lanes.settle(number, *unit);
                lanes.last_parked = lanes.last_parked.max(*parked);
                let lane = &mut lanes.lanes[number.index()];
                (lane.refusals, lane.refused) = (0, None);
                lane.parked = Some((*unit, *parked, commit.clone()));
            }
            EventKind::IterationStarted { .. } => lanes.lanes[number.index()].parked = None,
            EventKind::ClaimRefused { unit, checks } => {
                let lane = &mut lanes.lanes[number.index()];
                lane.progress.reject_last_claim(*unit);
                let failed = checks.iter().filter(|check| !check.passed()).cloned().collect();
                lane.progress.steps[unit.step - 1].feedback = Feedback::of_refused_landing(failed);
            }
            _ => {}
        }
    }

    /// Folds an event of the run itself that concerns its lanes.
    pub(in crate::machine) fn share_with_lanes(&mut self, event: &Event) {
        let Some(lanes) = &mut self.lanes else { return };
        match &event.kind {
            EventKind::LandingChecked { commit, checks, .. } => lanes.note_results(commit, checks),
            EventKind::Landed { to, landed, number, .. } => {
                let units: Vec<UnitId> = landed.iter().map(|landed| landed.unit).collect();
                lanes.land(to, &units, *number);
            }
            EventKind::BroughtForward { commit, .. } => {
                lanes.forward = commit.clone();
                lanes.held = None;
            }
            EventKind::Held { why, .. } => lanes.held = Some(why.clone()),
            _ => {}
        }
        for lane in &mut lanes.lanes {
            let progress = &mut lane.progress;
            progress.advance_time(event.elapsed);
            match &event.kind {
                EventKind::ProgramsRecorded { programs } => {
                    progress.plan.programs = Some(programs.clone());
                }
                EventKind::SkipRequested { step, .. } => {
                    if let Some(step) = progress.steps.get_mut(step - 1) {
                        step.skip = true;
                    }
                }
                EventKind::MessageQueued { message }
                    if message.lane.is_none_or(|number| number == lane.number) =>
                {
                    progress.messages.push(message.clone());
                }
                EventKind::LimitsChanged { .. } => {
                    // Such an event never fails.
                    let _applied = progress.apply_to_run(event);
                }
                _ => {}
            }
        }
    }

    /// Begins the lanes of the stage that a step is in.
    pub(in crate::machine) fn begin_lanes(
        &mut self,
        step: usize,
        commit: &CommitId,
    ) -> Result<(), UnexpectedEvent> {
        let stage = self.plan.laned_stage_of(step);
        let stage = stage.ok_or(UnexpectedEvent("this step has no lanes"))?;
        let lanes = LanesState::begin(self, stage, commit);
        for lane in &lanes.lanes {
            let Some(step) = lane.shared_step else { continue };
            let numbers = lane.progress.steps[step - 1].shared_numbers.clone();
            self.steps[step - 1].shared_numbers = numbers;
        }
        // The lanes have it.
        self.pending_feedback = None;
        self.lanes = Some(Box::new(lanes));
        Ok(())
    }

    /// Whether the current stage has a lane.
    pub fn has_lane(&self, number: LaneNumber) -> bool {
        let lanes = self.lanes.as_deref().filter(|lanes| !lanes.is_closed);
        lanes.is_some_and(|lanes| lanes.lane(number).is_some())
    }

    /// The lanes of the stage that a step is in, if they have begun.
    pub(crate) fn lanes_of(&self, step: usize) -> Option<&LanesState> {
        self.lanes.as_deref().filter(|lanes| !lanes.is_closed && lanes.steps.contains(&step))
    }

    /// Lets the claim of the last iteration count no more. A step of a branch is open again.
    fn reject_last_claim(&mut self, unit: UnitId) {
        let step = &mut self.steps[unit.step - 1];
        if matches!(step.status, StepStatus::Ended(_)) {
            step.status = StepStatus::Open;
        }
        step.drop_last_verdict();
    }

    /// Opens the lanes again in which the run ended.
    fn reopen_lanes(&mut self) {
        let current = self.current_step().filter(|_| !self.is_between_rounds());
        let Some(lanes) = &mut self.lanes else { return };
        let is_current = current.is_some_and(|step| lanes.steps.contains(&step));
        if is_current && !lanes.is_outdated {
            lanes.is_closed = false;
        }
        if lanes.is_closed {
            return;
        }
        // The lanes themselves know how their branches ended.
        let branches = lanes.lanes.iter().filter(|lane| lane.shared_step.is_none());
        let scopes = branches.filter_map(|lane| lane.progress.scope.as_ref());
        for step in scopes.flat_map(Flow::steps) {
            self.steps[step - 1].status = StepStatus::Pending;
        }
        // As in a run without lanes, the reason for its end is dropped.
        for lane in &mut lanes.lanes {
            let Some(step) = lane.shared_step else { continue };
            let end = self.steps[step - 1].end().filter(|end| !matches!(end, StepEnd::Complete(_)));
            if let Some(end) = end.filter(|_| lane.progress.steps[step - 1].has_begun()) {
                lane.progress.steps[step - 1].status = StepStatus::Ended(end.clone());
            }
        }
    }

    /// Resumes each lane on its own.
    pub(in crate::machine) fn resume_lanes(&mut self, changes: &LimitChanges) {
        self.reopen_lanes();
        let Some(mut lanes) = self.lanes.take_if(|lanes| !lanes.is_closed) else { return };
        for index in 0..lanes.lanes.len() {
            let lane = &mut lanes.lanes[index];
            let number = lane.number;
            let cut_off = lane.progress.steps.iter().find_map(|step| step.running);
            let spend = cut_off.and_then(|unit| {
                let spends = lane.progress.plan.steps[unit.step - 1].agent.kind.reports_spend();
                lane.progress.steps[unit.step - 1].interrupted_spend(spends)
            });
            lane.progress.end = self.end.clone();
            lane.progress.resume(changes);
            lane.progress.end = None;
            let Some(unit) = cut_off else { continue };
            let others = lanes.lanes.iter_mut().filter(|other| other.number != number);
            let states = others.map(|other| &mut other.progress).chain([&mut *self]);
            for state in states {
                state.steps[unit.step - 1].other_lanes.cut_off(number, spend);
            }
        }
        let messages = lanes.collected_messages(&self.messages);
        self.messages.clone_from(&messages);
        for lane in &mut lanes.lanes {
            let is_for_it = |of: &LaneNumber| *of == lane.number;
            let own = messages.iter().filter(|message| message.lane.as_ref().is_none_or(is_for_it));
            lane.progress.messages = own.cloned().collect();
        }
        self.lanes = Some(lanes);
    }

    /// Closes the stage: takes the results of its branches into the run, and messages that no agent
    /// with an outcome has received.
    pub(in crate::machine) fn close_lanes(&mut self) {
        let Some(lanes) = &mut self.lanes else { return };
        lanes.is_closed = true;
        self.messages = lanes.collected_messages(&self.messages);
        for lane in lanes.lanes.iter().filter(|lane| lane.shared_step.is_none()) {
            let Some(flow) = &lane.progress.scope else { continue };
            for step in flow.steps() {
                let mut state = lane.progress.steps[step - 1].clone();
                // The stage itself may have ended like this.
                if self.steps[step - 1].end().is_some() {
                    state.status = self.steps[step - 1].status.clone();
                }
                self.steps[step - 1] = state;
            }
            for group in flow.groups() {
                self.groups[group.number - 1] = lane.progress.groups[group.number - 1].clone();
            }
        }
    }

    /// When the work of a lane began to wait for its landing.
    pub(super) fn queued_at(&self, lane: LaneNumber) -> Option<Timestamp> {
        self.lanes.as_deref()?.lane(lane)?.queued_at
    }
}

impl LanesState {
    /// Notes that the work of a lane does not wait any more.
    fn settle(&mut self, number: LaneNumber, unit: UnitId) {
        self.queue.retain(|waiting| *waiting != number);
        if let Some(lane) = self.lane_mut(number) {
            lane.queued = None;
            lane.settled = Some(unit);
        }
    }

    fn land(&mut self, commit: &CommitId, units: &[UnitId], number: u32) {
        for unit in units {
            let Some(lane) = self.lane_of_queued(*unit).map(|lane| lane.number) else { continue };
            self.settle(lane, *unit);
            if let Some(lane) = self.lane_mut(lane) {
                (lane.refusals, lane.refused) = (0, None);
            }
        }
        // Landed work is progress for all lanes.
        let steps = self.steps.clone();
        for lane in &mut self.lanes {
            for step in &steps {
                lane.progress.steps[step - 1].stagnation.reset();
            }
        }
        self.before_landing = Some(std::mem::replace(&mut self.integration, commit.clone()));
        self.last_landing = self.last_landing.max(number);
    }

    /// What changed the files of a conflict, in words.
    fn landed_names(&self, refusal: &LandingRefusal) -> Vec<String> {
        refusal.with.iter().map(|unit| format!("iteration {}", unit.iteration)).collect()
    }

    /// The messages that no agent with an outcome has received: those of the run, and those that an
    /// agent in a lane gave back.
    fn collected_messages(&self, of_run: &[OperatorMessage]) -> Vec<OperatorMessage> {
        let mut messages = of_run.to_vec();
        for message in self.lanes.iter().flat_map(|lane| lane.progress.undelivered()) {
            if !messages.iter().any(|known| known.number == message.number) {
                messages.push(message.clone());
            }
        }
        messages.sort_by_key(|message| message.number);
        messages
    }
}
