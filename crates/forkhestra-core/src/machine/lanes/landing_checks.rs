//! Checks of merged work: landing checks of a commit, and those of a completion claim.

use super::lanes_effect::LanesEffect;
use super::running_lanes::RunningLanes;
use crate::check::CheckSpec;
use crate::config::CheckWhen;
use crate::event::{CheckOutcome, CheckReport, CompletionSignal, EventKind, StepEnd};
use crate::id::{CommitId, LaneNumber, UnitId};
use crate::machine::agent::inspection::InspectionPurpose;
use crate::machine::effect::Effect;
use crate::machine::machine_phase::MachinePhase;
use crate::machine::run_clock::Now;
use crate::machine::state_machine::Machine;
use crate::plan::Plan;
use crate::policy::{CheckResults, LandingCheckOutcome, QueueInput};

/// A check of a step, by the number of the step and its own.
pub(super) type CheckAddress = (usize, usize);

/// A commit that is checked.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CheckedCommit {
    pub(super) commit: CommitId,
    /// The iterations whose work the integration ref does not have.
    pub(super) units: Vec<UnitId>,
    pub(super) purpose: CheckPurpose,
    /// Checks that have not begun, in order.
    pub(super) todo: Vec<CheckAddress>,
    pub(super) results: Vec<CheckReport>,
}

/// What checks of merged work decide.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum CheckPurpose {
    /// Which landing checks pass on the integration ref.
    Baseline,
    /// Whether work lands.
    Landing,
    /// Whether a step is complete, as an agent in a lane claims.
    Completion { lane: LaneNumber, unit: UnitId, by: CompletionSignal },
}

impl Plan {
    /// The landing checks of some steps. A check that several steps have runs once.
    pub(super) fn landing_checks(&self, steps: &[usize]) -> Vec<CheckAddress> {
        let mut known: Vec<&CheckSpec> = Vec::new();
        let mut checks = Vec::new();
        for step in steps.iter().filter_map(|step| self.step(*step)) {
            for (number, check) in (1..).zip(&step.checks) {
                let check = &check.value;
                if check.when == CheckWhen::Landing && !known.contains(&&check.check) {
                    known.push(&check.check);
                    checks.push((step.number, number));
                }
            }
        }
        checks
    }
}

impl Machine {
    /// The landing checks of the current stage.
    pub(super) fn landing_checks(&self) -> Vec<CheckAddress> {
        // The checks of best of N have passed in the lane that is picked, on the same files.
        let lanes = self.state.lanes.as_deref().filter(|_| self.best_of().is_none());
        lanes.map(|lanes| self.state.plan.landing_checks(&lanes.steps)).unwrap_or_default()
    }

    /// Checks a commit out, to check it.
    pub(super) fn check_commit(&mut self, checked: CheckedCommit) {
        let commit = checked.commit.clone();
        if let Some(running) = &mut self.running_lanes {
            running.checked = Some(checked);
            self.effects.push(Effect::Lanes(LanesEffect::CheckOut { commit }));
        }
    }

    /// Begins the checks of a commit that is checked out.
    pub(super) fn commit_checked_out(&mut self, now: Now, of: &CommitId, failure: Option<String>) {
        let checked = self.running_lanes.as_mut().and_then(|running| running.checked.as_mut());
        let Some(checked) = checked.filter(|checked| checked.commit == *of) else { return };
        if let Some(why) = failure {
            let all = std::mem::take(&mut checked.todo);
            let not_run = all.into_iter().map(|address| self.state.plan.not_run(address, &why));
            let not_run: Vec<CheckReport> = not_run.collect();
            if let Some(checked) =
                self.running_lanes.as_mut().and_then(|running| running.checked.as_mut())
            {
                checked.results.extend(not_run);
            }
        }
        self.begin_next_checks(now);
    }

