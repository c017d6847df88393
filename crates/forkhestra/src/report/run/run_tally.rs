//! What the events of a run add up to, as far as a person is told of it.

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

use super::steering::PendingRequests;
use crate::report::text::local_time::minute_in_zone;
use crate::report::text::spend;

/// A run so far, its earlier lives included.
pub(super) struct RunTally {
    /// Its name, once it has begun.
    pub(super) run: Option<RunId>,
    pub(super) steps: Vec<StepTally>,
    /// Whether the journal says how the run ended.
    is_over: bool,
    /// The time that there is for the run, and how much of it is used.
    pub(super) limit: Limit<HumanDuration>,
    pub(super) elapsed: Duration,
    /// What the run may cost.
    pub(super) cost_limit: Limit<Usd>,
    /// Whether nothing but recordings is played, so that nothing is paid.
    pub(super) is_replay: bool,
    /// When something last happened.
    pub(super) at: Timestamp,
    /// What somebody asked of it while it goes on.
    pub(super) wishes: PendingRequests,
}

/// A step so far.
pub(super) struct StepTally {
    pub(super) number: usize,
    /// The name of the agent, safe to print.
    pub(super) name: String,
    /// The most iterations of a loop; none for an agent that runs once.
    pub(super) most: Option<u32>,
    /// The time that there is for it.
    pub(super) limit: Limit<HumanDuration>,
    /// What it may cost.
    pub(super) cost_limit: Limit<Usd>,
    /// How long its agent may wait for its provider.
    pub(super) max_wait: Limit<HumanDuration>,
    /// How long its agent may make no progress.
    pub(super) idle_timeout: Limit<HumanDuration>,
    /// Whether its agent is one whose stream is understood, unless another program stands in for it.
    pub(super) is_known_agent: bool,
    /// How many turns its agent may take in one iteration.
    pub(super) max_turns: Option<u32>,
    /// The only task that it is to do, safe to print.
    pub(super) task: Option<String>,
    /// How many iterations are over. One that was cut off does not count: it is tried again.
    pub(super) iterations: u32,
    /// How the last agent's process ended.
    pub(super) last_end: Option<AgentEnd>,
    /// How the last agent's stream says that it went.
    pub(super) outcome: Option<AgentOutcome>,
    /// Why we are ending the agent that runs now, or ended the last one.
    pub(super) ending: Option<StopReason>,
    /// What was there before it.
    pub(super) before: Observation,
    /// What came of the last iteration.
    pub(super) last: Option<IterationReport>,
    /// Whether the last agent reported a figure that cannot be right.
    pub(super) has_unusable_figure: bool,
    /// Protected files that the last iteration changed although none of them stopped it.
    pub(super) changed: Option<PathList>,
    /// What was made of the repository, once that has been looked at.
    pub(super) work: Option<WorkSummary>,
    /// Whether somebody wants it to end, and the next one to begin.
    pub(super) skip: bool,
    /// How the step ended, if it did.
    pub(super) end: Option<StepEnd>,
    /// What its agents that are gone have spent, and the one at work.
    spend: Spend,
    spending: Option<Spend>,
    /// The agent at work.
    running: Option<UnitId>,
    /// The agent that is gone, but whose work has not been checked. What it spent is counted.
    unchecked: Option<UnitId>,
    /// That the last agent was gone was told before what came of it.
    pub(super) was_gone: bool,
    /// The last iteration that came to an end, and which of the hooks after it were called, by their
    /// places in the plan, and whether they failed.
    after: Option<(UnitId, Vec<(usize, bool)>)>,
    /// When it began and when it was last heard of, on the clock of the run.
    times: Option<(Duration, Duration)>,
}

