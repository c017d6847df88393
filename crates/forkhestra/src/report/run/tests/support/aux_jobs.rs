//! Checks, hooks and clean-room setups of an event script.

use std::time::Duration;

use forkhestra_core::check::CheckSpec;
use forkhestra_core::config::{CheckWhen, OnHookError, OnProtectedChange};
use forkhestra_core::event::{
    AuxJob, CheckOutcome, CheckReport, EventKind, HookMoment, HookReport, IterationReport,
    Observation, OutputSummary, ProcessEnd, Verdict, WorkSummary,
};
use forkhestra_core::hook::HookPoint;
use forkhestra_core::id::UnitId;
use forkhestra_core::limit::Limit;
use forkhestra_core::plan::{CleanRoom, PlanCheck, PlanHook, Protection, Sourced};

use super::event_script::{EventScript, marker};

impl EventScript {
    /// Adds a check to a step.
    pub(crate) fn checked_by(mut self, step: usize, spec: &str) -> Self {
        let check = CheckSpec::parse(spec).expect("it is a check");
        let (name, when, timeout) = (None, CheckWhen::Completion, Limit::Off);
        let check = PlanCheck { check, name, when, timeout, must_fail_first: false, runner: None };
        self.plan.steps[step - 1].checks.push(Sourced::default(check));
        self
    }

    /// Runs the checks of a step in a clean room.
    pub(crate) fn in_a_room(mut self, step: usize, setup: &str) -> Self {
        let (setup, timeout) = (Some(setup.to_owned()), Limit::Off);
        let room = CleanRoom { setup, timeout, keep: Vec::new() };
        self.plan.steps[step - 1].clean_room = Some(Sourced::default(room));
        self
    }

    /// Protects files from the agent of a step.
    pub(crate) fn protecting(mut self, step: usize, pattern: &str) -> Self {
        let (patterns, on_change) = (vec![pattern.to_owned()], OnProtectedChange::Refuse);
        let protection = Protection { patterns, on_change };
        self.plan.steps[step - 1].protect = Some(Sourced::default(protection));
        self
    }

    /// Adds a hook to the run.
    pub(crate) fn with_hook(mut self, on: HookPoint, run: &str) -> Self {
        let (run, timeout, on_error) = (run.to_owned(), Limit::Off, OnHookError::Continue);
        self.plan.hooks.push(Sourced::default(PlanHook { on, run, timeout, on_error }));
        self
    }

    /// The running agent has finished, and its work is about to be checked.
    pub(crate) fn gone(self, unit: (usize, u32)) -> Self {
        let report = report(Verdict::Complete(marker()), Vec::new(), Observation::default());
        let unit = self.unit(unit.0, unit.1);
        self.after(1_500).then(EventKind::AgentFinished { unit, report })
    }

    /// An aux job starts.
    pub(crate) fn aux_job_started(self, aux_job: AuxJob) -> Self {
        self.then(EventKind::AuxJobStarted { aux_job, pid: 4712 })
    }

    /// A check finishes.
    pub(crate) fn check(self, unit: (usize, u32), report: CheckReport) -> Self {
        let unit = self.unit(unit.0, unit.1);
        self.after(2_100).then(EventKind::CheckFinished { unit, report })
    }

    /// A checked iteration finishes.
    pub(crate) fn weighed(
        self,
        unit: (usize, u32),
        verdict: Verdict,
        checks: Vec<CheckReport>,
        observation: Observation,
    ) -> Self {
        let unit = self.unit(unit.0, unit.1);
        let report = report(verdict, checks, observation);
        self.then(EventKind::IterationFinished { unit, report })
    }

    /// A hook finishes.
    pub(crate) fn hook(self, point: HookPoint, failure: Option<&str>) -> Self {
        let moment = HookMoment { point, unit: None };
        let failure = failure.map(str::to_owned);
        let (number, duration) = (1, Duration::from_millis(200));
        let report = HookReport { moment, number, failure, duration };
        self.after(200).then(EventKind::HookFinished { report })
    }

    /// The work of a step is surveyed.
    pub(crate) fn surveyed(self, step: usize, work: WorkSummary) -> Self {
        self.then(EventKind::Surveyed { step, work })
    }
}

pub(crate) fn report(
    verdict: Verdict,
    checks: Vec<CheckReport>,
    observation: Observation,
) -> IterationReport {
    IterationReport {
        closing_text: None,
        verdict,
        end: Some(ProcessEnd::Exited(0)),
        duration: Duration::from_millis(1_500),
        observation,
        output: OutputSummary { stdout: 1234, stderr: 0 },
        stream_summary: None,
        spend: None,
        checks,
    }
}

/// The report of a check with this outcome.
pub(crate) fn check(name: &str, outcome: CheckOutcome) -> CheckReport {
    let message = match outcome {
        CheckOutcome::Passed => None,
        CheckOutcome::Failed => Some("exit 101".to_owned()),
        CheckOutcome::TimedOut => Some("took too long".to_owned()),
        CheckOutcome::NotRun => Some("it does not exist".to_owned()),
    };
    let duration = Duration::from_millis(2_100);
    CheckReport { name: name.to_owned(), outcome, message, tail: None, duration }
}

/// A first attempt.
pub(crate) fn unit(step: usize, iteration: u32) -> UnitId {
    UnitId { step, iteration, attempt: 1 }
}
