//! What the events say of one step.

use std::time::Duration;

use super::provider_postponement::ProviderPostponement;
use crate::cost::Spend;
use crate::event::{
    AgentOutcome, Fingerprint, IterationReport, Observation, OperatorMessage, OutcomeClass,
    StepEnd, StopReason, Verdict, WorkSummary,
};
use crate::id::UnitId;
use crate::policy::{Feedback, StagnationTracker};

/// How far a step is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepStatus {
    /// It has not begun.
    Pending,
    /// It has begun.
    Open,
    /// It is over.
    Ended(StepEnd),
}

/// One step of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StepState {
    /// How far it is.
    pub status: StepStatus,
    /// What was there when it began.
    pub before: Observation,
    /// Iterations that have an outcome.
    pub finished: u32,
    /// Tries of the next iteration that came to nothing.
    pub interrupt: u32,
    /// Tries that the last finished iteration took.
    pub tries: u32,
    /// The agent that is at work.
    pub running: Option<UnitId>,
    /// When the last agent was about to be started, on the clock of the run.
    pub started: Duration,
    /// The prompt that the last agent was given; unknown before the first.
    pub prompt: Option<Option<Fingerprint>>,
    /// What came of the last iteration since the step was begun or resumed.
    pub last: Option<IterationReport>,
    /// Iterations in a row that crashed.
    pub crashes: u32,
    /// Whether iterations still bring anything new.
    pub stagnation: StagnationTracker,
    /// How long it has been open: awake, and not paused.
    pub elapsed: Duration,
    /// How it stands with its agent's provider.
    pub postponement: ProviderPostponement,
    /// What all tries that are over have spent, with or without an outcome.
    pub spend: Spend,
    /// Whether the cost of a try that is over is not known, and that was not accepted since then.
    pub unknown_cost: bool,
    /// Whether the last agent reported a figure that cannot be right.
    pub has_unusable_figure: bool,
    /// What the agent at work, or the one whose work is being checked, has spent so far; none if it
    /// has told nothing.
    pub spending: Option<Spend>,
    /// The last agent is gone, but what it made has not been looked at or checked: what comes of it if
    /// nothing stands against it, and every check passes.
    pub unchecked: Option<Box<(UnitId, IterationReport)>>,
    /// The run was resumed since that agent was gone.
    was_found: bool,
    /// The last iteration that came to an end, since which no other was begun.
    pub(crate) after: Option<UnitId>,
    /// What the next agent should know of the last iteration.
    pub feedback: Feedback,
    /// The last agent whose changes of the task database are recorded.
    pub(crate) tasks_recorded: Option<UnitId>,
    /// What was made of the repository, once that has been looked at.
    pub work: Option<WorkSummary>,
    /// Somebody wants it to end, and the next one to begin.
    pub skip: bool,
    /// What somebody had to say to the agent at work, or to the one whose work is being checked.
    pub given: Vec<OperatorMessage>,
}

impl StepState {
    pub(crate) fn new() -> Self {
        Self {
            status: StepStatus::Pending,
            before: Observation::default(),
            finished: 0,
            interrupt: 0,
            tries: 0,
            running: None,
            started: Duration::ZERO,
            prompt: None,
            last: None,
            crashes: 0,
            stagnation: StagnationTracker::default(),
            elapsed: Duration::ZERO,
            postponement: ProviderPostponement::default(),
            spend: Spend::default(),
            unknown_cost: false,
            has_unusable_figure: false,
            spending: None,
            unchecked: None,
            was_found: false,
            after: None,
            feedback: Feedback::default(),
            tasks_recorded: None,
            work: None,
            skip: false,
            given: Vec::new(),
        }
    }

    /// What all its agents have spent, the one at work included.
    pub(crate) fn all_spend(&self) -> Spend {
        self.spend + self.spending.unwrap_or_default()
    }

    /// Whether its work is done.
    pub const fn is_complete(&self) -> bool {
        matches!(&self.status, StepStatus::Ended(end) if end.is_complete())
    }

    /// Whether the next step may begin.
    pub const fn allows_next_step(&self) -> bool {
        matches!(&self.status, StepStatus::Ended(end) if end.allows_next_step())
    }

    /// How it ended, if it did.
    pub const fn end(&self) -> Option<&StepEnd> {
        match &self.status {
            StepStatus::Ended(end) => Some(end),
            StepStatus::Pending | StepStatus::Open => None,
        }
    }

    /// The next try of the next iteration.
    pub const fn next_unit(&self, step: usize) -> UnitId {
        UnitId { step, iteration: self.finished + 1, attempt: self.interrupt + 1 }
    }

    pub(crate) fn begin(&mut self, sight: &Observation) {
        self.status = StepStatus::Open;
        self.before = sight.clone();
        self.stagnation = StagnationTracker::begin(sight);
    }

    pub(crate) fn begin_iteration(&mut self, unit: UnitId, elapsed: Duration) {
        self.running = Some(unit);
        self.unchecked = None;
        self.after = None;
        self.started = elapsed;
        self.has_unusable_figure = false;
        self.postponement.try_again();
    }

    /// The agent at work has told what it has spent.
    pub(crate) fn spent(&mut self, unit: UnitId, spend: Spend) {
        if self.running == Some(unit) {
            self.spending = Some(spend);
        }
    }

