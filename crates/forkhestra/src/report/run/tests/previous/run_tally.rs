//! Fold of a run's events into what the reporter prints.

use std::time::Duration;

use forkhestra_core::config::OnHookError;
use forkhestra_core::cost::{Spend, UnusableFigure};
use forkhestra_core::event::{
    AgentEnd, AgentOutcome, ClaimRefusal, Event, EventKind, HookReport, IterationReport,
    LimitChanges, Observation, PathList, StepEnd, StopReason, Verdict, WorkSummary,
};
use forkhestra_core::explain::EndFacts;
use forkhestra_core::hook::HookPoint;
use forkhestra_core::id::{RunId, UnitId};
use forkhestra_core::limit::{HumanDuration, Limit, Usd};
use forkhestra_core::machine::{RecoveryAction, RecoveryCase};
use forkhestra_core::plan::{AgentKind, Plan};
use forkhestra_core::policy::TaskQuery;
use forkhestra_core::text::count::Count;
use forkhestra_core::time::Timestamp;
use typeset::text::visible;

use super::steering::PreviousRequests;
use crate::report::text::local_time::minute_in_zone;
use crate::report::text::spend;

/// State of a run, including the time before it was resumed.
pub(super) struct PreviousTally {
    /// The identifier, once the run has started.
    pub(super) run: Option<RunId>,
    pub(super) steps: Vec<PreviousStepTally>,
    /// Whether the journal contains the end of the run.
    is_over: bool,
    pub(super) limit: Limit<HumanDuration>,
    pub(super) elapsed: Duration,
    pub(super) cost_limit: Limit<Usd>,
    /// Whether all agents are replayed recordings, so that nothing is paid.
    pub(super) is_replay: bool,
    /// Time of the last event.
    pub(super) at: Timestamp,
    /// Operator requests that are still pending.
    pub(super) wishes: PreviousRequests,
}

/// State of a step.
pub(super) struct PreviousStepTally {
    pub(super) number: usize,
    /// Name of the agent, safe to print.
    pub(super) name: String,
    /// Maximum number of iterations; none for an agent that runs once.
    pub(super) most: Option<u32>,
    pub(super) limit: Limit<HumanDuration>,
    pub(super) cost_limit: Limit<Usd>,
    /// Maximum wait for the provider of the agent.
    pub(super) max_wait: Limit<HumanDuration>,
    /// Maximum time without progress of the agent.
    pub(super) idle_timeout: Limit<HumanDuration>,
    /// Whether the agent's stream can be parsed, unless another program replaces the agent.
    pub(super) is_known_agent: bool,
    /// Maximum number of turns in one iteration.
    pub(super) max_turns: Option<u32>,
    /// The only task of the step, safe to print.
    pub(super) task: Option<String>,
    /// Number of finished iterations. An interrupted iteration does not count: it is repeated.
    pub(super) iterations: u32,
    /// How the last agent's process ended.
    pub(super) last_end: Option<AgentEnd>,
    /// The outcome in the last agent's stream.
    pub(super) outcome: Option<AgentOutcome>,
    /// Why forkhestra stops the running agent or stopped the last one.
    pub(super) ending: Option<StopReason>,
    /// Observation at the start of the step.
    pub(super) before: Observation,
    /// Report of the last iteration.
    pub(super) last: Option<IterationReport>,
    /// Whether the last agent reported an implausible figure.
    pub(super) has_unusable_figure: bool,
    /// Protected files that the last iteration changed without being refused for it.
    pub(super) changed: Option<PathList>,
    /// Work in the repository, once it has been surveyed.
    pub(super) work: Option<WorkSummary>,
    /// Whether the operator requested to skip the step.
    pub(super) skip: bool,
    pub(super) end: Option<StepEnd>,
    /// Spend of the finished agents and of the running one.
    spend: Spend,
    spending: Option<Spend>,
    running: Option<UnitId>,
    /// The finished agent whose work has not been checked. Its spend is already counted.
    unchecked: Option<UnitId>,
    /// Whether `AgentFinished` preceded the last `IterationFinished`.
    pub(super) was_gone: bool,
    /// The last finished iteration and the hooks that ran after it: number in the plan and whether
    /// the hook failed.
    after: Option<(UnitId, Vec<(usize, bool)>)>,
    /// First and last event of the step, on the clock of the run.
    times: Option<(Duration, Duration)>,
}

