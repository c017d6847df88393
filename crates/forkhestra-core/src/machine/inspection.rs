//! Checking what an agent made, once it is gone.

use std::time::Duration;

use super::clock::Now;
use super::driver::{Machine, Phase};
use super::effect::Effect;
use super::errands::Done;
use super::hooking::Then;
use super::input::RoomFailure;
use super::job::Job;
use crate::event::{
    Answer, CheckOutcome, CheckReport, Ending, Errand, EventKind, IterationReport, Moment, Refusal,
    Sight, StepEnd, Verdict,
};
use crate::hook::HookPoint;
use crate::id::UnitId;
use crate::limit::{Limit, Time};
use crate::policy::inspection;

/// The work of an agent that is being checked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Inspection {
    pub(super) unit: UnitId,
    /// What comes of it if every check passes.
    report: IterationReport,
    objection: Option<Refusal>,
    /// Which checks are still to be run, the next one last: their places in the step, from one.
    todo: Vec<usize>,
    results: Vec<CheckReport>,
    stage: Stage,
    /// A clean room is there, or is being made.
    has_room: bool,
}

/// How far it is.
#[derive(Debug, Clone, PartialEq)]
enum Stage {
    /// Somebody looks at what stands against the agent.
    Looking,
    /// A clean room is made, and has to be ready by then.
    Preparing { until: Option<Duration> },
    /// A check or the setup of the room runs.
    Running(Job),
    /// Between two of them.
    Idle,
}

impl Inspection {
    pub(super) const fn job(&self) -> Option<&Job> {
        match &self.stage {
            Stage::Running(job) => Some(job),
            Stage::Looking | Stage::Preparing { .. } | Stage::Idle => None,
        }
    }

    pub(super) const fn job_mut(&mut self) -> Option<&mut Job> {
        match &mut self.stage {
            Stage::Running(job) => Some(job),
            Stage::Looking | Stage::Preparing { .. } | Stage::Idle => None,
        }
    }

    /// When something is due.
    pub(super) fn deadline(&self) -> Option<Duration> {
        match &self.stage {
            Stage::Preparing { until } => *until,
            Stage::Running(job) => job.deadline(),
            Stage::Looking | Stage::Idle => None,
        }
    }
}

impl Machine {
    /// An agent is gone. What it made is checked, if there is something to check.
    pub(super) fn agent_is_gone(&mut self, now: Now, unit: UnitId, report: IterationReport) {
        let (objection, todo) = self.todo(unit.step, &report);
        let is_complete = matches!(report.verdict, Verdict::Complete(_));
        // Whoever cancelled the run did not wait for the look, and what could not be ended was not
        // waited for either.
        let is_unseen = is_complete && inspection::is_unseen(self.plan(unit.step), &report.sight);
        if todo.is_empty() && !is_unseen {
            self.conclude(now, (unit, report), objection, Vec::new());
            return;
        }
        self.emit(now, EventKind::AgentFinished { unit, report: report.clone() });
        self.begin_inspection(now, unit, report, is_unseen);
    }

    /// What stands against an iteration at once, and which checks are to be run, the first one last.
    fn todo(&self, step: usize, report: &IterationReport) -> (Option<Refusal>, Vec<usize>) {
        let plan = self.plan(step);
        let objection = inspection::objection(plan, &report.sight);
        let ran = report.has_outcome();
        let due = (1..).zip(&plan.checks).filter(|(_, check)| {
            ran && inspection::is_due(&check.value, &report.verdict, objection)
        });
        let mut todo: Vec<usize> = due.map(|(number, _)| number).collect();
        todo.reverse();
        (objection, todo)
    }

    /// Checks what the last agent of a step made before the run was cut off or ended. That may have
    /// been long ago, so somebody looks again.
    pub(super) fn inspect(&mut self, now: Now, step: usize) {
        let Some((unit, report)) = self.state.steps[step - 1].unchecked.as_deref().cloned() else {
            return;
        };
        let looks_again = inspection::is_guarded(self.plan(step));
        self.begin_inspection(now, unit, report, looks_again);
    }

    fn begin_inspection(&mut self, now: Now, unit: UnitId, report: IterationReport, looks: bool) {
        self.phase = Phase::Inspecting(Box::new(Inspection {
            unit,
            report,
            objection: None,
            todo: Vec::new(),
            results: Vec::new(),
            stage: if looks { Stage::Looking } else { Stage::Idle },
            has_room: false,
        }));
        if self.cancelled.is_some() {
            self.leave_unchecked(now, StepEnd::Cancelled);
        } else if looks {
            self.effects.push(Effect::Look { step: unit.step });
        } else {
            self.begin_checks(now);
        }
    }