    /// Begins the checks of the next step on the commit that is checked out, or takes the results.
    fn begin_next_checks(&mut self, now: Now) {
        let Some(running) = &mut self.running_lanes else { return };
        let Some(checked) = &mut running.checked else { return };
        let Some((step, _)) = checked.todo.first().copied() else {
            let checked = running.checked.take();
            running.checker = None;
            running.checker_due = None;
            if let Some(checked) = checked {
                self.commit_checked(now, checked);
            }
            return;
        };
        let of_step = checked.todo.extract_if(.., |(of, _)| *of == step);
        let numbers: Vec<usize> = of_step.map(|(_, number)| number).collect();
        let last = checked.units.iter().rfind(|unit| unit.step == step).copied();
        let unit = last.unwrap_or(UnitId::before_first(step));
        let machine = self.machine_of_checks();
        if let Some(running) = &mut self.running_lanes {
            running.checker = Some(Box::new(machine));
        }
        self.with_checker(|machine| {
            machine.run_checks_for(now, unit, InspectionPurpose::MergedWork, numbers);
        });
    }

    /// Takes the results of the checks of a step, once they have run; false if they have not.
    pub(super) fn take_results_of_checker(&mut self, now: Now) -> bool {
        let Some(running) = &mut self.running_lanes else { return false };
        let phase = running.checker.as_ref().map(|machine| &machine.phase);
        let Some(MachinePhase::Checked { results, end }) = phase else { return false };
        let (results, end) = (results.clone(), end.clone());
        running.checker = None;
        running.checker_due = None;
        let Some(checked) = &mut running.checked else { return false };
        checked.results.extend(results);
        if end.is_some() {
            // A limit or a cancellation ended them. Work that waits lands after a resume.
            running.checked = None;
            running.queue = None;
            running.end = running.end.take().or(end);
            return false;
        }
        self.begin_next_checks(now);
        true
    }

    fn commit_checked(&mut self, now: Now, checked: CheckedCommit) {
        let CheckedCommit { commit, units, purpose, results: checks, .. } = checked;
        match purpose {
            CheckPurpose::Baseline | CheckPurpose::Landing => {
                let Some(step) = self.first_laned_step() else { return };
                let results = landing_results(&checks);
                let is_baseline = purpose == CheckPurpose::Baseline;
                let event = commit.clone();
                self.emit(now, EventKind::LandingChecked { step, commit: event, units, checks });
                if is_baseline {
                    self.begin_queue(now);
                } else {
                    self.feed_queue(now, QueueInput::Checked { tip: commit, results });
                }
            }
            CheckPurpose::Completion { lane, unit, by } => {
                self.completion_checked(now, (lane, unit, by), checks);
            }
        }
    }

    fn completion_checked(
        &mut self,
        now: Now,
        (lane, unit, by): (LaneNumber, UnitId, CompletionSignal),
        checks: Vec<CheckReport>,
    ) {
        if checks.iter().all(CheckReport::passed) {
            self.leave_lanes(now, unit.step, StepEnd::Complete(by));
            return;
        }
        self.emit_in_lane(now, lane, EventKind::ClaimRefused { unit, checks });
        self.wake_lanes(now);
    }

    /// The first step of the current stage.
    pub(super) fn first_laned_step(&self) -> Option<usize> {
        self.state.lanes.as_deref()?.steps.first().copied()
    }

    /// The results of the landing checks on a commit, if they are recorded.
    pub(super) fn recorded_results(&self, commit: &CommitId) -> Option<CheckResults> {
        let lanes = self.state.lanes.as_deref()?;
        lanes.results_on(commit).map(landing_results)
    }
}

impl Plan {
    fn not_run(&self, (step, number): CheckAddress, why: &str) -> CheckReport {
        let check = self.step(step).and_then(|step| step.check(number));
        CheckReport {
            name: check.map(|check| check.value.display_name()).unwrap_or_default(),
            outcome: CheckOutcome::NotRun,
            message: Some(why.to_owned()),
            tail: None,
            duration: std::time::Duration::ZERO,
        }
    }
}

impl RunningLanes {
    /// Whether a commit is being checked.
    pub(super) const fn is_checking(&self) -> bool {
        self.checked.is_some()
    }
}

/// The results of landing checks for the merge queue, which numbers them in their order.
fn landing_results(checks: &[CheckReport]) -> CheckResults {
    let outcome = |check: &CheckReport| match check.outcome {
        CheckOutcome::Passed => LandingCheckOutcome::Green,
        CheckOutcome::Failed | CheckOutcome::TimedOut => LandingCheckOutcome::Red,
        CheckOutcome::NotRun => LandingCheckOutcome::NotRun,
    };
    (1..).zip(checks).map(|(number, check)| (number, outcome(check))).collect()
}
