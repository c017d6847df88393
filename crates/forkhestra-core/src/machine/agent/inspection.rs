//! Inspection of an agent's work after it has exited: observation, clean room and checks.

use std::time::Duration;

use crate::event::{
    AuxJob, AuxJobResult, CheckOutcome, CheckReport, ClaimRefusal, EventKind, HookMoment,
    IterationReport, Observation, OutputSummary, StepEnd, StopReason, TaskChanges, Verdict,
};
use crate::hook::HookPoint;
use crate::id::UnitId;
use crate::limit::{HumanDuration, Limit};
use crate::machine::aux_job::aux_job_inputs::FinishedAuxJob;
use crate::machine::aux_job::hooks::AfterHooks;
use crate::machine::aux_job::running_aux_job::RunningAuxJob;
use crate::machine::effect::Effect;
use crate::machine::flow::conditions::condition_outcome;
use crate::machine::lanes::lane_machine::LaneRest;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::run_clock::Now;
use crate::machine::state_machine::Machine;
use crate::policy::inspection;

/// The inspection of one iteration's work, or the calibration of checks before the first one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Inspection {
    pub(crate) unit: UnitId,
    pub(super) purpose: InspectionPurpose,
    /// The report of the iteration if every check passes; without content in a calibration.
    pub(super) report: IterationReport,
    pub(super) objection: Option<ClaimRefusal>,
    /// Checks still to run, as one-based numbers in the step. The next one is last.
    pub(super) todo: Vec<usize>,
    pub(super) results: Vec<CheckReport>,
    pub(super) stage: InspectionStage,
    /// Whether a clean room exists or is being prepared.
    pub(super) has_room: bool,
}

/// What the checks of an inspection decide.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum InspectionPurpose {
    /// Whether the work of an iteration is accepted.
    Iteration,
    /// Whether checks fail before the first iteration, as they should.
    Calibration,
    /// Whether the round of a group is accepted, whose last step is complete by this end.
    Round { group: usize, end: StepEnd },
    /// Whether a step is needed.
    Condition,
    /// Whether merged work lands, or completes a step with lanes.
    MergedWork,
    /// Whether a new lane can be used: its set-up runs.
    LaneSetup,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum InspectionStage {
    /// Waiting for the observation of the work.
    Observing,
    /// Preparing a clean room, with a deadline.
    Preparing {
        until: Option<Duration>,
    },
    /// Running a check or the set-up command of the clean room.
    Running(RunningAuxJob),
    Idle,
}

impl Inspection {
    pub(crate) const fn aux_job(&self) -> Option<&RunningAuxJob> {
        match &self.stage {
            InspectionStage::Running(job) => Some(job),
            InspectionStage::Observing
            | InspectionStage::Preparing { .. }
            | InspectionStage::Idle => None,
        }
    }

    pub(crate) const fn aux_job_mut(&mut self) -> Option<&mut RunningAuxJob> {
        match &mut self.stage {
            InspectionStage::Running(job) => Some(job),
            InspectionStage::Observing
            | InspectionStage::Preparing { .. }
            | InspectionStage::Idle => None,
        }
    }

    /// The step (one-based) whose condition is being checked.
    pub(crate) fn condition_of(&self) -> Option<usize> {
        (self.purpose == InspectionPurpose::Condition).then_some(self.unit.step)
    }

    pub(crate) fn is_observing(&self) -> bool {
        self.stage == InspectionStage::Observing
    }

    pub(crate) fn deadline(&self) -> Option<Duration> {
        match &self.stage {
            InspectionStage::Preparing { until } => *until,
            InspectionStage::Running(job) => job.deadline(),
            InspectionStage::Observing | InspectionStage::Idle => None,
        }
    }
}

impl Machine {
    /// Starts the inspection of a finished agent's work, if there is anything to observe or check.
    /// Its report is recorded first, so that the agent is never paid for twice.
    pub(crate) fn agent_is_gone(
        &mut self,
        now: Now,
        unit: UnitId,
        report: IterationReport,
        needs_observation: bool,
    ) {
        // A run that ends at once does not wait for the observation. A run that was cancelled while the agent
        // worked does: what the agent made is reported and kept.
        if needs_observation && !self.ends_at_once {
            self.emit(now, EventKind::AgentFinished { unit, report: report.clone() });
            self.set_inspection(unit, report, InspectionStage::Observing);
            self.effects.push(Effect::ObserveWork { unit });
            return;
        }
        let lacks_observation = self.lacks_observation(unit.step, &report);
        // Without an observation, the claim is judged after the next one.
        let report = if lacks_observation {
            report
        } else {
            self.refuse_without_work(now, unit.step, report)
        };
        let (objection, todo) = self.checks_to_run(unit.step, &report);
        if todo.is_empty() && !lacks_observation {
            self.conclude(now, (unit, report), objection, Vec::new());
            return;
        }
        self.emit(now, EventKind::AgentFinished { unit, report: report.clone() });
        self.begin_inspection(now, unit, report, lacks_observation);
    }