    /// Somebody has looked again.
    pub(super) fn looked_again(&mut self, now: Now, of: usize, sight: &Sight) {
        let Phase::Inspecting(inspection) = &mut self.phase else { return };
        if inspection.unit.step != of || inspection.stage != Stage::Looking {
            return;
        }
        inspection.stage = Stage::Idle;
        inspection.report.sight.protected.clone_from(&sight.protected);
        inspection.report.sight.uncommitted.clone_from(&sight.uncommitted);
        self.begin_checks(now);
    }

    fn begin_checks(&mut self, now: Now) {
        let Phase::Inspecting(inspection) = &self.phase else { return };
        let unit = inspection.unit;
        let (objection, todo) = self.todo(unit.step, &inspection.report);
        let room = self.plan(unit.step).clean_room.as_ref().map(|room| room.value.timeout);
        let room = room.filter(|_| !todo.is_empty());
        if let Some(end) = self.out_of_time(now, unit.step).filter(|_| !todo.is_empty()) {
            self.leave_unchecked(now, end);
            return;
        }
        let elapsed = self.clock.elapsed(now);
        let Phase::Inspecting(inspection) = &mut self.phase else { return };
        (inspection.objection, inspection.todo) = (objection, todo);
        match room {
            Some(timeout) => {
                // Whatever makes it ready has to be quick, and so have we.
                let until = match timeout {
                    Limit::At(limit) => Some(elapsed.saturating_add(limit.duration())),
                    Limit::Off => None,
                };
                inspection.stage = Stage::Preparing { until };
                inspection.has_room = true;
                self.effects.push(Effect::PrepareRoom { unit });
            }
            None => self.check_next(now),
        }
    }

    fn out_of_time(&mut self, now: Now, step: usize) -> Option<StepEnd> {
        self.refresh_time(now);
        self.time_is_up(step)
    }

    /// Something may be due while no process of an inspection runs.
    pub(super) fn tick_inspection(&mut self, now: Now) {
        let Phase::Inspecting(inspection) = &self.phase else { return };
        let is_late = inspection.deadline().is_some_and(|at| at <= self.clock.elapsed(now));
        let step = inspection.unit.step;
        if let Some(end) = self.out_of_time(now, step) {
            self.leave_unchecked(now, end);
        } else if is_late {
            self.give_room_up(now, "it took too long to make a clean room".to_owned());
        }
    }

    /// There is a clean room, or there is none after all.
    pub(super) fn room_prepared(&mut self, now: Now, of: UnitId, failure: Option<RoomFailure>) {
        let Phase::Inspecting(inspection) = &mut self.phase else { return };
        if inspection.unit != of || !matches!(inspection.stage, Stage::Preparing { .. }) {
            return;
        }
        inspection.stage = Stage::Idle;
        match failure {
            None => {}
            Some(RoomFailure::OfTheWork(message)) => {
                self.room_is_unusable(now, no_room(message));
                return;
            }
            Some(RoomFailure::OfTheMachine(message)) => {
                self.give_room_up(now, message);
                return;
            }
        }
        let room = self.plan(of.step).clean_room.as_ref().map(|room| &room.value);
        match room.and_then(|room| Some((room.setup.as_ref()?, room.timeout))) {
            Some((_, timeout)) => self.begin_errand(now, Errand::Setup { unit: of }, timeout),
            None => self.check_next(now),
        }
    }

    /// No agent can do anything about it, so none is paid for trying: the work stays unchecked until
    /// somebody has seen to it.
    fn give_room_up(&mut self, now: Now, why: String) {
        self.leave_unchecked(now, StepEnd::CannotCheck(why));
    }

    fn begin_errand(&mut self, now: Now, errand: Errand, timeout: Limit<Time>) {
        let job = self.start_job(now, errand, timeout);
        if let Phase::Inspecting(inspection) = &mut self.phase {
            inspection.stage = Stage::Running(job);
        }
    }

