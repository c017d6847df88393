//! Whether an event can have happened after those before it, and what is missing if not.

use super::Mender;
use super::errands::leaves_unchecked;
use super::later::order;
use crate::event::{
    Cancel, Ending, Errand, EventKind, HookReport, IterationReport, LimitChanges, RunEnd, StepEnd,
    Verdict,
};
use crate::id::UnitId;
use crate::machine::next::{Next, Situation, next};
use crate::machine::step_state::{StepState, StepStatus};
use crate::plan::Step;

/// Why an event cannot stand where it is.
pub(super) enum Missing {
    /// This must have happened before.
    Before(Box<EventKind>),
    /// It cannot have happened.
    NoPlace(&'static str),
}

pub(super) type Check = Result<(), Missing>;

pub(super) fn missing(kind: EventKind) -> Check {
    Err(Missing::Before(Box::new(kind)))
}

pub(super) fn no_place(why: &'static str) -> Check {
    Err(Missing::NoPlace(why))
}

impl Mender<'_> {
    /// Whether an event fits. The first thing that is missing is told; more may be.
    pub(super) fn check(&self, index: usize, kind: &EventKind) -> Check {
        match kind {
            EventKind::RunStarted { .. } => no_place("the run had begun already"),
            _ if self.state.end == Some(RunEnd::Complete) => no_place("the run was complete"),
            EventKind::RunResumed { run, changes, .. } => self.check_resumed(index, run, changes),
            _ if self.state.end.is_some() => missing(self.resumed()),
            EventKind::StepStarted { step, .. } => self.check_step_start(index, *step),
            EventKind::IterationStarted { unit } => self.check_start(index, *unit),
            EventKind::IterationFinished { unit, report } if self.is_cut_off(*unit, report) => {
                Ok(())
            }
            EventKind::AgentEnding { unit, why: Ending::Skipped } => {
                self.check_at_work(index, *unit)?;
                self.check_unwanted(unit.step)
            }
            EventKind::AgentStarted { unit, .. }
            | EventKind::CompletionRequested { unit, .. }
            | EventKind::Spent { unit, .. }
            | EventKind::MessagesGiven { unit, .. }
            | EventKind::AgentEnding { unit, .. }
            | EventKind::AgentFinished { unit, .. } => self.check_at_work(index, *unit),
            EventKind::TasksChanged { unit, .. } if self.is_over(*unit) => Ok(()),
            EventKind::TasksChanged { unit, .. }
                if self.is_at_work(*unit) && self.is_repeated(index, *unit) =>
            {
                missing(self.resumed())
            }
            EventKind::CheckFinished { unit, .. }
            | EventKind::TasksChanged { unit, .. }
            | EventKind::ErrandStarted {
                errand: Errand::Check { unit, .. } | Errand::Setup { unit },
                ..
            } => self.check_inspected(index, *unit, kind),
            EventKind::IterationFinished { unit, .. } if self.is_unchecked(*unit) => Ok(()),
            EventKind::IterationFinished { unit, .. } => self.check_at_work(index, *unit),
            EventKind::HookFinished { report: HookReport { moment, .. } }
            | EventKind::ErrandStarted { errand: Errand::Hook { moment, .. }, .. } => {
                self.check_moment(index, *moment)
            }
            EventKind::Surveyed { step, .. } => self.check_surveyed(index, *step),
            EventKind::BackingOff { step, .. } | EventKind::Waiting { step, .. } => {
                self.check_open(index, *step)?;
                self.check_nobody_at_work(index, *step, kind)
            }
            EventKind::StepFinished { step, end } => self.check_step_end(index, *step, end, kind),
            EventKind::RunFinished { end } => self.check_run_end(index, end),
            EventKind::SkipRequested { step } => self.check_turn(index, *step),
            EventKind::Cancelled { by: Cancel::Stop } => self.check_stopped(index),
            EventKind::StopRequested
            | EventKind::MessageQueued { .. }
            | EventKind::LimitsChanged { .. }
            | EventKind::Cancelled { .. }
            | EventKind::Paused
            | EventKind::Continued
            | EventKind::MachineSlept { .. }
            | EventKind::Warning { .. } => Ok(()),
        }
    }

    /// Something must have happened that needs what is before it, too.
    pub(super) fn require(&self, index: usize, kind: EventKind) -> Check {
        self.check(index, &kind)?;
        missing(kind)
    }

    pub(super) fn resumed(&self) -> EventKind {
        EventKind::RunResumed {
            run: self.state.run.clone(),
            changes: LimitChanges::default(),
            moved_to: None,
            program: self.clues.program.clone(),
        }
    }

    pub(super) fn step(&self, number: usize) -> (&StepState, &Step) {
        (&self.state.steps[number - 1], &self.state.plan.steps[number - 1])
    }

    pub(super) fn step_of_plan(&self, number: usize) -> Option<&StepState> {
        number.checked_sub(1).and_then(|index| self.state.steps.get(index))
    }

