//! What follows when lanes rest: further iterations, the end of the stage, or a completion claim that
//! is checked on the landed work of all lanes.

use super::landing_checks::{CheckAddress, CheckPurpose, CheckedCommit};
use super::lane_machine::LaneRest;
use super::lanes_effect::LanesEffect;
use super::running_lanes::RunningLanes;
use crate::event::{CheckReport, CompletionSignal, RunEnd, StepEnd, Verdict};
use crate::id::{CommitId, LaneNumber, UnitId};
use crate::machine::effect::Effect;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::run_clock::Now;
use crate::machine::state_machine::Machine;
use crate::policy::QueuePhase;

/// More passes than lanes need to rest after they were woken.
const MAX_PASSES: usize = 4;

impl Machine {
    /// Does what is due for the lanes of the stage after any input.
    pub(in crate::machine) fn settle_lanes(&mut self, now: Now) {
        // Lanes that are woken may rest again at once.
        for _ in 0..MAX_PASSES {
            if !matches!(self.phase, MachinePhase::InLanes { .. }) || self.is_paused_by_operator() {
                return;
            }
            let had = self.effects.len();
            while self.take_results_of_checker(now) {}
            self.enforce_cost_in_lanes(now);
            self.drop_unusable_lanes(now);
            if self.is_ending() {
                // A claim may be older than a resume. An iteration that was cut off is finished first, and
                // refused work is repaired.
                let is_claim = !self.is_stopping();
                let repairs = is_claim && !self.has_failed_lane();
                self.with_each(|machine| {
                    if !(is_claim && machine.has_interrupted_iteration()) {
                        machine.hold_unless(now, repairs);
                    }
                });
            }
            if self.is_first_complete() {
                self.with_each(|machine| machine.end_attempt(now));
            }
            self.fetch_finished_work();
            let MachinePhase::InLanes { step } = self.phase else { return };
            let running = self.running_lanes.as_deref();
            if !running.is_some_and(RunningLanes::are_at_rest) {
                return;
            }
            self.all_at_rest(now, step);
            if self.effects.len() > had {
                return;
            }
        }
    }

    /// Ends the agents of all lanes if what one of them spent reaches a limit.
    fn enforce_cost_in_lanes(&mut self, now: Now) {
        let running = self.running_lanes.as_deref_mut();
        if running.is_some_and(|running| std::mem::take(&mut running.has_spent)) {
            self.with_each(|machine| machine.enforce_cost(now));
        }
    }

    /// Gives up lanes whose set-up failed.
    fn drop_unusable_lanes(&mut self, now: Now) {
        let Some(running) = self.running_lanes.as_deref() else { return };
        let unusable = running.rests().into_iter().filter_map(|(lane, rest)| match rest {
            LaneRest::Unusable(why) => Some((lane, why)),
            _ => None,
        });
        for (lane, why) in unusable.collect::<Vec<_>>() {
            self.lane_not_opened(now, lane, why);
        }
    }

    /// Fetches the work of lanes whose step is skipped, so that it is parked; false if there is none.
    fn collect_skipped_work(&mut self) -> bool {
        let Some(running) = self.running_lanes.as_deref_mut() else { return false };
        let mut units = Vec::new();
        for lane in running.open_lanes() {
            let Some(machine) = running.machine(lane) else { continue };
            let Some(state) = self.state.lanes.as_deref().and_then(|lanes| lanes.lane(lane)) else {
                continue;
            };
            let settled = machine.role.lane().and_then(|role| role.settled);
            let skipped = state.progress.steps.iter().filter(|step| step.skip);
            let last = skipped.filter_map(|step| step.after).rfind(|unit| settled != Some(*unit));
            if let Some(unit) = last.filter(|_| running.collected.insert(lane)) {
                units.push((lane, unit));
            }
        }
        for (lane, unit) in &units {
            running.fetching.insert(*lane);
            let (lane, unit) = (*lane, *unit);
            self.effects.push(Effect::Lanes(LanesEffect::FetchWork { lane, unit }));
        }
        !units.is_empty()
    }

    /// Whether a lane ended in a way that ends the stage.
    fn has_failed_lane(&self) -> bool {
        let is_failed = |rest: &LaneRest| match rest {
            LaneRest::BranchEnd(end) => *end != RunEnd::Complete,
            _ => rest.fatal_end().is_some(),
        };
        let running = self.running_lanes.as_deref();
        running.is_some_and(|running| running.machines().filter_map(Self::resting).any(is_failed))
    }