impl PreviousTally {
    /// Creates the state of a run that has not started.
    pub(super) fn new(plan: &Plan) -> Self {
        let steps = plan.steps.iter().map(|step| PreviousStepTally {
            number: step.number,
            name: visible(&step.agent.name),
            most: step.iterations.map(Count::get),
            limit: step.limits.time.value,
            cost_limit: step.limits.cost.value,
            max_wait: step.limits.max_wait.value,
            idle_timeout: step.limits.idle_timeout.value,
            is_known_agent: matches!(step.agent.kind, AgentKind::Direct(_)),
            max_turns: max_turns(&step.agent.kind),
            task: TaskQuery::of(step, &Observation::default()).only.map(|id| visible(&id)),
            iterations: 0,
            last_end: None,
            outcome: None,
            ending: None,
            before: Observation::default(),
            last: None,
            has_unusable_figure: false,
            changed: None,
            work: None,
            skip: false,
            end: None,
            spend: Spend::default(),
            spending: None,
            running: None,
            unchecked: None,
            was_gone: false,
            after: None,
            times: None,
        });
        let (steps, limit) = (steps.collect(), plan.limits.time.value);
        let (cost_limit, at) = (plan.limits.cost.value, Timestamp::default());
        let is_replay = plan.steps.iter().all(|step| step.agent.replay.is_some());
        Self {
            run: None,
            steps,
            is_over: false,
            limit,
            elapsed: Duration::ZERO,
            cost_limit,
            is_replay,
            at,
            wishes: PreviousRequests::default(),
        }
    }

    /// Applies an event.
    pub(super) fn absorb(&mut self, event: &Event) {
        self.elapsed = event.elapsed;
        self.at = event.at;
        self.wishes.absorb(event);
        match &event.kind {
            EventKind::RunStarted { run, .. } => self.run = Some(run.clone()),
            EventKind::RunResumed { changes, .. } => self.reopen(changes),
            EventKind::LimitsChanged { changes } => self.change_limits(changes),
            EventKind::RunFinished { .. } => self.is_over = true,
            EventKind::SkipRequested { step } => {
                self.step_mut(*step).into_iter().for_each(|step| step.skip = true);
            }
            EventKind::Warning { message } if UnusableFigure::is_warning(message) => {
                let at_work = self.steps.iter_mut().filter(|step| step.running.is_some());
                at_work.for_each(|step| step.has_unusable_figure = true);
            }
            EventKind::HookFinished { report } => {
                let step = report.moment.unit.and_then(|unit| self.step_mut(unit.step));
                step.into_iter().for_each(|step| step.note_hook(report));
            }
            _ => {}
        }
        if let Some(step) = step_of(event).and_then(|step| self.step_mut(step)) {
            step.absorb(event);
        }
    }

    /// A step by its number, counted from one.
    pub(super) fn step(&self, number: usize) -> Option<&PreviousStepTally> {
        self.steps.get(number.checked_sub(1)?)
    }

    /// Whether any step has started.
    pub(super) fn has_begun(&self) -> bool {
        self.steps.iter().any(PreviousStepTally::has_begun)
    }

    /// Number of completed steps.
    pub(super) fn complete(&self) -> usize {
        self.steps.iter().filter(|step| step.is_complete()).count()
    }

    /// Number of skipped steps.
    pub(super) fn skipped(&self) -> usize {
        self.steps.iter().filter(|step| step.is_skipped()).count()
    }