    fn check_next(&mut self, now: Now) {
        let Phase::Inspecting(inspection) = &self.phase else { return };
        let unit = inspection.unit;
        let Some(number) = inspection.todo.last().copied() else {
            self.all_checked(now);
            return;
        };
        let cancelled = self.cancelled.map(|_| StepEnd::Cancelled);
        if let Some(end) = cancelled.or_else(|| self.out_of_time(now, unit.step)) {
            self.leave_unchecked(now, end);
            return;
        }
        if let Phase::Inspecting(inspection) = &mut self.phase {
            inspection.todo.pop();
        }
        let timeout = self.plan(unit.step).checks[number - 1].value.timeout;
        self.begin_errand(now, Errand::Check { unit, number }, timeout);
    }

    /// A check or the setup of a room is over.
    pub(super) fn inspected(&mut self, now: Now, answer: Answer) {
        let Phase::Inspecting(inspection) = &mut self.phase else { return };
        let unit = inspection.unit;
        let Stage::Running(job) = std::mem::replace(&mut inspection.stage, Stage::Idle) else {
            return;
        };
        let done = Done { job, answer };
        match done.job.life.ending {
            Some(Ending::Cancelled) => self.leave_unchecked(now, StepEnd::Cancelled),
            Some(Ending::StepTime) => self.leave_unchecked(now, StepEnd::StepTime),
            Some(Ending::RunTime) => self.leave_unchecked(now, StepEnd::RunTime),
            _ => self.take_result(now, unit, done),
        }
    }

    fn take_result(&mut self, now: Now, unit: UnitId, Done { job, answer }: Done) {
        let life = &job.life;
        let (outcome, message) = inspection::outcome(&answer, life.end(), life.ending);
        let passed = outcome == CheckOutcome::Passed;
        let (name, is_setup) = match job.errand {
            Errand::Check { number, .. } => {
                (self.plan(unit.step).checks[number - 1].value.called(), false)
            }
            Errand::Setup { .. } | Errand::Hook { .. } => ("setup".to_owned(), true),
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

    fn note_result(&mut self, now: Now, unit: UnitId, report: CheckReport) {
        self.emit(now, EventKind::CheckFinished { unit, report: report.clone() });
        if let Phase::Inspecting(inspection) = &mut self.phase {
            inspection.results.push(report);
        }
    }

    /// Without a room nothing can be checked, so that nothing is known to hold.
    fn room_is_unusable(&mut self, now: Now, report: CheckReport) {
        let Phase::Inspecting(inspection) = &mut self.phase else { return };
        inspection.todo.clear();
        let unit = inspection.unit;
        self.note_result(now, unit, report);
        self.all_checked(now);
    }

    fn all_checked(&mut self, now: Now) {
        let Phase::Inspecting(inspection) = &mut self.phase else { return };
        let (unit, objection) = (inspection.unit, inspection.objection);
        let (report, results) =
            (inspection.report.clone(), std::mem::take(&mut inspection.results));
        self.clear_room();
        self.conclude(now, (unit, report), objection, results);
    }

    fn clear_room(&mut self) {
        let Phase::Inspecting(inspection) = &mut self.phase else { return };
        let unit = inspection.unit;
        if std::mem::take(&mut inspection.has_room) {
            self.effects.push(Effect::ClearRoom { unit });
        }
    }

    /// Checks are left for later: what the agent made is there, and is paid for.
    pub(super) fn leave_unchecked(&mut self, now: Now, end: StepEnd) {
        let Phase::Inspecting(inspection) = &self.phase else { return };
        let step = inspection.unit.step;
        self.clear_room();
        self.finish_step(now, step, end);
    }

    /// An iteration is over.
    fn conclude(
        &mut self,
        now: Now,
        (unit, report): (UnitId, IterationReport),
        objection: Option<Refusal>,
        checks: Vec<CheckReport>,
    ) {
        let loops = self.plan(unit.step).iterations.is_some();
        let verdict = inspection::weigh(&report, objection, &checks, loops);
        let is_refused = verdict != report.verdict;
        let report = IterationReport { verdict, checks, ..report };
        if is_refused && report.sight.done_file.is_some() {
            self.known_file.clone_from(&report.sight.done_file);
        }
        self.report_sameness(now, unit, &report);
        self.emit(now, EventKind::IterationFinished { unit, report });
        let moment = Moment { point: HookPoint::PostIteration, unit: Some(unit) };
        self.at_moment(now, moment, Then::GoOn { step: unit.step });
    }
}

/// Says that there is no clean room, and why.
fn no_room(message: String) -> CheckReport {
    CheckReport {
        name: "clean room".to_owned(),
        outcome: CheckOutcome::NotRun,
        message: Some(message),
        tail: None,
        duration: Duration::ZERO,
    }
}