    /// What decides about a step whatever it has used up of time and money.
    pub(super) fn without_limits<'b>(
        &self,
        index: usize,
        step: &'b StepState,
        plan: &'b Step,
    ) -> Situation<'b> {
        let now = self.readable[index].event.at;
        Situation { step, plan, run_time_left: true, cost: None, now }
    }

    /// It is a step's turn when all before it are complete or skipped.
    pub(super) fn check_turn(&self, index: usize, step: usize) -> Check {
        if step == 0 || step > self.state.steps.len() {
            return no_place("the plan has no such step");
        }
        match self.state.current_step() {
            Some(current) if current == step => Ok(()),
            Some(_) if self.is_contradicted(index, step, None) => {
                no_place("what follows is about an earlier step")
            }
            Some(current) if current < step => {
                let end = self.behind_by(current);
                self.require(index, EventKind::StepFinished { step: current, end })
            }
            _ => no_place("the step was complete"),
        }
    }

    fn check_step_start(&self, index: usize, step: usize) -> Check {
        self.check_turn(index, step)?;
        match self.step(step).0.status {
            StepStatus::Pending => Ok(()),
            StepStatus::Open | StepStatus::Ended(_) => no_place("the step had begun already"),
        }
    }

    pub(super) fn check_open(&self, index: usize, step: usize) -> Check {
        self.check_turn(index, step)?;
        match &self.step(step).0.status {
            StepStatus::Open => Ok(()),
            StepStatus::Pending => match self.beginning(index, step) {
                Some(sight) => missing(EventKind::StepStarted { step, sight }),
                None => Ok(()),
            },
            StepStatus::Ended(StepEnd::Cancelled) => missing(self.resumed()),
            StepStatus::Ended(end) => {
                let end = RunEnd::Incomplete { step, end: end.clone() };
                missing(EventKind::RunFinished { end })
            }
        }
    }

    pub(super) fn check_nobody_at_work(
        &self,
        index: usize,
        step: usize,
        clue: &EventKind,
    ) -> Check {
        let state = self.step(step).0;
        match state.pending() {
            Some(_) if state.running.is_none() && leaves_unchecked(clue) => Ok(()),
            Some(unit) if leaves_unchecked(clue) && self.is_inspected_later(index, unit) => {
                missing(self.agent_finished(index, unit))
            }
            Some(unit) => missing(self.finished(index, unit, clue)),
            None => Ok(()),
        }
    }

    fn check_start(&self, index: usize, unit: UnitId) -> Check {
        self.check_open(index, unit.step)?;
        let (state, plan) = self.step(unit.step);
        if state.pending().is_some_and(|pending| order(pending) >= order(unit)) {
            return no_place("a later agent was at work");
        }
        self.check_nobody_at_work(index, unit.step, &EventKind::IterationStarted { unit })?;
        let expected = state.next_unit(unit.step);
        let is_second_try = plan.iterations.is_none() && state.finished > 0;
        if unit == expected {
            Ok(())
        } else if is_second_try && unit.attempt > state.tries {
            match next(self.without_limits(index, state, plan)) {
                Next::End(end) => {
                    self.require(index, EventKind::StepFinished { step: unit.step, end })
                }
                Next::Iterate { .. } | Next::Wait { .. } => no_place("the agent runs once"),
            }
        } else if order(unit) < order(expected) {
            no_place("the iteration was over")
        } else if self.is_contradicted(index, unit.step, Some(unit)) {
            no_place("what follows is about an earlier iteration")
        } else {
            missing(EventKind::IterationStarted { unit: expected })
        }
    }

    pub(super) fn check_at_work(&self, index: usize, unit: UnitId) -> Check {
        self.check_turn(index, unit.step)?;
        match self.step(unit.step).0.running {
            Some(running) if running == unit => Ok(()),
            _ => self.require(index, EventKind::IterationStarted { unit }),
        }
    }

    /// Nobody ends an agent for that unasked.
    fn check_unwanted(&self, step: usize) -> Check {
        if self.step(step).0.skip { Ok(()) } else { missing(EventKind::SkipRequested { step }) }
    }

    /// A run that somebody stopped went on until the agent at work was over.
    fn check_stopped(&self, index: usize) -> Check {
        match self.state.steps.iter().find_map(|step| step.running) {
            Some(unit) => missing(self.over(index, unit)),
            None => Ok(()),
        }
    }

    fn is_at_work(&self, unit: UnitId) -> bool {
        self.step_of_plan(unit.step).is_some_and(|step| step.running == Some(unit))
    }

    /// Whether the last agent has come to its end, or was cut off, in a step that goes on.
    fn is_over(&self, unit: UnitId) -> bool {
        let is_open = |step: &StepState| {
            step.pending().is_none() && !matches!(step.status, StepStatus::Ended(_))
        };
        self.state.last_unit() == Some(unit) && self.step_of_plan(unit.step).is_some_and(is_open)
    }

    /// Whether this only reports that an agent was cut off, which the resume has said already.
    fn is_cut_off(&self, unit: UnitId, report: &IterationReport) -> bool {
        if !self.clues.just_resumed || self.state.current_step() != Some(unit.step) {
            return false;
        }
        let state = self.step(unit.step).0;
        let next = state.next_unit(unit.step);
        let is_known = unit.iteration == next.iteration && unit.attempt + 1 == next.attempt;
        report.verdict == Verdict::Interrupted && state.running.is_none() && is_known
    }
}
