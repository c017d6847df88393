//! What later events say about what is lost.

use super::Mender;
use crate::event::{
    AgentEnd, Cancel, Completion, Errand, Event, EventKind, RunEnd, Sight, StepEnd, Verdict,
};
use crate::id::UnitId;

/// How far ahead a contradiction is looked for.
const NEAR: usize = 8;

impl Mender<'_> {
    /// The events behind this one.
    pub(super) fn behind(&self, index: usize) -> impl Iterator<Item = &EventKind> {
        self.readable[index + 1..].iter().map(|readable| &readable.event.kind)
    }

    /// Whether events that follow soon speak of something earlier, so that the event at hand is the
    /// one that is wrong.
    pub(super) fn is_contradicted(&self, index: usize, step: usize, unit: Option<UnitId>) -> bool {
        self.behind(index).take(NEAR).any(|kind| match (unit_of(kind), unit) {
            (Some(other), Some(unit)) if other.step == step => order(other) < order(unit),
            _ => step_of(kind).is_some_and(|other| other < step),
        })
    }

    /// Whether a later iteration shows that this one had an outcome.
    pub(super) fn has_successor(&self, index: usize, unit: UnitId) -> bool {
        let others = self.behind(index).filter_map(unit_of);
        let next = others.filter(|other| other.step == unit.step).find(|other| *other != unit);
        next.is_some_and(|next| next.iteration > unit.iteration)
    }

    /// Whether what follows shows that an agent was cut off: it has no outcome, and its iteration was
    /// tried again.
    pub(super) fn is_repeated(&self, index: usize, unit: UnitId) -> bool {
        let mut others = self.behind(index).filter(|kind| match kind {
            EventKind::TasksChanged { .. } => false,
            EventKind::IterationFinished { report, .. } => report.verdict != Verdict::Interrupted,
            _ => step_of(kind).is_some(),
        });
        let is_next = |next: UnitId| next.step == unit.step && next.iteration == unit.iteration;
        let next = others.next().and_then(unit_of);
        next.is_some_and(|next| is_next(next) && next.attempt > unit.attempt)
    }

    /// Whether this life of the run ended because somebody wanted it to, which cuts nobody off.
    pub(super) fn was_stopped(&self, index: usize) -> bool {
        let mut from_here = self.readable[index..].iter().map(|readable| &readable.event.kind);
        let end = from_here.find_map(|kind| match kind {
            EventKind::RunFinished { end } => Some(Some(end)),
            EventKind::RunResumed { .. } => Some(None),
            _ => None,
        });
        matches!(end.flatten(), Some(RunEnd::Interrupted(Cancel::Stop)))
    }

    /// Whether a run whose step had ended was over as well when this event resumed it: its steps went
    /// on, or an event is lost between the two, which can be no other.
    pub(super) fn was_over(&self, index: usize) -> bool {
        let is_lost = self.readable[index].lost_before > 0;
        is_lost || self.first_of_life(index).is_some_and(|kind| step_of(kind).is_some())
    }

    /// Whether the first thing that happened to a step in the life that begins with this event was
    /// that its agent was started.
    pub(super) fn is_iterated(&self, index: usize, of: usize) -> bool {
        let unit = self.first_of_life(index).and_then(unit_of);
        unit.is_some_and(|unit| unit.step == of)
    }

    /// What first happened to a step or to the run after this event.
    fn first_of_life(&self, index: usize) -> Option<&EventKind> {
        let is_about_the_run = |kind: &EventKind| {
            matches!(kind, EventKind::RunResumed { .. } | EventKind::RunFinished { .. })
        };
        self.behind(index).find(|kind| step_of(kind).is_some() || is_about_the_run(kind))
    }

    /// What must have been there when a step began: whatever did not complete it later. None if
    /// nobody can tell.
    pub(super) fn beginning(&self, index: usize, step: usize) -> Option<Sight> {
        let plan = &self.state.plan.steps[step - 1];
        if plan.iterations.is_none() || plan.done_file.is_none() {
            return Some(Sight::default());
        }
        let seen = self.readable[index..].iter().find_map(|readable| seen(&readable.event, step));
        seen.map(|sight| Sight { done_file: sight.done_file.clone(), ..Sight::default() })
    }

    /// What came of an agent that was at work when a run was resumed, if what follows shows that it
    /// was not cut off.
    pub(super) fn outcome_before_resume(
        &self,
        index: usize,
        unit: UnitId,
    ) -> Option<(Verdict, Option<AgentEnd>)> {
        let plan = &self.state.plan.steps[unit.step - 1];
        let loops = plan.iterations.is_some();
        for kind in self.behind(index) {
            match kind {
                EventKind::StepFinished { step, end }
                | EventKind::RunFinished { end: RunEnd::Incomplete { step, end } }
                    if *step == unit.step =>
                {
                    return self.outcome_of_end(index, unit, end);
                }
                EventKind::RunFinished { end: RunEnd::Complete } => return self.completed(unit),
                _ => {}
            }
            match (unit_of(kind), step_of(kind)) {
                (Some(other), _) if other.step == unit.step => {
                    let had_one = loops && other.iteration > unit.iteration;
                    return had_one.then(|| (self.unsuccessful(unit), None));
                }
                (_, Some(step)) if step > unit.step => return self.completed(unit),
                _ => {}
            }
        }
        None
    }

    /// What the end of a step says, if nothing was tried again in between. A done file may have been
    /// found by looking, and a limit may have been lowered.
    fn outcome_of_end(
        &self,
        index: usize,
        unit: UnitId,
        end: &StepEnd,
    ) -> Option<(Verdict, Option<AgentEnd>)> {
        let most = || match &self.readable[index].event.kind {
            EventKind::RunResumed { changes, .. } if changes.iterations.is_some() => {
                changes.iterations
            }
            _ => self.state.plan.steps[unit.step - 1].iterations,
        };
        let is_decided = match end {
            StepEnd::Complete(by) => !matches!(by, Completion::File | Completion::Tasks),
            StepEnd::Failed(_) | StepEnd::Ended(_) | StepEnd::Blocked(_) | StepEnd::Refused(_) => {
                true
            }
            StepEnd::MaxIterations => most().is_some_and(|most| unit.iteration <= most.get()),
            // The other ends say nothing about the last iteration.
            _ => false,
        };
        is_decided.then(|| self.outcome_by_end(index, unit, end))
    }

    /// The step was complete before anything else was tried.
    fn completed(&self, unit: UnitId) -> Option<(Verdict, Option<AgentEnd>)> {
        let by = self.completion(unit.step);
        let is_known = by != Completion::File;
        is_known.then_some((Verdict::Complete(by), None))
    }
}

