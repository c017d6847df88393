//! What the events of a run add up to.

use std::time::Duration;

use super::recovery::{Found, Recovery};
use super::step_state::{StepState, StepStatus};
use crate::event::{Event, EventKind, LimitChanges, RunEnd};
use crate::id::RunId;
use crate::plan::{Origin, Plan, Sourced};

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
}

/// An event that cannot have happened after those before it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("does not fit what happened before: {0}")]
pub struct DoesNotFit(pub(super) &'static str);

impl DoesNotFit {
    /// There is no event at all.
    pub(crate) const fn nothing_happened() -> Self {
        Self("nothing has happened")
    }
}

impl RunState {
    /// A run that has just begun.
    pub fn new(run: RunId, plan: Plan) -> Self {
        let steps = plan.steps.iter().map(|_| StepState::new()).collect();
        Self { run, plan, steps, elapsed: Duration::ZERO, end: None }
    }

    /// Begins with the first event of a run.
    pub fn begin(first: &Event) -> Result<Self, DoesNotFit> {
        match &first.kind {
            EventKind::RunStarted { run, plan, .. } => {
                Ok(Self::new(run.clone(), Plan::clone(plan)))
            }
            _ => Err(DoesNotFit("a run begins with its plan")),
        }
    }

    /// Adds an event.
    pub fn apply(&mut self, event: &Event) -> Result<(), DoesNotFit> {
        self.advance_time(event.elapsed);
        match &event.kind {
            EventKind::RunStarted { .. } => return Err(DoesNotFit("the run has begun already")),
            EventKind::RunResumed { changes, moved_to, .. } => {
                self.resume(changes);
                moved_to.iter().for_each(|directory| self.relocate(directory));
            }
            EventKind::StepStarted { step, sight } => self.step(*step)?.begin(sight),
            EventKind::IterationStarted { unit } => {
                self.step(unit.step)?.begin_iteration(*unit, event.elapsed);
            }
            EventKind::IterationFinished { unit, report } => {
                self.step(unit.step)?.finish_iteration(*unit, report);
            }
            EventKind::StepFinished { step, end } => {
                self.step(*step)?.status = StepStatus::Ended(end.clone());
            }
            EventKind::RunFinished { end } => self.end = Some(end.clone()),
            EventKind::AgentStarted { unit, prompt, .. } => {
                self.step(unit.step)?.prompt = Some(prompt.clone());
            }
            EventKind::Spent { unit, spend } => self.step(unit.step)?.spent(*unit, *spend),
            EventKind::Waiting { step, why, until } => {
                self.step(*step)?.postponement.wait(*why, *until, event.at);
            }
            EventKind::CompletionRequested { .. }
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

    fn step(&mut self, number: usize) -> Result<&mut StepState, DoesNotFit> {
        if self.end.is_some() {
            return Err(DoesNotFit("the run was over"));
        }
        let index = number.checked_sub(1);
        let step = index.and_then(|index| self.steps.get_mut(index));
        step.ok_or(DoesNotFit("the plan has no such step"))
    }

    pub(super) fn advance_time(&mut self, elapsed: Duration) {
        let passed = elapsed.saturating_sub(self.elapsed);
        self.elapsed += passed;
        for step in self.steps.iter_mut().filter(|step| step.status == StepStatus::Open) {
            step.elapsed += passed;
        }
    }

    /// Carries out what the recovery table says.
    fn resume(&mut self, changes: &LimitChanges) {
        let recovery = Found::of(self).recovery(changes);
        change_limits(&mut self.plan, &self.steps, changes);
        match recovery {
            Recovery::Nothing => return,
            Recovery::RecordEnd | Recovery::Decide { .. } | Recovery::Begin { .. } => {}
            Recovery::Repeat(unit) => {
                let spends = self.plan.steps[unit.step - 1].agent.kind.spends();
                self.steps[unit.step - 1].cut_off(spends);
            }
            Recovery::Reopen { step } => {
                let loops = self.plan.steps[step - 1].iterations.is_some();
                self.steps[step - 1].reopen(loops);
            }
        }
        self.end = None;
        for (step, plan) in self.steps.iter_mut().zip(&self.plan.steps) {
            step.forget_used_up(plan.iterations.is_some());
            // Whoever resumes a run does not want to wait for what made it wait.
            step.crashes = 0;
            step.postponement.resume();
        }
    }

    /// Goes on at another place. A done file that was copied there is another file, so what a step
    /// had found when it began says nothing any more: it begins again, with what it has finished.
    fn relocate(&mut self, directory: &str) {
        self.plan.relocate(directory);
        let with_done_file = self.plan.steps.iter().map(|step| step.done_file.is_some());
        for (step, has_done_file) in self.steps.iter_mut().zip(with_done_file) {
            if has_done_file && !step.is_complete() {
                step.status = StepStatus::Pending;
            }
        }
    }

    /// Counts time that passed without being recorded, because we were killed.
    pub fn lose_time(&mut self, duration: Duration) {
        self.advance_time(self.elapsed + duration);
    }

    /// The first step whose work is not done, from one.
    pub fn current_step(&self) -> Option<usize> {
        self.steps.iter().position(|step| !step.is_complete()).map(|index| index + 1)
    }

    /// How many steps are complete.
    pub fn complete_steps(&self) -> usize {
        self.steps.iter().filter(|step| step.is_complete()).count()
    }
}

fn change_limits(plan: &mut Plan, steps: &[StepState], changes: &LimitChanges) {
    set(&mut plan.limits.time, changes.run_time, "--max-time");
    set(&mut plan.limits.cost, changes.run_cost, "--max-cost");
    let open = plan.steps.iter_mut().zip(steps).filter(|(_, state)| !state.is_complete());
    for (step, state) in open {
        // What has not begun is only given more: nobody thinks of it who wants to go on.
        let begun = state.status != StepStatus::Pending;
        if let (Some(most), Some(changed)) = (&mut step.iterations, changes.iterations) {
            *most = if begun { changed } else { changed.max(*most) };
        }
        set(&mut step.limits.timeout, changes.timeout, "--timeout");
        set(&mut step.limits.idle_timeout, changes.idle_timeout, "--idle-timeout");
        set(&mut step.limits.stagnation, changes.stagnation, "--stagnation");
        set(&mut step.limits.time, changes.step_time, "--step-time");
        set(&mut step.limits.cost, changes.step_cost, "--step-cost");
        set(&mut step.limits.max_wait, changes.max_wait, "--max-wait");
    }
}

fn set<T>(limit: &mut Sourced<T>, change: Option<T>, flag: &'static str) {
    if let Some(value) = change {
        *limit = Sourced::new(value, Origin::Flag(flag.into()));
    }
}
