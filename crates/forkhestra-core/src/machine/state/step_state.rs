//! The state of one step.

use std::collections::BTreeSet;
use std::time::Duration;

use super::protected_changes::ProtectedChanges;
use super::provider_postponement::ProviderPostponement;
use super::question_state::QuestionState;
use crate::config::Backend;
use crate::cost::Spend;
use crate::event::{
    AgentOutcome, CheckReport, ClaimRefusal, Fingerprint, IterationReport, Observation,
    OperatorMessage, OutcomeClass, StepEnd, StopReason, Verdict, WorkSummary,
};
use crate::id::UnitId;
use crate::machine::lanes::other_lanes::{OtherLanes, SharedNumbers};
use crate::policy::{Feedback, StagnationTracker};

/// The progress of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepStatus {
    Pending,
    Open,
    Ended(StepEnd),
}

/// The state of one step of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepState {
    pub status: StepStatus,
    /// Whether it has begun, in the current round.
    begun: bool,
    /// The observation before its first iteration.
    pub before: Observation,
    /// Iterations that have an outcome, in all rounds, without one that is retried.
    pub finished: u32,
    /// The iterations that had finished when the current round began; zero outside of rounds.
    pub finished_before_round: u32,
    /// Attempts of the next iteration without an outcome.
    pub interrupt: u32,
    /// Attempts that the last finished iteration took.
    pub tries: u32,
    pub running: Option<UnitId>,
    /// When the last agent was about to be started, on the run's clock.
    pub started: Duration,
    /// The prompt of the last agent; unknown before the first.
    pub prompt: Option<Option<Fingerprint>>,
    /// The report of the last iteration since the step was begun or resumed.
    pub last: Option<IterationReport>,
    /// The last report with an outcome, if it decides nothing any more, but tells why a loop did not
    /// accept a round: a resume dropped it, or an attempt without an outcome followed.
    superseded: Option<IterationReport>,
    /// The protected files that its agents changed since the step began.
    pub(super) protected_changes: ProtectedChanges,
    /// Consecutive crashed iterations.
    pub crashes: u32,
    /// Whether iterations still change anything.
    pub stagnation: StagnationTracker,
    /// How long it has been open: awake and not paused.
    pub elapsed: Duration,
    pub postponement: ProviderPostponement,
    /// The spend of all finished attempts, with or without an outcome.
    pub spend: Spend,
    /// Whether the cost of a finished attempt is unknown and has not been accepted since.
    pub unknown_cost: bool,
    /// Whether the last agent reported an implausible figure.
    pub has_unusable_figure: bool,
    /// The spend so far of the running agent, or of the one whose work is being checked; none if it
    /// has reported none.
    pub spending: Option<Spend>,
    /// The results of its checks before its first iteration, if they ran.
    pub calibration: Option<Vec<CheckReport>>,
    /// A finished agent whose work has not been observed or checked, with its report if no
    /// objection is found and every check passes.
    pub unchecked: Option<Box<(UnitId, IterationReport)>>,
    /// The run was resumed after that agent had finished.
    resumed_after_finish: bool,
    /// The last finished iteration, if no other was begun since.
    pub(crate) after: Option<UnitId>,
    /// What the next agent should know of the last iteration.
    pub feedback: Feedback,
    /// The last agent whose changes to the task database are recorded.
    pub(crate) tasks_recorded: Option<UnitId>,
    /// The back-end whose account its agents reported.
    pub(crate) reported_backend: Option<Backend>,
    /// Conditions that hold, as far as they were checked.
    pub(crate) conditions_met: usize,
    /// A condition of the step, or of a group around it, does not hold.
    pub(crate) not_needed: bool,
    /// The results of the checks of groups whose round the step completed, by group.
    pub round_checks: Vec<(usize, Vec<CheckReport>)>,
    /// The question, if a person answers one.
    pub question: Option<QuestionState>,
    /// The step that was not complete, if this one runs instead of it.
    pub instead_of: Option<usize>,
    /// What changed in the repository, once it was surveyed.
    pub work: Option<WorkSummary>,
    /// What changed in earlier rounds.
    pub(crate) work_before_round: Option<WorkSummary>,
    /// An operator skipped the step.
    pub skip: bool,
    /// Operator messages for the running agent, or for the one whose work is being checked.
    pub given: Vec<OperatorMessage>,
    /// What other lanes have spent on the step.
    pub(crate) other_lanes: OtherLanes,
    /// The iteration numbers that this lane shares with others; none without lanes.
    pub(crate) shared_numbers: Option<SharedNumbers>,
}