    /// Whether no lane begins another iteration: the stage or the run is about to end, or an agent
    /// claims completion.
    pub(super) fn is_ending(&self) -> bool {
        let Some(running) = self.running_lanes.as_deref() else { return false };
        let is_best = self.best_of().is_some();
        let ends = |rest: &LaneRest| match rest {
            LaneRest::StepEnd(_) if is_best => false,
            LaneRest::BranchEnd(end) => *end != RunEnd::Complete,
            LaneRest::StepEnd(StepEnd::Complete(by)) => *by != CompletionSignal::Tasks,
            LaneRest::StepEnd(_) => rest.fatal_end().is_some(),
            LaneRest::Held | LaneRest::Unusable(_) => false,
        };
        self.is_stopping()
            || running.machines().filter_map(Self::resting).any(ends)
            || (!is_best && self.has_pending_claim())
    }

    /// Whether the stage or the run is about to end whatever the lanes do.
    fn is_stopping(&self) -> bool {
        let step = self.first_laned_step();
        self.cancelled.is_some()
            || self.should_stop()
            || self.running_lanes.as_deref().is_some_and(|running| running.end.is_some())
            || step.is_some_and(|step| self.is_shared(step) && self.is_skipped(step))
            || self.is_first_complete()
    }

    /// Whether the last iteration of the lane was cut off and is to be tried again.
    fn has_interrupted_iteration(&self) -> bool {
        self.state.steps.iter().any(|step| step.end().is_none() && step.retries_interrupted())
    }

    /// Whether an agent in a lane of a shared step claims completion. After a resume, that is known
    /// before its lane is opened.
    fn has_pending_claim(&self) -> bool {
        let lanes = self.state.lanes.iter().flat_map(|lanes| &lanes.lanes);
        let last =
            lanes.filter_map(|lane| lane.progress.steps[lane.shared_step? - 1].last.as_ref());
        last.into_iter().any(|report| matches!(report.verdict, Verdict::Complete(_)))
    }

    /// Fetches the work of lanes that wait for their landing.
    fn fetch_finished_work(&mut self) {
        let Some(running) = &mut self.running_lanes else { return };
        if running.end.is_some() {
            return;
        }
        let waiting = running.open_lanes().into_iter().filter_map(|lane| {
            match running.machine(lane)?.phase {
                MachinePhase::AwaitingLanding { unit } => Some((lane, unit)),
                _ => None,
            }
        });
        for (lane, unit) in waiting.collect::<Vec<_>>() {
            let queued =
                self.state.lanes.as_deref().and_then(|lanes| lanes.lane(lane)?.queued.as_ref());
            let is_queued = queued.is_some_and(|(of, _)| *of == unit);
            if !is_queued && running.fetching.insert(lane) {
                self.effects.push(Effect::Lanes(LanesEffect::FetchWork { lane, unit }));
            }
        }
    }

    /// Decides what follows when no lane runs anything.
    fn all_at_rest(&mut self, now: Now, step: usize) {
        let Some(running) = &self.running_lanes else { return };
        let rests: Vec<(LaneNumber, LaneRest)> = running.rests();
        let is_best = self.best_of().is_some();
        let fatal = rests.iter().find_map(|(_, rest)| rest.fatal_end()).cloned();
        let fatal = fatal.filter(|_| !is_best);
        let failure = running.failure().filter(|_| rests.is_empty()).map(str::to_owned);
        let (running_end, cannot_forward) = (running.end.clone(), running.cannot_forward);
        let is_skipped = self.is_shared(step) && self.is_skipped(step);
        if self.cancelled.is_some() {
            self.leave_lanes(now, step, StepEnd::Cancelled);
        } else if self.collect_skipped_work() {
            // It is parked once it is fetched.
        } else if is_skipped {
            self.leave_lanes(now, step, StepEnd::Skipped);
        } else if let Some(end) = running_end.or(fatal) {
            self.leave_lanes(now, step, end);
        } else if let Some(why) = failure {
            let end = StepEnd::NoLane(why);
            self.leave_lanes(now, step, end);
        } else if self.should_stop() {
            self.stop(now);
            self.leave_lanes(now, step, StepEnd::Cancelled);
        } else if !cannot_forward && self.lags_behind() {
            self.bring_forward();
        } else if is_best {
            self.decide_best(now, step, &rests);
        } else if self.is_shared(step) {
            self.decide_shared_step(now, step, &rests);
        } else {
            self.decide_branches(now, step, &rests);
        }
    }

    /// Whether the user's work tree lacks landed work.
    fn lags_behind(&self) -> bool {
        let lanes = self.state.lanes.as_deref();
        lanes.is_some_and(|lanes| lanes.forward != lanes.integration)
    }

    /// The end of a stage that has done what it could, if the user's work tree has all landed work.
    pub(super) fn unless_held(&self, end: StepEnd) -> StepEnd {
        let held = self.state.lanes.as_deref().and_then(|lanes| lanes.held.clone());
        let is_over = end.allows_next_step() || !LaneRest::StepEnd(end.clone()).is_final();
        match held.filter(|_| self.lags_behind() && is_over) {
            Some(why) => StepEnd::NotLanded(why),
            None => end,
        }
    }

