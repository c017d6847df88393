//! Simulates other limits on the events of a run.

use std::time::Duration;

use super::earlier_end::{EndPosition, LimitEffect};
use super::limit_outcome::LimitOutcome;
use super::recorded_activity::RecordedActivity;
use crate::config::OnCycle;
use crate::event::{CompletionSignal, Event, EventKind, LimitChanges, StepEnd, WaitCause};
use crate::id::UnitId;
use crate::limit::Limit;
use crate::machine::next_action::NextAction;
use crate::machine::operator::changed_limits::is_by_limit;
use crate::machine::state::flow_position::FlowPosition;
use crate::machine::{RunState, StepState, StepStatus, UnexpectedEvent};
use crate::plan::{Plan, PlanStep};
use crate::policy::StagnationTracker;

/// The simulation of other limits on a run: its recorded events are applied to two states, one with
/// the limits that it had and one with the others.
#[derive(Debug)]
pub struct LimitSimulation<'a> {
    pub(super) events: &'a [Event],
    /// The next event.
    pub(super) index: usize,
    pub(super) recorded: RunState,
    pub(super) replaced: RunState,
    pub(super) activity: RecordedActivity,
    /// The limits of both states that hold although the run changed them, if any do.
    held: Option<[LimitChanges; 2]>,
}

/// The first difference between the two states.
enum FoundDifference {
    /// Only the other limits end the run or its agent here.
    Ends(FoundEnd),
    /// Only the recorded limits do.
    Continues,
}

/// An end by the other limits.
pub(super) struct FoundEnd {
    pub(super) effect: LimitEffect,
    pub(super) step: usize,
    pub(super) position: EndPosition,
    pub(super) elapsed: Duration,
}

impl<'a> LimitSimulation<'a> {
    /// What the limits would have done to the run with these events.
    pub fn outcome(
        events: &'a [Event],
        limits: &LimitChanges,
    ) -> Result<LimitOutcome, UnexpectedEvent> {
        Self::between(events, &LimitChanges::default(), limits)
    }

    /// The first difference between two sets of limits, each in place of those of the run.
    pub(crate) fn between(
        events: &'a [Event],
        recorded: &LimitChanges,
        replaced: &LimitChanges,
    ) -> Result<LimitOutcome, UnexpectedEvent> {
        Self::new(events, recorded, replaced, None)?.run()
    }

    /// What a limit would have done to a run that never had it otherwise: the run continues past
    /// the recorded limit, and changes of it during the run do not count.
    pub(crate) fn of_held(
        events: &'a [Event],
        off: &LimitChanges,
        limit: &LimitChanges,
    ) -> Result<LimitOutcome, UnexpectedEvent> {
        Self::new(events, off, limit, Some([off.clone(), limit.clone()]))?.run()
    }

    fn new(
        events: &'a [Event],
        recorded: &LimitChanges,
        replaced: &LimitChanges,
        held: Option<[LimitChanges; 2]>,
    ) -> Result<Self, UnexpectedEvent> {
        let first = events.first().ok_or_else(UnexpectedEvent::no_events)?;
        let begin = |limits: &LimitChanges| {
            let mut state = RunState::begin(first)?;
            replace_limits(&mut state.plan, limits);
            Ok(state)
        };
        let (recorded, replaced) = (begin(recorded)?, begin(replaced)?);
        let activity = RecordedActivity::default();
        Ok(Self { events, index: 1, recorded, replaced, activity, held })
    }

    fn run(mut self) -> Result<LimitOutcome, UnexpectedEvent> {
        while let Some(event) = self.events.get(self.index) {
            if let Some(difference) = self.difference_before(event) {
                return self.outcome_of(difference);
            }
            self.apply(event)?;
            self.index += 1;
            if let Some(end) = self.reached_cost_limit(event) {
                return self.outcome_of(FoundDifference::Ends(end));
            }
        }
        Ok(if self.lacks_trees() { LimitOutcome::NotSimulated } else { LimitOutcome::Unchanged })
    }

    fn apply(&mut self, event: &Event) -> Result<(), UnexpectedEvent> {
        let states = [&mut self.recorded, &mut self.replaced];
        match &self.held {
            Some(limits) => {
                let mut both = states.into_iter().zip(limits);
                both.try_for_each(|(state, limits)| apply_with_held(state, limits, event))?;
            }
            None => states.into_iter().try_for_each(|state| state.apply(event))?,
        }
        self.activity.apply(event);
        Ok(())
    }