impl RunTally {
    /// A run that has not begun.
    pub(super) fn new(plan: &Plan) -> Self {
        let steps = plan.steps.iter().map(|step| StepTally {
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
            wishes: PendingRequests::default(),
        }
    }

    /// Takes in what happened.
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

    /// A step by its number, from one.
    pub(super) fn step(&self, number: usize) -> Option<&StepTally> {
        self.steps.get(number.checked_sub(1)?)
    }

    /// Whether a step has begun.
    pub(super) fn has_begun(&self) -> bool {
        self.steps.iter().any(StepTally::has_begun)
    }

    /// How many steps are done.
    pub(super) fn complete(&self) -> usize {
        self.steps.iter().filter(|step| step.is_complete()).count()
    }

    /// How many steps somebody did not want done.
    pub(super) fn skipped(&self) -> usize {
        self.steps.iter().filter(|step| step.is_skipped()).count()
    }

    /// What all agents have spent, if anything is known of that.
    pub(super) fn spend(&self) -> Option<Spend> {
        spend::known(self.steps.iter().map(StepTally::all_spend).sum())
    }

    /// What a run that goes on has to do next.
    pub(super) fn next(&self) -> Option<&StepTally> {
        self.steps.iter().find(|step| !step.is_behind())
    }

    fn step_mut(&mut self, number: usize) -> Option<&mut StepTally> {
        self.steps.get_mut(number.checked_sub(1)?)
    }

    /// A run that goes on tries again what it did not complete, unless all that is left to do is to
    /// record how it ended.
    fn reopen(&mut self, changes: &LimitChanges) {
        let was_over = std::mem::take(&mut self.is_over);
        self.steps.iter_mut().for_each(StepTally::cut_off);
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

    /// Limits of steps hold for those that are left.
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

impl StepTally {
    /// Whether the work of the step is done.
    pub(super) fn is_complete(&self) -> bool {
        self.end.as_ref().is_some_and(StepEnd::is_complete)
    }

    /// Whether somebody did not want it done.
    pub(super) fn is_skipped(&self) -> bool {
        self.end == Some(StepEnd::Skipped)
    }

    /// Whether nothing is left to do in it.
    pub(super) fn is_behind(&self) -> bool {
        self.end.as_ref().is_some_and(StepEnd::allows_next_step)
    }

    /// Whether it has begun.
    pub(super) fn has_begun(&self) -> bool {
        self.times.is_some()
    }

    /// How long it has taken, in all lives of the run together.
    pub(super) fn time(&self) -> Duration {
        self.times.map_or(Duration::ZERO, |(from, to)| to.saturating_sub(from))
    }

    /// What is known of it beside how it ended.
    pub(super) fn facts(&self) -> EndFacts<'_> {
        EndFacts {
            iterations: self.iterations,
            max_wait: self.max_wait,
            last: self.last.as_ref(),
            moment: &minute_in_zone,
            ..EndFacts::UNKNOWN
        }
    }

    /// What its agents have spent, if anything is known of that.
    pub(super) fn spend(&self) -> Option<Spend> {
        spend::known(self.all_spend())
    }

    fn all_spend(&self) -> Spend {
        self.spend + self.spending.unwrap_or_default()
    }

    /// The run goes on without the agent that was at work.
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

    /// Whether a hook after the last iteration has not been called, or must not fail and has failed.
    pub(super) fn awaits_hooks(&self, plan: &Plan) -> bool {
        let Some((_, called)) = &self.after else { return false };
        let mut hooks =
            (1..).zip(&plan.hooks).filter(|(_, hook)| hook.value.on == HookPoint::PostIteration);
        hooks.any(|(number, hook)| {
            let must_not_fail = hook.value.on_error == OnHookError::Abort;
            !called.iter().any(|(of, failed)| *of == number && !(*failed && must_not_fail))
        })
    }

    /// What an agent that was cut off has spent was counted when the run was resumed.
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

/// Protected files that were changed, unless that was told before or is the reason of a refusal.
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

/// The step whose time an event extends.
const fn step_of(event: &Event) -> Option<usize> {
    match event.kind {
        EventKind::ErrandStarted { .. }
        | EventKind::HookFinished { .. }
        | EventKind::SkipRequested { .. }
        | EventKind::MessagesGiven { .. } => None,
        _ => event.scope().step(),
    }
}