    /// Spend of all agents, if anything is known.
    pub(super) fn spend(&self) -> Option<Spend> {
        spend::known(self.steps.iter().map(PreviousStepTally::all_spend).sum())
    }

    /// The first step that is neither complete nor skipped.
    pub(super) fn next(&self) -> Option<&PreviousStepTally> {
        self.steps.iter().find(|step| !step.is_behind())
    }

    fn step_mut(&mut self, number: usize) -> Option<&mut PreviousStepTally> {
        self.steps.get_mut(number.checked_sub(1)?)
    }

    /// Reopens unfinished steps of a resumed run, unless only the end of the run has yet to be
    /// recorded.
    fn reopen(&mut self, changes: &LimitChanges) {
        let was_over = std::mem::take(&mut self.is_over);
        self.steps.iter_mut().for_each(PreviousStepTally::cut_off);
        for step in self.steps.iter_mut().filter(|step| !step.is_behind()) {
            let (number, cancelled) = (step.number, step.end == Some(StepEnd::Cancelled));
            let found = if was_over {
                RecoveryCase::Ended { step: number }
            } else {
                RecoveryCase::StepEnded { step: number, cancelled }
            };
            if matches!(found.recovery(changes), RecoveryAction::Reopen { .. }) {
                step.end = None;
            }
        }
        self.change_limits(changes);
    }

    /// Limits of steps apply to the steps that are not finished.
    fn change_limits(&mut self, changes: &LimitChanges) {
        self.limit = changes.run_time.unwrap_or(self.limit);
        self.cost_limit = changes.run_cost.unwrap_or(self.cost_limit);
        for step in self.steps.iter_mut().filter(|step| !step.is_behind()) {
            step.limit = changes.step_time.unwrap_or(step.limit);
            step.cost_limit = changes.step_cost.unwrap_or(step.cost_limit);
            step.max_wait = changes.max_wait.unwrap_or(step.max_wait);
            step.idle_timeout = changes.idle_timeout.unwrap_or(step.idle_timeout);
            let begun = step.has_begun();
            if let (Some(most), Some(changed)) = (&mut step.most, changes.iterations) {
                *most = if begun { changed.get() } else { changed.get().max(*most) };
            }
        }
    }
}

impl PreviousStepTally {
    /// Whether the step is complete.
    pub(super) fn is_complete(&self) -> bool {
        self.end.as_ref().is_some_and(StepEnd::is_complete)
    }

    /// Whether the operator skipped the step.
    pub(super) fn is_skipped(&self) -> bool {
        self.end == Some(StepEnd::Skipped)
    }

    /// Whether nothing is left to do in the step.
    pub(super) fn is_behind(&self) -> bool {
        self.end.as_ref().is_some_and(StepEnd::allows_next_step)
    }

    /// Whether the step has started.
    pub(super) fn has_begun(&self) -> bool {
        self.times.is_some()
    }

    /// Duration of the step, including the time before the run was resumed.
    pub(super) fn time(&self) -> Duration {
        self.times.map_or(Duration::ZERO, |(from, to)| to.saturating_sub(from))
    }