/// What was there after an iteration that did not complete its step, if somebody looked.
fn seen(event: &Event, of: usize) -> Option<&Sight> {
    match &event.kind {
        EventKind::AgentFinished { unit, report }
        | EventKind::IterationFinished { unit, report }
            if unit.step == of =>
        {
            let ran =
                report.end.is_some() && !matches!(report.end, Some(AgentEnd::NotStarted { .. }));
            let complete = matches!(report.verdict, Verdict::Complete(_));
            (ran && !complete).then_some(&report.sight)
        }
        _ => None,
    }
}

/// Iterations and their tries, in the order of time.
pub(super) fn order(unit: UnitId) -> (u32, u32) {
    (unit.iteration, unit.attempt)
}

pub(super) fn unit_of(kind: &EventKind) -> Option<UnitId> {
    match kind {
        EventKind::IterationStarted { unit }
        | EventKind::AgentStarted { unit, .. }
        | EventKind::CompletionRequested { unit, .. }
        | EventKind::Spent { unit, .. }
        | EventKind::MessagesGiven { unit, .. }
        | EventKind::AgentEnding { unit, .. }
        | EventKind::AgentFinished { unit, .. }
        | EventKind::TasksChanged { unit, .. }
        | EventKind::CheckFinished { unit, .. }
        | EventKind::ErrandStarted {
            errand: Errand::Check { unit, .. } | Errand::Setup { unit },
            ..
        }
        | EventKind::IterationFinished { unit, .. } => Some(*unit),
        _ => None,
    }
}

fn step_of(kind: &EventKind) -> Option<usize> {
    match kind {
        EventKind::StepStarted { step, .. }
        | EventKind::BackingOff { step, .. }
        | EventKind::Waiting { step, .. }
        | EventKind::Surveyed { step, .. }
        | EventKind::SkipRequested { step }
        | EventKind::StepFinished { step, .. } => Some(*step),
        other => unit_of(other).map(|unit| unit.step),
    }
}