impl StepState {
    pub(crate) fn new() -> Self {
        Self {
            status: StepStatus::Pending,
            begun: false,
            before: Observation::default(),
            finished: 0,
            finished_before_round: 0,
            interrupt: 0,
            tries: 0,
            running: None,
            started: Duration::ZERO,
            prompt: None,
            last: None,
            superseded: None,
            protected_changes: ProtectedChanges::default(),
            crashes: 0,
            stagnation: StagnationTracker::default(),
            elapsed: Duration::ZERO,
            postponement: ProviderPostponement::default(),
            spend: Spend::default(),
            unknown_cost: false,
            has_unusable_figure: false,
            spending: None,
            calibration: None,
            unchecked: None,
            resumed_after_finish: false,
            after: None,
            feedback: Feedback::default(),
            tasks_recorded: None,
            reported_backend: None,
            conditions_met: 0,
            not_needed: false,
            round_checks: Vec::new(),
            question: None,
            instead_of: None,
            work: None,
            work_before_round: None,
            skip: false,
            given: Vec::new(),
            other_lanes: OtherLanes::default(),
            shared_numbers: None,
        }
    }

    /// What all its agents have spent, including the running ones and those in other lanes.
    pub(crate) fn all_spend(&self) -> Spend {
        self.spend + self.spending.unwrap_or_default() + self.other_lanes.spend()
    }

    /// Whether the cost of a finished attempt is unknown and has not been accepted since.
    pub(crate) const fn has_unknown_cost(&self) -> bool {
        self.unknown_cost || self.other_lanes.unknown_cost
    }

    /// The iterations of the current round that are used up. An attempt without an outcome keeps its
    /// number.
    pub(crate) fn used_iterations(&self) -> u32 {
        match &self.shared_numbers {
            Some(numbers) if numbers.is_limit_own => self.finished_in_round(),
            Some(numbers) if self.interrupt > 0 => {
                numbers.own.saturating_sub(numbers.taken_before).saturating_sub(1)
            }
            Some(numbers) => numbers.used(),
            None => self.finished_in_round(),
        }
    }

    /// Whether the step is complete.
    pub const fn is_complete(&self) -> bool {
        matches!(&self.status, StepStatus::Ended(end) if end.is_complete())
    }

    /// Whether the next step may begin.
    pub const fn allows_next_step(&self) -> bool {
        matches!(&self.status, StepStatus::Ended(end) if end.allows_next_step())
    }

    /// Whether it has begun, in the current round.
    pub(crate) const fn has_begun(&self) -> bool {
        self.begun
    }

    /// How the step ended; none while it is pending or open.
    pub const fn end(&self) -> Option<&StepEnd> {
        match &self.status {
            StepStatus::Ended(end) => Some(end),
            StepStatus::Pending | StepStatus::Open => None,
        }
    }

    /// The number of iterations that have an outcome, also if a resume retries the last one.
    pub const fn iterations(&self) -> u32 {
        let is_retried = self.finished == self.finished_before_round && self.tries > 0;
        if is_retried { self.finished + 1 } else { self.finished }
    }

    /// The number of iterations with an outcome in the current round.
    pub const fn finished_in_round(&self) -> u32 {
        self.finished - self.finished_before_round
    }

    /// The last report with an outcome in this round, also if it was before a resume.
    pub(crate) fn last_report(&self) -> Option<&IterationReport> {
        self.last_outcome().or(self.superseded.as_ref())
    }

    fn last_outcome(&self) -> Option<&IterationReport> {
        self.last.as_ref().filter(|last| last.has_outcome())
    }

    /// The last iteration, if its completion claim was refused.
    pub(crate) fn refused_claim(&self) -> Option<(ClaimRefusal, &IterationReport)> {
        let last = self.last_report()?;
        match last.verdict {
            Verdict::Refused(why) => Some((why, last)),
            _ => None,
        }
    }

    /// Begins the step again for another round. What it spent and its time stay, and iteration numbers
    /// continue.
    pub(crate) fn begin_round(&mut self) {
        let fresh = Self::new();
        *self = Self {
            finished: self.finished,
            finished_before_round: self.finished,
            // An attempt without an outcome keeps its number.
            interrupt: self.interrupt,
            elapsed: self.elapsed,
            spend: self.spend,
            unknown_cost: self.unknown_cost,
            prompt: self.prompt.take(),
            calibration: self.calibration.take(),
            tasks_recorded: self.tasks_recorded,
            reported_backend: self.reported_backend,
            other_lanes: std::mem::take(&mut self.other_lanes),
            shared_numbers: self.shared_numbers.as_ref().map(SharedNumbers::for_next_round),
            work: self.work.clone(),
            work_before_round: self.work.take(),
            ..fresh
        };
    }

