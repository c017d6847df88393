//! What the events of a run add up to.

use std::time::Duration;

use super::step_state::{StepState, StepStatus};
use crate::config::OnHookError;
use crate::cost::UnusableFigure;
use crate::event::{
    Event, EventKind, HookMoment, HookReport, LimitChanges, Observation, OperatorMessage, RunEnd,
    StepEnd,
};
use crate::hook::HookPoint;
use crate::id::{RunId, UnitId};
use crate::machine::recovery::{RecoveryAction, RecoveryCase};
use crate::plan::Plan;

/// The state of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunState {
    /// Its name.
    pub run: RunId,
    /// What it does, with the limits that hold now.
    pub plan: Plan,
    /// Its steps.
    pub steps: Vec<StepState>,
    /// How long it has been running: awake, and not paused.
    pub elapsed: Duration,
    /// How it ended, if it did.
    pub end: Option<RunEnd>,
    /// How many work trees are kept.
    pub snapshots: u32,
    /// Somebody wants it to end when the iteration at work is over.
    pub stop_requested: bool,
    /// What somebody has to say to the next agent, in order.
    pub messages: Vec<OperatorMessage>,
    /// The number of the last message; zero if there was none.
    last_message: u32,
    /// The last agent that was about to be started.
    last_unit: Option<UnitId>,
    /// Hooks that have run since then, by their places in the plan.
    hooks: Vec<(HookMoment, usize)>,
}