    /// Whether a completion claim would be accepted although the observation that may refute it is
    /// missing: a cancellation did not wait for it, or the agent was abandoned.
    fn lacks_observation(&self, step: usize, report: &IterationReport) -> bool {
        let is_complete = matches!(report.verdict, Verdict::Complete(_));
        is_complete && inspection::is_unobserved(self.plan(step), &report.observation)
    }

    /// The immediate objection to an iteration, and the checks to run, the first one last.
    fn checks_to_run(
        &self,
        step: usize,
        report: &IterationReport,
    ) -> (Option<ClaimRefusal>, Vec<usize>) {
        let plan = self.plan(step);
        let objection = inspection::objection(plan, &report.observation);
        // A skipped step ends in any case; its checks are not needed.
        let is_wanted = report.has_outcome() && !self.is_skipped(step);
        let due = (1..).zip(&plan.checks).filter(|(_, check)| {
            is_wanted
                && self.runs_here(step, &check.value)
                && inspection::is_due(&check.value, &report.verdict, objection)
        });
        let mut todo: Vec<usize> = due.map(|(number, _)| number).collect();
        todo.reverse();
        (objection, todo)
    }

    /// Inspects the work of a step's last agent that was left unchecked when the run was cut off or
    /// ended. It is observed again in any case, since the last observation may be missing or old.
    pub(crate) fn inspect(&mut self, now: Now, step: usize) {
        let Some((unit, report)) = self.state.steps[step - 1].unchecked.as_deref().cloned() else {
            return;
        };
        self.begin_inspection(now, unit, report, true);
    }

    fn begin_inspection(&mut self, now: Now, unit: UnitId, report: IterationReport, looks: bool) {
        let stage = if looks { InspectionStage::Observing } else { InspectionStage::Idle };
        self.set_inspection(unit, report, stage);
        if self.cancelled.is_some() {
            self.defer_checks(now, StepEnd::Cancelled);
        } else if looks {
            self.effects.push(Effect::ObserveWork { unit });
        } else {
            self.begin_checks(now);
        }
    }

    fn set_inspection(&mut self, unit: UnitId, report: IterationReport, stage: InspectionStage) {
        self.phase = MachinePhase::Inspecting(Box::new(Inspection {
            unit,
            purpose: InspectionPurpose::Iteration,
            report,
            objection: None,
            todo: Vec::new(),
            results: Vec::new(),
            stage,
            has_room: false,
        }));
    }

    /// Records an agent's changes to the task database while the machine waits for the observation
    /// of its work or for the survey. A resume may repeat the observation; the changes are recorded
    /// once.
    pub(crate) fn tasks_changed(&mut self, now: Now, unit: UnitId, changes: TaskChanges) {
        let is_awaited = match &self.phase {
            MachinePhase::Inspecting(inspection) => {
                inspection.unit == unit && inspection.is_observing()
            }
            MachinePhase::Surveying { step, .. } => {
                *step == unit.step && self.state.last_unit() == Some(unit)
            }
            _ => false,
        };
        if is_awaited && self.state.steps[unit.step - 1].tasks_recorded != Some(unit) {
            self.emit(now, EventKind::TasksChanged { unit, changes });
        }
    }

    /// Takes the observation of an agent's work.
    pub(crate) fn work_observed(&mut self, now: Now, of: UnitId, observation: Observation) {
        let MachinePhase::Inspecting(inspection) = &mut self.phase else { return };
        if inspection.unit != of || !inspection.is_observing() {
            return;
        }
        inspection.stage = InspectionStage::Idle;
        let mut report = inspection.report.clone();
        report.observation = merge_observations(report.observation, observation);
        let report = self.refuse_without_work(now, of.step, report);
        if let MachinePhase::Inspecting(inspection) = &mut self.phase {
            inspection.report = report;
        }
        self.begin_checks(now);
    }