    /// The agent that is at work, or whose work has not been checked.
    pub(crate) fn pending(&self) -> Option<UnitId> {
        self.running.or(self.unchecked.as_ref().map(|unchecked| unchecked.0))
    }

    /// The agent at work is gone, and what it made is to be checked.
    pub(crate) fn finish_agent(&mut self, unit: UnitId, report: &IterationReport) {
        self.running = None;
        self.spending = report.spend.or(self.spending);
        self.unchecked = Some(Box::new((unit, report.clone())));
        self.was_found = false;
    }

    pub(crate) fn finish_iteration(&mut self, unit: UnitId, report: &IterationReport) {
        // That the run was resumed says already that what was at work was cut off. The report only
        // tells those who read the events.
        if report.verdict == Verdict::Interrupted && self.pending() != Some(unit) {
            return;
        }
        let told = self.spending.take();
        self.count(report.spend.or(told).unwrap_or_default());
        self.running = None;
        self.unchecked = None;
        // Nothing came of one that was interrupted, whoever did it.
        self.after = (report.verdict != Verdict::Interrupted).then_some(unit);
        if report.verdict == Verdict::Postponed {
            let heard = report.heard.as_ref().map(|heard| heard.outcome.clone());
            let unknown = || AgentOutcome::of(OutcomeClass::UsageLimit);
            self.postponement.postpone(heard.unwrap_or_else(unknown));
        }
        if report.has_outcome() {
            self.postponement = ProviderPostponement::default();
            self.finished += 1;
            self.interrupt = 0;
            self.tries = unit.attempt;
            // A crash has a wait of its own. One that changed nothing does not say that the work is stuck:
            // the provider or the network may be down.
            let is_same = self.stagnation.is_change(report.sight.tree.as_ref()) == Some(false);
            if report.verdict != Verdict::Crashed || !is_same {
                self.stagnation.observe(&report.sight, unit.iteration);
            }
            self.feedback = Feedback::of(report);
        } else {
            self.interrupt += 1;
        }
        self.crashes = if report.verdict == Verdict::Crashed { self.crashes + 1 } else { 0 };
        self.last = Some(report.clone());
    }

    /// The agent at work was cut off with us.
    pub(crate) fn cut_off(&mut self, spends: bool) {
        self.count(self.interrupted_spend(spends).unwrap_or_default());
        self.spending = None;
        self.running = None;
        self.interrupt += 1;
    }

    /// Counts what a try that is over has spent.
    fn count(&mut self, spend: Spend) {
        self.spend += spend;
        self.unknown_cost |= spend.unpriced;
    }

    /// What the agent at work is known to have spent, if it was cut off with us. One of those that
    /// spend may have done so without a word, and nobody knows how much.
    pub(crate) fn interrupted_spend(&self, spends: bool) -> Option<Spend> {
        let silent = Spend { unpriced: true, ..Spend::default() };
        self.spending.or((spends && self.running.is_some()).then_some(silent))
    }

    /// Opens a step again that did not complete. What it has done stays done. What spoke against
    /// going on is forgotten, unless it was only that somebody cancelled the run; limits that still
    /// hold will end the step again.
    pub(crate) fn reopen(&mut self, loops: bool) {
        let StepStatus::Ended(end) = &self.status else { return };
        // What is known of the last iteration decides again, if it was no more than a hook that failed.
        if !matches!(end, StepEnd::Cancelled | StepEnd::HookFailed(_)) {
            self.postponement = match end {
                StepEnd::Blocked(outcome) => ProviderPostponement::after(outcome),
                _ => ProviderPostponement::default(),
            };
            self.last = None;
            self.stagnation.reset();
            self.try_again(loops);
        }
        self.status = StepStatus::Open;
    }

    /// The run goes on. What was used up may be no more, and whoever resumes a run does not want to wait
    /// for what made it wait.
    pub(crate) fn resume(&mut self, loops: bool) {
        self.was_found = self.unchecked.is_some();
        self.forget_limit_outcome(loops);
        self.crashes = 0;
        self.postponement.resume();
    }

    /// What came of an iteration whose agent was gone before the run was resumed is known only now, but
    /// was so before.
    pub(crate) fn forgive_observation(&mut self, loops: bool) {
        if self.was_found && self.unchecked.is_none() {
            self.resume(loops);
        }
    }

    /// Forgets an outcome that says only that time or money was used up. Whether it still is, now
    /// that the limit may be another one, is asked before the next iteration anyway.
    pub(crate) fn forget_limit_outcome(&mut self, loops: bool) {
        let Some(Verdict::Ended(why)) = self.last.as_ref().map(|last| &last.verdict) else {
            return;
        };
        let is_limit = match why {
            StopReason::RunTime | StopReason::StepTime => true,
            StopReason::RunCost | StopReason::StepCost | StopReason::CostUnknown => true,
            StopReason::Lingering
            | StopReason::Idle
            | StopReason::Futile
            | StopReason::Timeout
            | StopReason::Skipped
            | StopReason::Cancelled => false,
        };
        if is_limit {
            self.last = None;
            self.try_again(loops);
        }
    }

    /// The one iteration of an agent that runs once has failed, and is tried again.
    fn try_again(&mut self, loops: bool) {
        if !loops && self.finished > 0 {
            self.interrupt = self.tries;
            self.finished = 0;
        }
    }
}