    /// Whether a loop got another limit of stagnation, but its states were not recorded: they are
    /// observed in a repository, and else only if there is such a limit.
    fn lacks_trees(&self) -> bool {
        let limits = self.recorded.plan.steps.iter().zip(&self.replaced.plan.steps);
        limits.zip(&self.recorded.steps).any(|((recorded, replaced), state)| {
            let limit = replaced.limits.stagnation.value;
            let is_other = limit != Limit::Off && limit != recorded.limits.stagnation.value;
            let is_loop = recorded.iterations.is_some() && state.iterations() > 1;
            is_other && is_loop && !has_trees(state)
        })
    }

    fn outcome_of(&self, difference: FoundDifference) -> Result<LimitOutcome, UnexpectedEvent> {
        Ok(match difference {
            FoundDifference::Ends(end) => LimitOutcome::Earlier(Box::new(self.earlier_end(end)?)),
            FoundDifference::Continues => LimitOutcome::Continues,
        })
    }

    /// The difference that shows before an event is applied.
    fn difference_before(&mut self, event: &Event) -> Option<FoundDifference> {
        // An event of a step that does not exist is refused when it is applied.
        if event.scope.step().is_some_and(|step| self.recorded.step(step).is_none()) {
            return None;
        }
        if let Some(end) = self.reached_time_limit(event) {
            return Some(FoundDifference::Ends(end));
        }
        match &event.kind {
            EventKind::IterationStarted { unit, .. } => self.end_before_next(event, unit.step),
            EventKind::BackingOff { step, .. } | EventKind::Waiting { step, .. } => {
                self.end_before_next(event, *step)
            }
            EventKind::StepFinished { step, end } => self.difference_at_end(event, *step, end),
            EventKind::AgentEnding { unit, why } if self.held.is_some() => {
                self.recorded_agent_end(event, *unit, *why).map(FoundDifference::Ends)
            }
            EventKind::AgentEnding { unit, why } => {
                self.would_continue(event, *unit, *why).then_some(FoundDifference::Continues)
            }
            _ => None,
        }
    }

    /// The end of a step that continued at this event.
    fn end_before_next(&mut self, event: &Event, step: usize) -> Option<FoundDifference> {
        let (recorded, replaced) = self.decide(event, step);
        let end = replaced.filter(|_| recorded.is_none())?;
        Some(FoundDifference::Ends(self.end_at(event, step, end)))
    }

    /// The difference at the recorded end of a step: an end that leaves its tasks unasked, or none.
    fn difference_at_end(
        &mut self,
        event: &Event,
        step: usize,
        end: &StepEnd,
    ) -> Option<FoundDifference> {
        // An iteration without an end decides nothing.
        if self.recorded.step(step)?.running.is_some() {
            return None;
        }
        let (recorded, replaced) = self.decide(event, step);
        match (recorded, replaced) {
            (recorded, Some(replaced))
                if *end == StepEnd::Complete(CompletionSignal::Tasks)
                    && asks_tasks(recorded.as_ref())
                    && !asks_tasks(Some(&replaced)) =>
            {
                Some(FoundDifference::Ends(self.end_at(event, step, replaced)))
            }
            (Some(recorded), None) if recorded == *end || is_by_limit(end) => {
                Some(FoundDifference::Continues)
            }
            // The recorded end leads to another round or to an alternative.
            (Some(recorded), Some(replaced))
                if recorded == *end
                    && self.is_run_continued_after(step, &recorded)
                    && !self.is_run_continued_after(step, &replaced) =>
            {
                Some(FoundDifference::Ends(self.end_at(event, step, replaced)))
            }
            // The run ended here by the limit, and continued only because it was resumed.
            (None, Some(replaced)) if self.held.is_some() && replaced == *end => {
                Some(FoundDifference::Ends(self.end_at(event, step, replaced)))
            }
            _ => None,
        }
    }

    /// Whether the run continues after an end of a step (one-based).
    fn is_run_continued_after(&self, step: usize, end: &StepEnd) -> bool {
        let effect = effect_of_end(self.recorded.clone(), step, end.clone());
        matches!(effect, LimitEffect::EndsStep(_))
    }

    /// What the step would do next in both states: its end, or none.
    fn decide(&mut self, event: &Event, step: usize) -> (Option<StepEnd>, Option<StepEnd>) {
        let waits_for_quota = is_quota_decision(&event.kind);
        let decide = |state: &mut RunState| {
            state.advance_time(event.elapsed);
            let next = state.next_action(step, event.at);
            let exceeded = state.exceeded_quota(step, event.at).filter(|_| waits_for_quota);
            let next = match (next, exceeded) {
                (NextAction::Iterate { .. }, Some(exceeded)) => {
                    state.wait_for_quota(step, exceeded, event.at)
                }
                (next, _) => next,
            };
            match next {
                NextAction::End(end) => Some(end),
                NextAction::Iterate { .. } | NextAction::Wait { .. } => None,
            }
        };
        (decide(&mut self.recorded), decide(&mut self.replaced))
    }