    /// Stops waiting for the observation because the run was cancelled. The known facts decide,
    /// unless the claim needs an observation or a check: then the inspection is deferred.
    pub(crate) fn stop_observing(&mut self, now: Now) {
        let MachinePhase::Inspecting(inspection) = &mut self.phase else { return };
        inspection.stage = InspectionStage::Idle;
        let (unit, report) = (inspection.unit, inspection.report.clone());
        let (objection, todo) = self.checks_to_run(unit.step, &report);
        if !todo.is_empty() || self.lacks_observation(unit.step, &report) {
            self.defer_checks(now, StepEnd::Cancelled);
            return;
        }
        let report = self.refuse_without_work(now, unit.step, report);
        self.conclude(now, (unit, report), objection, Vec::new());
    }

    /// Starts the checks that run before the first iteration of a step.
    pub(crate) fn begin_calibration(&mut self, now: Now, step: usize, checks: Vec<usize>) {
        let unit = UnitId::before_first(step);
        self.run_checks_for(now, unit, InspectionPurpose::Calibration, checks);
    }

    /// Runs checks, by their numbers in the step, that do not belong to the report of an iteration.
    pub(crate) fn run_checks_for(
        &mut self,
        now: Now,
        unit: UnitId,
        purpose: InspectionPurpose,
        mut checks: Vec<usize>,
    ) {
        checks.reverse();
        let report = IterationReport {
            verdict: Verdict::Incomplete,
            end: None,
            duration: Duration::ZERO,
            observation: Observation::default(),
            output: OutputSummary::default(),
            stream_summary: None,
            spend: None,
            closing_text: None,
            checks: Vec::new(),
        };
        self.set_inspection(unit, report, InspectionStage::Idle);
        if let MachinePhase::Inspecting(inspection) = &mut self.phase {
            inspection.purpose = purpose;
        }
        self.run_checks(now, None, checks);
    }

    fn begin_checks(&mut self, now: Now) {
        let MachinePhase::Inspecting(inspection) = &self.phase else { return };
        let (objection, todo) = self.checks_to_run(inspection.unit.step, &inspection.report);
        self.run_checks(now, objection, todo);
    }

    /// Runs checks, the first one last, after the preparation of their clean room.
    fn run_checks(&mut self, now: Now, objection: Option<ClaimRefusal>, todo: Vec<usize>) {
        let MachinePhase::Inspecting(inspection) = &self.phase else { return };
        let unit = inspection.unit;
        let purpose = inspection.purpose.clone();
        let has_own_place = matches!(
            purpose,
            InspectionPurpose::Condition
                | InspectionPurpose::MergedWork
                | InspectionPurpose::LaneSetup
        );
        let room = self.plan(unit.step).clean_room.as_ref().map(|room| room.value.timeout);
        let room = room.filter(|_| !todo.is_empty() && !has_own_place);
        let setup = self.lane_setup_timeout(unit.step, &purpose);
        if let Some(end) = self.out_of_time(now, unit.step).filter(|_| !todo.is_empty()) {
            self.defer_checks(now, end);
            return;
        }
        let elapsed = self.clock.elapsed(now);
        let MachinePhase::Inspecting(inspection) = &mut self.phase else { return };
        (inspection.objection, inspection.todo) = (objection, todo);
        if let Some(timeout) = setup {
            self.begin_aux_job(now, AuxJob::Setup { unit }, timeout);
            return;
        }
        match room {
            Some(timeout) => {
                // The deadline includes the engine's own preparation of the clean room.
                let until = match timeout {
                    Limit::At(limit) => Some(elapsed.saturating_add(limit.duration())),
                    Limit::Off => None,
                };
                inspection.stage = InspectionStage::Preparing { until };
                inspection.has_room = true;
                self.effects.push(Effect::PrepareCleanRoom { unit });
            }
            None => self.check_next(now),
        }
    }

    /// The timeout of the set-up command of a lane, or of the check-out of merged work, if it runs now.
    fn lane_setup_timeout(
        &self,
        step: usize,
        purpose: &InspectionPurpose,
    ) -> Option<Limit<HumanDuration>> {
        let has_setup =
            matches!(purpose, InspectionPurpose::MergedWork | InspectionPurpose::LaneSetup);
        let settings = self.plan(step).lane_settings.as_ref().filter(|_| has_setup)?;
        settings.value.setup.as_ref().map(|_| settings.value.timeout)
    }

    fn out_of_time(&mut self, now: Now, step: usize) -> Option<StepEnd> {
        self.refresh_time(now);
        self.state.used_up_time(step)
    }