    /// The state of the step in a lane that shares its iterations with others.
    pub(in crate::machine) fn for_lane(&self, is_attempt: bool) -> Self {
        let numbers = self.shared_numbers.as_ref().map(SharedNumbers::for_lane);
        let (spend, unknown) = (self.all_spend(), self.has_unknown_cost());
        Self {
            feedback: self.feedback.clone(),
            prompt: self.prompt.clone(),
            calibration: self.calibration.clone(),
            skip: self.skip,
            conditions_met: self.conditions_met,
            elapsed: self.elapsed,
            other_lanes: OtherLanes::with_earlier_spend(spend, unknown),
            shared_numbers: Some(
                numbers.unwrap_or(SharedNumbers::after(self.finished)).with_own_limit(is_attempt),
            ),
            ..Self::new()
        }
    }

    /// Whether the next attempt repeats one that was interrupted, and not one that a provider refused.
    pub(crate) fn retries_interrupted(&self) -> bool {
        self.interrupt > 0 && self.postponement == ProviderPostponement::default()
    }

    /// The next attempt of the next iteration.
    pub fn next_unit(&self, step: usize) -> UnitId {
        self.next_unit_besides(step, &BTreeSet::new())
    }

    /// The next attempt of the next iteration, if other lanes prepare the iterations of these numbers.
    pub(crate) fn next_unit_besides(&self, step: usize, reserved: &BTreeSet<u32>) -> UnitId {
        let iteration = match &self.shared_numbers {
            Some(numbers) if self.interrupt > 0 => numbers.own,
            Some(numbers) => numbers.next(reserved),
            None => self.finished + 1,
        };
        UnitId { step, iteration, attempt: self.interrupt + 1 }
    }

    /// Notes an iteration that finished in a lane, given how many have finished in all lanes.
    pub(in crate::machine) fn note_finished_in_lane(
        &mut self,
        report: &IterationReport,
        finished: u32,
    ) {
        self.finished = self.finished_before_round + finished;
        if report.has_outcome() {
            self.superseded = Some(report.clone());
        }
    }

    pub(crate) fn begin(&mut self, observation: &Observation) {
        self.status = StepStatus::Open;
        self.begun = true;
        self.before = observation.clone();
        self.protected_changes = ProtectedChanges::default();
        self.stagnation = StagnationTracker::begin(observation);
    }

    pub(crate) fn begin_iteration(&mut self, unit: UnitId, elapsed: Duration) {
        if let Some(numbers) = &mut self.shared_numbers {
            numbers.own = unit.iteration;
            numbers.take(unit.iteration);
        }
        self.running = Some(unit);
        self.unchecked = None;
        self.after = None;
        self.started = elapsed;
        self.has_unusable_figure = false;
        self.postponement.try_again();
    }

    /// Notes what changed in the repository in this round.
    pub(crate) fn surveyed(&mut self, work: &WorkSummary) {
        let work = work.clone();
        self.work = Some(match self.work_before_round.clone() {
            Some(before) => before.with_later(work),
            None => work,
        });
    }

    /// Notes the spend of the running agent.
    pub(crate) fn spent(&mut self, unit: UnitId, spend: Spend) {
        if self.running == Some(unit) {
            self.spending = Some(spend);
        }
    }

    /// The agent that is running, or whose work is unchecked.
    pub(crate) fn pending(&self) -> Option<UnitId> {
        self.running.or(self.unchecked.as_ref().map(|unchecked| unchecked.0))
    }

    /// Notes that the running agent has finished and its work is to be checked.
    pub(crate) fn finish_agent(&mut self, unit: UnitId, report: &IterationReport) {
        self.running = None;
        self.spending = report.spend.or(self.spending);
        self.protected_changes.note(report);
        self.unchecked = Some(Box::new((unit, report.clone())));
        self.resumed_after_finish = false;
    }

    pub(crate) fn finish_iteration(&mut self, unit: UnitId, report: &IterationReport) {
        // The resume has already counted the interrupted attempt. This report is only for readers
        // of the events.
        if report.verdict == Verdict::Interrupted && self.pending() != Some(unit) {
            return;
        }
        self.protected_changes.note(report);
        let spending = self.spending.take();
        self.count(report.spend.or(spending).unwrap_or_default());
        self.running = None;
        self.unchecked = None;
        // An interrupted iteration has no outcome.
        self.after = (report.verdict != Verdict::Interrupted).then_some(unit);
        if report.verdict == Verdict::Postponed {
            let outcome = report.stream_summary.as_ref().map(|outcome| outcome.outcome.clone());
            let unknown = || AgentOutcome::of(OutcomeClass::UsageLimit);
            self.postponement.postpone(outcome.unwrap_or_else(unknown));
        }
        if report.has_outcome() {
            self.postponement = ProviderPostponement::default();
            self.finished += 1;
            self.interrupt = 0;
            self.tries = unit.attempt;
            // A crash has its own backoff. A crash that changed nothing is no sign of stagnation:
            // the provider or the network may be down.
            let is_same =
                self.stagnation.is_change(report.observation.tree.as_ref()) == Some(false);
            if report.verdict != Verdict::Crashed || !is_same {
                self.stagnation.observe(&report.observation, unit.iteration);
            }
            // An agent that crashed or was stopped did not act on the reason of another step.
            let failed = matches!(report.verdict, Verdict::Crashed | Verdict::AgentStopped(_));
            if !(failed && self.feedback.is_from_another_step()) {
                self.feedback = Feedback::of(report);
            }
        } else {
            self.interrupt += 1;
        }
        self.crashes = if report.verdict == Verdict::Crashed { self.crashes + 1 } else { 0 };
        self.superseded = self.last_report().filter(|_| !report.has_outcome()).cloned();
        self.last = Some(report.clone());
    }