    fn end_at(&self, event: &Event, step: usize, end: StepEnd) -> FoundEnd {
        let effect = effect_of_end(self.replaced.clone(), step, end);
        let position = self.position(step);
        FoundEnd { effect, step, position, elapsed: event.elapsed }
    }

    pub(super) fn position(&self, step: usize) -> EndPosition {
        EndPosition::After(self.recorded.step(step).map_or(0, |step| step.finished))
    }
}

/// What the end of a step (one-based) means for the run.
pub(super) fn effect_of_end(mut state: RunState, step: usize, end: StepEnd) -> LimitEffect {
    state.steps[step - 1].status = StepStatus::Ended(end.clone());
    match state.position() {
        _ if state.plan.flow.is_none() => LimitEffect::EndsRun(end),
        FlowPosition::Incomplete { .. } | FlowPosition::Complete => LimitEffect::EndsRun(end),
        FlowPosition::AtStep { .. }
        | FlowPosition::RoundRefused { .. }
        | FlowPosition::BeforeRound { .. } => LimitEffect::EndsStep(end),
    }
}

/// Puts limits in place of those of a plan.
fn replace_limits(plan: &mut Plan, limits: &LimitChanges) {
    limits.apply_to_run(&mut plan.limits);
    let flow = plan.flow.iter_mut();
    flow.for_each(|flow| {
        flow.for_each_group_mut(&mut |group| limits.apply_to_group(&mut group.limits));
    });
    for step in &mut plan.steps {
        if let (Some(count), Some(replaced)) = (&mut step.iterations, limits.iterations) {
            *count = replaced;
        }
        limits.apply_to_step(&mut step.limits);
    }
}

/// Applies an event to a state whose run did not change these limits.
fn apply_with_held(
    state: &mut RunState,
    limits: &LimitChanges,
    event: &Event,
) -> Result<(), UnexpectedEvent> {
    // Without its end by the limit, the step would not have been begun anew.
    let is_reopened = matches!(event.kind, EventKind::RunResumed { .. });
    let stagnation = (is_reopened && limits.stagnation.is_some()).then(|| stagnation_at_end(state));
    state.apply(event)?;
    stagnation.into_iter().flatten().for_each(|(index, tracker)| {
        state.steps[index].stagnation = tracker;
    });
    if matches!(event.kind, EventKind::RunResumed { .. } | EventKind::LimitsChanged { .. }) {
        replace_limits(&mut state.plan, limits);
    }
    Ok(())
}

/// The trackers of steps that ended at a limit of stagnation, by their indices.
fn stagnation_at_end(state: &RunState) -> Vec<(usize, StagnationTracker)> {
    let has_stagnated =
        |step: &StepState| matches!(step.end(), Some(StepEnd::Stagnated(_) | StepEnd::Cycling(_)));
    let stops =
        |plan: &PlanStep| plan.on_cycle.as_ref().is_some_and(|on| on.value == OnCycle::Stop);
    let steps = state.steps.iter().zip(&state.plan.steps).enumerate();
    steps
        .filter(|(_, (step, plan))| has_stagnated(step) && !stops(plan))
        .map(|(index, (step, _))| (index, step.stagnation.clone()))
        .collect()
}

/// Whether the quota of an account was decided about. Elsewhere it had been waited for, or was not
/// exceeded.
const fn is_quota_decision(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::Waiting { why: WaitCause::Quota, .. }
            | EventKind::StepFinished { end: StepEnd::Quota(_), .. }
    )
}

/// Whether a step asks the task database, if it works on tasks, before it continues or ends like this.
const fn asks_tasks(end: Option<&StepEnd>) -> bool {
    matches!(end, None | Some(StepEnd::MaxIterations))
}

/// Whether states of the work tree are recorded for a step.
pub(super) fn has_trees(step: &StepState) -> bool {
    let last = step.last.as_ref().map(|report| &report.observation);
    [Some(&step.before), last].into_iter().flatten().any(|seen| seen.tree.is_some())
}

/// Whether an event is the end of this attempt.
pub(super) fn is_report_of(event: &Event, of: UnitId) -> bool {
    matches!(&event.kind,
        EventKind::AgentFinished { unit, .. } | EventKind::IterationFinished { unit, .. }
            if *unit == of)
}

/// Whether an event is a spend of this attempt.
pub(super) fn is_spend_of(event: &Event, of: UnitId) -> bool {
    matches!(&event.kind, EventKind::Spent { unit, .. } if *unit == of)
}