    /// Enforces the deadline of the clean room while no process of the inspection runs.
    pub(crate) fn tick_inspection(&mut self, now: Now) {
        let MachinePhase::Inspecting(inspection) = &self.phase else { return };
        let is_late = inspection.deadline().is_some_and(|at| at <= self.clock.elapsed(now));
        let step = inspection.unit.step;
        if let Some(end) = self.out_of_time(now, step) {
            self.defer_checks(now, end);
        } else if is_late {
            self.end_step_without_room(now, "it took too long to make a clean room".to_owned());
        }
    }

    pub(super) fn begin_aux_job(
        &mut self,
        now: Now,
        aux_job: AuxJob,
        timeout: Limit<HumanDuration>,
    ) {
        let job = self.start_aux_job(now, aux_job, timeout);
        if let MachinePhase::Inspecting(inspection) = &mut self.phase {
            inspection.stage = InspectionStage::Running(job);
        }
    }

    pub(super) fn check_next(&mut self, now: Now) {
        let MachinePhase::Inspecting(inspection) = &self.phase else { return };
        let unit = inspection.unit;
        let next = inspection.todo.last().copied().filter(|_| !self.is_skipped(unit.step));
        let Some(number) = next else {
            self.all_checked(now);
            return;
        };
        let cancelled = self.cancelled.map(|_| StepEnd::Cancelled);
        if let Some(end) = cancelled.or_else(|| self.out_of_time(now, unit.step)) {
            self.defer_checks(now, end);
            return;
        }
        if let MachinePhase::Inspecting(inspection) = &mut self.phase {
            inspection.todo.pop();
        }
        let check = self.plan(unit.step).check(number);
        let timeout = check.expect("the numbers come from the plan").value.timeout;
        self.begin_aux_job(now, AuxJob::Check { unit, number }, timeout);
    }

    /// Takes the result of a check or of the clean room's set-up.
    pub(crate) fn check_finished(&mut self, now: Now, answer: AuxJobResult) {
        let MachinePhase::Inspecting(inspection) = &mut self.phase else { return };
        let unit = inspection.unit;
        let InspectionStage::Running(job) =
            std::mem::replace(&mut inspection.stage, InspectionStage::Idle)
        else {
            return;
        };
        let done = FinishedAuxJob { aux_job: job, answer };
        match done.aux_job.lifecycle.stop_reason {
            Some(StopReason::Cancelled) => self.defer_checks(now, StepEnd::Cancelled),
            Some(StopReason::StepTime) => self.defer_checks(now, StepEnd::StepTime),
            Some(StopReason::GroupTime) => self.defer_checks(now, StepEnd::GroupTime),
            Some(StopReason::RunTime) => self.defer_checks(now, StepEnd::RunTime),
            Some(StopReason::Skipped) => self.skip_checks(now),
            _ => self.take_result(now, unit, done),
        }
    }

    fn take_result(
        &mut self,
        now: Now,
        unit: UnitId,
        FinishedAuxJob { aux_job: job, answer }: FinishedAuxJob,
    ) {
        let lifecycle = &job.lifecycle;
        let (outcome, message) =
            inspection::outcome(&answer, lifecycle.end(), lifecycle.stop_reason);
        let is_condition = matches!(&self.phase, MachinePhase::Inspecting(inspection) if inspection.purpose == InspectionPurpose::Condition);
        let outcome =
            if is_condition { condition_outcome(outcome, lifecycle.end()) } else { outcome };
        let passed = outcome == CheckOutcome::Passed;
        let (name, is_setup) = match job.aux_job {
            AuxJob::Check { number, .. } => {
                let check = self.plan(unit.step).check(number);
                (check.expect("the numbers come from the plan").value.display_name(), false)
            }
            AuxJob::Setup { .. } | AuxJob::Hook { .. } => ("setup".to_owned(), true),
        };
        let report = CheckReport {
            name,
            outcome,
            message,
            tail: answer.tail.filter(|_| !passed),
            duration: self.clock.elapsed(now).saturating_sub(job.started),
        };
        if is_setup && !passed {
            self.room_is_unusable(now, report);
            return;
        }
        if !is_setup {
            self.note_result(now, unit, report);
        }
        self.check_next(now);
    }

    pub(super) fn note_result(&mut self, now: Now, unit: UnitId, report: CheckReport) {
        let MachinePhase::Inspecting(inspection) = &mut self.phase else { return };
        inspection.results.push(report.clone());
        if inspection.purpose == InspectionPurpose::Iteration {
            self.emit(now, EventKind::CheckFinished { unit, report });
        }
    }