/// An event that cannot have happened after those before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("does not fit what happened before: {0}")]
pub struct UnexpectedEvent(pub(crate) &'static str);

impl UnexpectedEvent {
    /// There is no event at all.
    pub(crate) const fn no_events() -> Self {
        Self("nothing has happened")
    }
}

impl RunState {
    /// A run that has just begun.
    pub fn new(run: RunId, plan: Plan) -> Self {
        let steps = plan.steps.iter().map(|_| StepState::new()).collect();
        Self {
            run,
            plan,
            steps,
            elapsed: Duration::ZERO,
            end: None,
            snapshots: 0,
            stop_requested: false,
            messages: Vec::new(),
            last_message: 0,
            last_unit: None,
            hooks: Vec::new(),
        }
    }

    /// Begins with the first event of a run.
    pub fn begin(first: &Event) -> Result<Self, UnexpectedEvent> {
        match &first.kind {
            EventKind::RunStarted { run, plan, .. } => {
                Ok(Self::new(run.clone(), Plan::clone(plan)))
            }
            _ => Err(UnexpectedEvent("a run begins with its plan")),
        }
    }

    /// Adds an event.
    pub fn apply(&mut self, event: &Event) -> Result<(), UnexpectedEvent> {
        self.advance_time(event.elapsed);
        match &event.kind {
            EventKind::RunStarted { .. } => {
                return Err(UnexpectedEvent("the run has begun already"));
            }
            EventKind::RunResumed { changes, moved_to, .. } => {
                self.resume(changes);
                moved_to.iter().for_each(|directory| self.relocate(directory));
            }
            EventKind::StepStarted { step, sight } => {
                self.step(*step)?.begin(sight);
                self.count_snapshot(sight);
            }
            EventKind::IterationStarted { unit } => {
                self.step(unit.step)?.begin_iteration(*unit, event.elapsed);
                self.last_unit = Some(*unit);
                self.hooks.clear();
            }
            EventKind::AgentFinished { unit, report } => {
                self.step(unit.step)?.finish_agent(*unit, report);
                self.count_snapshot(&report.sight);
            }
            EventKind::IterationFinished { unit, report } => {
                self.step(unit.step)?.finish_iteration(*unit, report);
                let loops = self.plan.steps[unit.step - 1].iterations.is_some();
                self.steps[unit.step - 1].forgive_observation(loops);
                self.count_snapshot(&report.sight);
                self.settle_messages(unit.step, report.has_outcome());
            }
            EventKind::HookFinished { report } => self.note_hook(report),
            EventKind::Surveyed { step, work } => self.step(*step)?.work = Some(work.clone()),
            EventKind::StepFinished { step, end } => {
                self.step(*step)?.status = StepStatus::Ended(end.clone());
            }
            EventKind::RunFinished { end } => self.end = Some(end.clone()),
            EventKind::AgentStarted { unit, prompt, .. } => {
                self.step(unit.step)?.prompt = Some(prompt.clone());
            }
            EventKind::CheckFinished { unit, .. } => {
                self.step(unit.step)?;
            }
            EventKind::TasksChanged { unit, .. } => {
                self.step(unit.step)?.tasks_recorded = Some(*unit);
            }
            EventKind::Spent { unit, spend } => self.step(unit.step)?.spent(*unit, *spend),
            EventKind::Waiting { step, why, until } => {
                self.step(*step)?.postponement.wait(*why, *until, event.at);
            }
            EventKind::StopRequested => self.stop_requested = true,
            EventKind::SkipRequested { step } => self.step(*step)?.skip = true,
            EventKind::MessageQueued { message } => {
                self.last_message = self.last_message.max(message.number);
                self.messages.push(message.clone());
            }
            EventKind::MessagesGiven { unit, messages } => self.give(*unit, messages)?,
            EventKind::LimitsChanged { changes } => {
                change_limits(&mut self.plan, &self.steps, changes);
                if sets_cost(changes) {
                    self.accept_unknown_costs();
                }
            }
            EventKind::Warning { message } if UnusableFigure::is_warning(message) => {
                let at_work = self.steps.iter_mut().filter(|step| step.running.is_some());
                at_work.for_each(|step| step.has_unusable_figure = true);
            }
            EventKind::CompletionRequested { .. }
            | EventKind::ErrandStarted { .. }
            | EventKind::AgentEnding { .. }
            | EventKind::BackingOff { .. }
            | EventKind::Cancelled { .. }
            | EventKind::Paused
            | EventKind::Continued
            | EventKind::MachineSlept { .. }
            | EventKind::Warning { .. } => {}
        }
        Ok(())
    }

    fn step(&mut self, number: usize) -> Result<&mut StepState, UnexpectedEvent> {
        if self.end.is_some() {
            return Err(UnexpectedEvent("the run was over"));
        }
        let index = number.checked_sub(1);
        let step = index.and_then(|index| self.steps.get_mut(index));
        step.ok_or(UnexpectedEvent("the plan has no such step"))
    }

    fn count_snapshot(&mut self, sight: &Observation) {
        let number = sight.snapshot.as_ref().map(|snapshot| snapshot.number.saturating_add(1));
        self.snapshots = self.snapshots.max(number.unwrap_or_default());
    }

    /// An agent that is about to be started is told what waits for it.
    fn give(&mut self, unit: UnitId, numbers: &[u32]) -> Result<(), UnexpectedEvent> {
        let step = self.step(unit.step)?;
        if step.running != Some(unit) {
            return Ok(());
        }
        let is_given = |message: &mut OperatorMessage| numbers.contains(&message.number);
        let given: Vec<OperatorMessage> = self.messages.extract_if(.., is_given).collect();
        self.steps[unit.step - 1].given.extend(given);
        Ok(())
    }

    /// A try of a step is over. If nothing came of it, the next agent is told what it was told.
    fn settle_messages(&mut self, step: usize, has_outcome: bool) {
        let given = std::mem::take(&mut self.steps[step - 1].given);
        if !has_outcome {
            self.messages.splice(0..0, given);
        }
    }

    /// What was said to agents and has not been heard by one that came to something.
    pub(crate) fn undelivered(&self) -> impl Iterator<Item = &OperatorMessage> {
        self.steps.iter().flat_map(|step| &step.given).chain(&self.messages)
    }

    /// The number of the last message; zero if there was none.
    pub const fn last_message(&self) -> u32 {
        self.last_message
    }

    /// The last agent that was about to be started.
    pub const fn last_unit(&self) -> Option<UnitId> {
        self.last_unit
    }

    /// Whether a hook, by its place in the plan, has run at a moment.
    pub(crate) fn has_run(&self, moment: HookMoment, number: usize) -> bool {
        self.hooks.contains(&(moment, number))
    }

    /// A hook is over. One that must not fail is called again when the run goes on; but nobody waits
    /// for ever at an end.
    fn note_hook(&mut self, report: &HookReport) {
        let hook = report.number.checked_sub(1).and_then(|index| self.plan.hooks.get(index));
        let must_not_fail = hook.is_some_and(|hook| hook.value.on_error == OnHookError::Abort);
        let is_final = is_end(report.moment, self.last_unit);
        if is_final || !must_not_fail || report.failure.is_none() {
            self.hooks.push((report.moment, report.number));
        }
    }

    pub(crate) fn advance_time(&mut self, elapsed: Duration) {
        let passed = elapsed.saturating_sub(self.elapsed);
        self.elapsed += passed;
        for step in self.steps.iter_mut().filter(|step| step.status == StepStatus::Open) {
            step.elapsed += passed;
        }
    }

    /// Carries out what the recovery table says.
    fn resume(&mut self, changes: &LimitChanges) {
        // Whoever resumes a run wants it to go on.
        self.stop_requested = false;
        // Whoever resumes a run that ended for this reason knows it.
        let is_known = self.steps.iter().any(|step| step.end() == Some(&StepEnd::CostUnknown));
        let recovery = RecoveryCase::from_state(self).recovery(changes);
        change_limits(&mut self.plan, &self.steps, changes);
        match recovery {
            RecoveryAction::Nothing => return,
            RecoveryAction::RecordEnd
            | RecoveryAction::Decide { .. }
            | RecoveryAction::Check(_)
            | RecoveryAction::Begin { .. } => {}
            RecoveryAction::Repeat(unit) => {
                let spends = self.plan.steps[unit.step - 1].agent.kind.reports_spend();
                self.steps[unit.step - 1].cut_off(spends);
                self.settle_messages(unit.step, false);
            }
            RecoveryAction::Reopen { step } => {
                let loops = self.plan.steps[step - 1].iterations.is_some();
                self.steps[step - 1].reopen(loops);
            }
        }
        let is_over = self.end.take().is_some();
        if is_over || matches!(recovery, RecoveryAction::Reopen { .. }) {
            // Whoever was told of that end is told of the next one as well.
            let last_unit = self.last_unit;
            self.hooks.retain(|(moment, _)| !is_end(*moment, last_unit));
        }
        for (step, plan) in self.steps.iter_mut().zip(&self.plan.steps) {
            step.resume(plan.iterations.is_some());
        }
        if is_known || sets_cost(changes) {
            self.accept_unknown_costs();
        }
    }

    /// Costs that are not known do not count from now on.
    fn accept_unknown_costs(&mut self) {
        self.steps.iter_mut().for_each(|step| step.unknown_cost = false);
    }

    /// Goes on at another place. A done file that was copied there is another file, so what a step
    /// had found when it began says nothing any more: it begins again, with what it has finished.
    fn relocate(&mut self, directory: &str) {
        self.plan.relocate(directory);
        let with_done_file = self.plan.steps.iter().map(|step| step.done_file.is_some());
        for (step, has_done_file) in self.steps.iter_mut().zip(with_done_file) {
            if has_done_file && !step.allows_next_step() {
                step.status = StepStatus::Pending;
            }
        }
    }

    /// Counts time that passed without being recorded, because we were killed.
    pub fn add_lost_time(&mut self, duration: Duration) {
        self.advance_time(self.elapsed + duration);
    }

    /// The first step whose work is not done although somebody wants it done, from one.
    pub fn current_step(&self) -> Option<usize> {
        self.steps.iter().position(|step| !step.allows_next_step()).map(|index| index + 1)
    }

    /// How many steps are complete.
    pub fn complete_steps(&self) -> usize {
        self.steps.iter().filter(|step| step.is_complete()).count()
    }
}

/// Whether a moment is an end of the run. A limit delays the next agent, or ends the run after the last.
fn is_end(moment: HookMoment, last_unit: Option<UnitId>) -> bool {
    match moment.point {
        HookPoint::PreIteration | HookPoint::PostIteration => false,
        HookPoint::OnLimit => moment.unit == last_unit,
        HookPoint::OnComplete
        | HookPoint::OnStagnation
        | HookPoint::OnFailure
        | HookPoint::OnInterrupt => true,
    }
}

/// Whether a limit of cost is set, which holds from then on.
const fn sets_cost(changes: &LimitChanges) -> bool {
    changes.run_cost.is_some() || changes.step_cost.is_some()
}

fn change_limits(plan: &mut Plan, steps: &[StepState], changes: &LimitChanges) {
    // The limits of the run change also if no step is left.
    changes.apply_to_run(&mut plan.limits);
    let open = plan.steps.iter_mut().zip(steps).filter(|(_, state)| !state.allows_next_step());
    for (step, state) in open {
        // A step that has not begun never gets fewer iterations: the new number is meant for the
        // current loop.
        let begun = state.status != StepStatus::Pending;
        if let (Some(most), Some(changed)) = (&mut step.iterations, changes.iterations) {
            *most = if begun { changed } else { changed.max(*most) };
        }
        changes.apply_to_step(&mut step.limits);
    }
}