    /// Facts that explain the end of the step.
    pub(super) fn facts(&self) -> EndFacts<'_> {
        EndFacts {
            iterations: self.iterations,
            max_wait: self.max_wait,
            last: self.last.as_ref(),
            moment: &minute_in_zone,
            ..EndFacts::UNKNOWN
        }
    }

    /// Spend of the step's agents, if anything is known.
    pub(super) fn spend(&self) -> Option<Spend> {
        spend::known(self.all_spend())
    }

    fn all_spend(&self) -> Spend {
        self.spend + self.spending.unwrap_or_default()
    }

    /// Settles the agent that was running when the run was interrupted.
    fn cut_off(&mut self) {
        self.running = None;
        self.spend += self.spending.take().unwrap_or_default();
    }

    fn absorb(&mut self, event: &Event) {
        let (from, _) = self.times.unwrap_or((event.elapsed, event.elapsed));
        self.times = Some((from, event.elapsed));
        match &event.kind {
            EventKind::StepStarted { sight, .. } => self.before = sight.clone(),
            EventKind::IterationStarted { unit } => {
                self.ending = None;
                self.has_unusable_figure = false;
                self.unchecked = None;
                self.running = Some(*unit);
                self.after = None;
            }
            EventKind::Spent { unit, spend } if self.running == Some(*unit) => {
                self.spending = Some(*spend);
            }
            EventKind::AgentEnding { why, .. } => self.ending = Some(*why),
            EventKind::AgentFinished { unit, report } => {
                self.settle(*unit, report);
                self.unchecked = Some(*unit);
            }
            EventKind::IterationFinished { unit, report } => {
                self.was_gone = self.unchecked == Some(*unit);
                self.last_end.clone_from(&report.end);
                self.outcome = report.heard.as_ref().map(|heard| heard.outcome.clone());
                self.settle(*unit, report);
                if report.verdict != Verdict::Interrupted {
                    self.after = Some((*unit, Vec::new()));
                }
                if report.has_outcome() {
                    self.iterations = self.iterations.max(unit.iteration);
                }
                self.changed = newly_changed(self.last.as_ref(), report);
                self.last = Some(report.clone());
            }
            EventKind::Surveyed { work, .. } => self.work = Some(work.clone()),
            EventKind::StepFinished { end, .. } => self.end = Some(end.clone()),
            _ => {}
        }
    }

    fn note_hook(&mut self, HookReport { moment, number, failure, .. }: &HookReport) {
        let Some((unit, hooks)) = self.after.as_mut() else { return };
        let is_after = moment.point == HookPoint::PostIteration && moment.unit == Some(*unit);
        if is_after {
            hooks.push((*number, failure.is_some()));
        }
    }

    /// Whether a hook after the last iteration has not run, or has failed although its failure ends
    /// the run.
    pub(super) fn awaits_hooks(&self, plan: &Plan) -> bool {
        let Some((_, called)) = &self.after else { return false };
        let mut hooks =
            (1..).zip(&plan.hooks).filter(|(_, hook)| hook.value.on == HookPoint::PostIteration);
        hooks.any(|(number, hook)| {
            let must_not_fail = hook.value.on_error == OnHookError::Abort;
            !called.iter().any(|(of, failed)| *of == number && !(*failed && must_not_fail))
        })
    }

    /// Adds the spend of a finished agent. The spend of an interrupted agent was added when the run
    /// was resumed.
    fn settle(&mut self, unit: UnitId, report: &IterationReport) {
        if self.unchecked == Some(unit) {
            self.unchecked = None;
            return;
        }
        if report.verdict != Verdict::Interrupted || self.running == Some(unit) {
            let told = self.spending.take();
            self.spend += report.spend.or(told).unwrap_or_default();
            self.running = None;
        }
    }
}

/// Changed protected files, unless they were already reported or are the reason of a refusal.
fn newly_changed(last: Option<&IterationReport>, report: &IterationReport) -> Option<PathList> {
    let changed =
        |report: &IterationReport| report.sight.protected.clone().filter(|paths| !paths.is_empty());
    let is_told = last.and_then(changed) == changed(report)
        || report.verdict == Verdict::Refused(ClaimRefusal::ProtectedFiles);
    changed(report).filter(|_| !is_told)
}

fn max_turns(kind: &AgentKind) -> Option<u32> {
    match kind {
        AgentKind::Direct(direct) => direct.max_turns.map(Count::get),
        AgentKind::Program(_) => None,
    }
}

/// The step whose duration an event extends.
const fn step_of(event: &Event) -> Option<usize> {
    match event.kind {
        EventKind::ErrandStarted { .. }
        | EventKind::HookFinished { .. }
        | EventKind::SkipRequested { .. }
        | EventKind::MessagesGiven { .. } => None,
        _ => event.scope.step(),
    }
}