    /// Ends the inspection with the checks run so far, because the step was skipped.
    pub(crate) fn skip_checks(&mut self, now: Now) {
        let MachinePhase::Inspecting(inspection) = &mut self.phase else { return };
        inspection.stage = InspectionStage::Idle;
        self.all_checked(now);
    }

    pub(super) fn all_checked(&mut self, now: Now) {
        let MachinePhase::Inspecting(inspection) = &mut self.phase else { return };
        let (unit, objection) = (inspection.unit, inspection.objection);
        let (report, results, purpose) = (
            inspection.report.clone(),
            std::mem::take(&mut inspection.results),
            inspection.purpose.clone(),
        );
        self.clear_room();
        let (step, is_skipped) = (unit.step, self.is_skipped(unit.step));
        match purpose {
            InspectionPurpose::Iteration => {
                self.conclude(now, (unit, report), objection, results);
            }
            InspectionPurpose::Calibration if is_skipped => self.continue_step(now, step),
            InspectionPurpose::Calibration => self.calibrated(now, step, results),
            InspectionPurpose::Round { .. } if is_skipped => {
                self.finish_step(now, step, StepEnd::Skipped);
            }
            InspectionPurpose::Round { group, end } => {
                self.emit(now, EventKind::RoundChecked { step, group, checks: results });
                self.finish_step(now, step, end);
            }
            InspectionPurpose::MergedWork => {
                self.phase = MachinePhase::Checked { results, end: None };
            }
            InspectionPurpose::LaneSetup => match results.into_iter().next() {
                Some(failed) => {
                    let why = failed.message.unwrap_or_else(|| failed.outcome.as_str().to_owned());
                    let rest = LaneRest::Unusable(format!("its set-up failed: {why}"));
                    self.phase = MachinePhase::Resting(rest);
                }
                None => self.lane_is_set_up(now, step),
            },
            InspectionPurpose::Condition if is_skipped => self.advance(now),
            InspectionPurpose::Condition => match results.into_iter().next() {
                Some(check) => self.condition_checked(now, step, check),
                None => self.advance(now),
            },
        }
    }

    /// Ends the step and leaves the checks for a resume: the agent's work exists and is paid for.
    pub(crate) fn defer_checks(&mut self, now: Now, end: StepEnd) {
        let MachinePhase::Inspecting(inspection) = &self.phase else { return };
        let step = inspection.unit.step;
        self.clear_room();
        self.finish_step(now, step, end);
    }

    fn conclude(
        &mut self,
        now: Now,
        (unit, report): (UnitId, IterationReport),
        objection: Option<ClaimRefusal>,
        checks: Vec<CheckReport>,
    ) {
        let loops = self.plan(unit.step).iterations.is_some();
        let verdict = match inspection::final_verdict(&report, objection, &checks, loops) {
            // A completion claim is not accepted without its checks.
            Verdict::Complete(_)
                if self.is_skipped(unit.step)
                    && checks.len() < self.plan(unit.step).checks.len() =>
            {
                Verdict::AgentStopped(StopReason::Skipped)
            }
            verdict => verdict,
        };
        let is_refused = verdict != report.verdict;
        let report = IterationReport { verdict, checks, ..report };
        if is_refused && report.observation.done_file.is_some() {
            self.known_done_file.clone_from(&report.observation.done_file);
        }
        self.warn_of_repeated_tree(now, unit, &report);
        self.warn_of_unreported_quota(now, unit, &report);
        self.warn_of_unusable_fallback(now, unit, &report);
        self.emit(now, EventKind::IterationFinished { unit, report });
        let moment = HookMoment { point: HookPoint::PostIteration, unit: Some(unit) };
        self.run_hooks(now, moment, AfterHooks::ContinueStep { step: unit.step });
    }
}

/// Merges two observations. The earlier one is closer to the agent's exit and wins, except for
/// objections, which a user may have resolved since.
fn merge_observations(before: Observation, now: Observation) -> Observation {
    let open_criteria = match before.open_tasks {
        Some(_) => before.open_criteria,
        None => now.open_criteria,
    };
    Observation {
        open_criteria,
        done_file: before.done_file,
        tree: before.tree.or(now.tree),
        signals: before.signals.or(now.signals),
        protected: now.protected,
        uncommitted: now.uncommitted,
        snapshot: before.snapshot.or(now.snapshot),
        open_tasks: before.open_tasks.or(now.open_tasks),
        baselines: before.baselines.or(now.baselines),
    }
}