    fn decide_shared_step(&mut self, now: Now, step: usize, rests: &[(LaneNumber, LaneRest)]) {
        let ends = || {
            rests.iter().filter_map(|(lane, rest)| match rest {
                LaneRest::StepEnd(end) => Some((*lane, end)),
                _ => None,
            })
        };
        let claim = ends().find_map(|(lane, end)| match end {
            StepEnd::Complete(by) if *by != CompletionSignal::Tasks => Some((lane, by.clone())),
            _ => None,
        });
        let polls = ends().any(|(_, end)| {
            matches!(end, StepEnd::TasksBlocked(_) | StepEnd::NoTasks | StepEnd::Complete(_))
        });
        let stagnated = ends().find_map(|(_, end)| match end {
            StepEnd::Stagnated(_) | StepEnd::Cycling(_) => Some(end.clone()),
            _ => None,
        });
        if let Some((lane, by)) = claim {
            self.check_claim(now, step, lane, by);
        } else if ends().count() < rests.len() {
            // A lane was held for a reason that holds no more.
            self.wake_lanes(now);
        } else if polls {
            self.poll_tasks(step, None);
        } else if let Some(end) = stagnated {
            self.leave_lanes(now, step, end);
        } else {
            self.end_exhausted_step(now, step);
        }
    }

    /// Checks a completion claim on the landed work of all lanes. Results of the landing of this very
    /// commit count.
    fn check_claim(&mut self, now: Now, step: usize, lane: LaneNumber, by: CompletionSignal) {
        let lanes = self.state.lanes.as_deref();
        let unit = lanes.and_then(|lanes| lanes.lane(lane)?.progress.steps[step - 1].after);
        let (Some(lanes), Some(unit)) = (lanes, unit) else { return };
        let commit = lanes.integration.clone();
        let todo = self.checks_of_claim(step, &commit);
        if todo.is_empty() {
            self.leave_lanes(now, step, StepEnd::Complete(by));
            return;
        }
        let purpose = CheckPurpose::Completion { lane, unit, by };
        let (units, results) = (Vec::<UnitId>::new(), Vec::new());
        self.check_commit(CheckedCommit { commit, units, purpose, todo, results });
    }

    /// The checks that decide about a claim on a commit, without landing checks that passed on it.
    fn checks_of_claim(&self, step: usize, commit: &CommitId) -> Vec<CheckAddress> {
        let landing = self.landing_checks();
        let lanes = self.state.lanes.as_deref();
        let results = lanes.and_then(|lanes| lanes.results_on(commit)).unwrap_or_default();
        let passed = |address: &CheckAddress| {
            let known = landing.iter().position(|known| known == address);
            known.and_then(|index| results.get(index)).is_some_and(CheckReport::passed)
        };
        let all = (1..=self.plan(step).checks.len()).map(|number| (step, number));
        all.filter(|address| !passed(address)).collect()
    }

    fn decide_branches(&mut self, now: Now, step: usize, rests: &[(LaneNumber, LaneRest)]) {
        let is_over = rests.iter().all(|(_, rest)| matches!(rest, LaneRest::BranchEnd(_)));
        let is_failed = rests
            .iter()
            .any(|(_, rest)| matches!(rest, LaneRest::BranchEnd(end) if *end != RunEnd::Complete));
        if !is_over && !is_failed {
            self.wake_lanes(now);
            return;
        }
        let failure = self.running_lanes.as_deref().and_then(RunningLanes::failure);
        if let Some(why) = failure.filter(|_| !is_failed).map(str::to_owned) {
            // No other lane can do the work of its branch.
            self.leave_lanes(now, step, StepEnd::NoLane(why));
            return;
        }
        self.leave_lanes(now, step, StepEnd::Complete(CompletionSignal::ExitCode));
    }
}

impl RunningLanes {
    /// Whether no lane runs anything and the merge queue has nothing to do.
    fn are_at_rest(&self) -> bool {
        let is_queue_idle =
            self.queue.as_ref().is_none_or(|queue| *queue.phase() == QueuePhase::Idle);
        !self.machines.is_empty()
            && !self.is_opening()
            && self.fetching.is_empty()
            && !self.is_forwarding
            && !self.is_checking()
            && (is_queue_idle || self.end.is_some())
            && self.machines().all(|machine| machine.is_resting(self.end.is_some()))
    }

    fn rests(&self) -> Vec<(LaneNumber, LaneRest)> {
        let open = self.open_lanes().into_iter();
        open.filter_map(|lane| Some((lane, self.machine(lane)?.resting()?.clone()))).collect()
    }
}

impl Machine {
    /// Whether the lane does nothing. If nothing can land, it waits in vain for its landing.
    fn is_resting(&self, cannot_land: bool) -> bool {
        match self.phase {
            MachinePhase::Resting(_) => true,
            MachinePhase::AwaitingLanding { .. } => cannot_land,
            _ => false,
        }
    }
}