    /// Notes that the running agent was cut off together with the run's process.
    pub(crate) fn cut_off(&mut self, spends: bool) {
        self.protected_changes.note_unobserved();
        self.count(self.interrupted_spend(spends).unwrap_or_default());
        self.spending = None;
        self.running = None;
        self.interrupt += 1;
    }

    /// Counts the spend of a finished attempt.
    fn count(&mut self, spend: Spend) {
        self.spend += spend;
        self.unknown_cost |= spend.unpriced;
    }

    /// The known spend of an agent that was cut off with the run's process. An agent that incurs
    /// cost may have spent an unknown amount without reporting it.
    pub(crate) fn interrupted_spend(&self, spends: bool) -> Option<Spend> {
        let silent = Spend { unpriced: true, ..Spend::default() };
        self.spending.or((spends && self.running.is_some()).then_some(silent))
    }

    /// Reopens a step that did not complete. Finished iterations stay finished. The reason for its
    /// end is dropped, unless the run was only cancelled; limits that still hold end the step
    /// again.
    pub(crate) fn reopen(&mut self, loops: bool) {
        let StepStatus::Ended(end) = self.status.clone() else { return };
        if matches!(end, StepEnd::CannotCheck(_)) {
            self.calibration = None;
        }
        // After a failed hook, the last iteration's outcome decides again.
        if !matches!(end, StepEnd::Cancelled | StepEnd::HookFailed(_)) {
            self.postponement = match end.clone() {
                StepEnd::Blocked(outcome) => ProviderPostponement::after(&outcome),
                _ => ProviderPostponement::default(),
            };
            self.stagnation.reset();
            // Complete work stays complete: only the checks of a round are left.
            if !matches!(&self.last, Some(last) if matches!(last.verdict, Verdict::Complete(_))) {
                self.forget_last(loops);
            }
        }
        if matches!(end, StepEnd::Denied) {
            self.question = None;
        }
        self.round_checks.clear();
        // A condition may have ended it before it had begun.
        self.status = if self.begun { StepStatus::Open } else { StepStatus::Pending };
    }

    /// Applies a resume to the step. Used-up limits may have been raised, and backoff from before
    /// the resume is dropped.
    pub(crate) fn resume(&mut self, loops: bool) {
        self.resumed_after_finish = self.unchecked.is_some();
        self.forget_limit_outcome(loops);
        self.crashes = 0;
        self.postponement.resume();
    }

    /// Applies the resume to an iteration whose agent had finished before it, but whose outcome is
    /// recorded only now.
    pub(crate) fn apply_deferred_resume(&mut self, loops: bool) {
        if self.resumed_after_finish && self.unchecked.is_none() {
            self.resume(loops);
        }
    }

    /// Drops an outcome that reports only a used-up time or cost limit. The limit may have been
    /// changed, and it is checked before the next iteration anyway.
    pub(crate) fn forget_limit_outcome(&mut self, loops: bool) {
        let Some(Verdict::AgentStopped(why)) = self.last.as_ref().map(|last| &last.verdict) else {
            return;
        };
        let is_limit = match why {
            StopReason::RunTime | StopReason::GroupTime | StopReason::StepTime => true,
            StopReason::RunCost | StopReason::GroupCost | StopReason::StepCost => true,
            StopReason::CostUnknown => true,
            StopReason::Lingering
            | StopReason::Idle
            | StopReason::Futile
            | StopReason::Timeout
            | StopReason::NotPicked
            | StopReason::Skipped
            | StopReason::Cancelled => false,
        };
        if is_limit {
            self.forget_last(loops);
        }
    }

    /// Lets the completion claim of the last iteration count no more.
    pub(crate) fn drop_last_verdict(&mut self) {
        self.superseded = self.last.take().or(self.superseded.take());
    }

    /// Lets the last iteration decide nothing any more. A step that runs once retries it.
    fn forget_last(&mut self, loops: bool) {
        let last = self.last_report().cloned();
        self.last = None;
        if loops {
            self.superseded = last;
        } else if self.finished > self.finished_before_round {
            self.interrupt = self.tries;
            self.finished = self.finished_before_round;
        }
    }
}
