//! What came of an agent whose outcome is lost.

use std::time::Duration;

use super::Mender;
use crate::config;
use crate::event::{
    self, Activity, AgentEnd, Completion, Ending, EventKind, Heard, IterationReport, OutcomeClass,
    OutputSummary, Sight, Sighting, StepEnd, Verdict,
};
use crate::id::UnitId;
use crate::policy::may_be_done_by_tasks;

pub(super) type Outcome = (Verdict, Option<AgentEnd>);

impl Mender<'_> {
    /// The outcome that must have been there, since this event could not have come without it.
    pub(super) fn finished(&self, index: usize, unit: UnitId, clue: &EventKind) -> EventKind {
        let outcome = match clue {
            EventKind::IterationStarted { unit: next } if next.iteration > unit.iteration => {
                (self.unsuccessful(unit), None)
            }
            EventKind::IterationStarted { .. } => (self.unserved(unit), None),
            EventKind::BackingOff { .. } => self.crashed(index, unit),
            EventKind::Waiting { .. } => (Verdict::Postponed, None),
            EventKind::StepFinished { end, .. } => self.outcome_by_end(index, unit, end),
            _ => self.cancelled(index, unit),
        };
        let mut finished = finished_with(unit, outcome);
        if let EventKind::IterationFinished { report, .. } = &mut finished {
            report.heard = heard(clue);
        }
        finished
    }

    /// There was no outcome, since the number was used again.
    fn unserved(&self, unit: UnitId) -> Verdict {
        let unchecked = self.state.steps[unit.step - 1].unchecked.as_deref();
        let known = unchecked.filter(|unchecked| unchecked.0 == unit);
        match known.map(|(_, report)| &report.verdict) {
            Some(verdict @ (Verdict::Postponed | Verdict::Blocked)) => verdict.clone(),
            _ => Verdict::Interrupted,
        }
    }

    /// What the end of its step says.
    pub(super) fn outcome_by_end(&self, index: usize, unit: UnitId, end: &StepEnd) -> Outcome {
        let out_of_time = |why: Ending| {
            let loops = self.state.plan.steps[unit.step - 1].iterations.is_some();
            if loops { self.unsuccessful(unit) } else { Verdict::Ended(why) }
        };
        match end {
            StepEnd::Complete(Completion::Tasks) => (self.unsuccessful(unit), None),
            StepEnd::Complete(by) => {
                let success = (*by == Completion::ExitCode).then_some(AgentEnd::Exited(0));
                (Verdict::Complete(by.clone()), success)
            }
            StepEnd::Failed(end) => (Verdict::Crashed, Some(end.clone())),
            StepEnd::Ended(why) => (Verdict::Ended(*why), None),
            StepEnd::StepTime => (out_of_time(Ending::StepTime), None),
            StepEnd::RunTime => (out_of_time(Ending::RunTime), None),
            StepEnd::StepCost => (out_of_time(Ending::StepCost), None),
            StepEnd::RunCost => (out_of_time(Ending::RunCost), None),
            StepEnd::CostUnknown => (out_of_time(Ending::CostUnknown), None),
            StepEnd::Blocked(outcome) => (blocked(outcome.class), None),
            StepEnd::Refused(why) => (Verdict::Refused(*why), Some(AgentEnd::Exited(0))),
            StepEnd::Cancelled => self.cancelled(index, unit),
            StepEnd::Skipped => (self.skipped(unit), None),
            // The other ends come after an iteration that did not complete the step.
            _ => (self.unsuccessful(unit), None),
        }
    }

    /// There was an outcome, and the step went on.
    pub(super) fn unsuccessful(&self, unit: UnitId) -> Verdict {
        let step = &self.state.steps[unit.step - 1];
        let unchecked = step.unchecked.as_deref().filter(|unchecked| unchecked.0 == unit);
        match unchecked.map(|(_, report)| &report.verdict) {
            // It was not accepted, or nobody would have gone on.
            Some(Verdict::Complete(_)) => Verdict::Incomplete,
            Some(verdict) => verdict.clone(),
            None => self.clues.ending_of(unit).map_or(Verdict::Incomplete, Verdict::Ended),
        }
    }

    /// Somebody wanted its step to end while it was at work or was checked.
    fn skipped(&self, unit: UnitId) -> Verdict {
        match self.state.steps[unit.step - 1].running {
            Some(running) if running == unit => Verdict::Ended(Ending::Skipped),
            _ => self.unsuccessful(unit),
        }
    }

    /// How a step must have ended of which only is known that the next one began.
    pub(super) fn behind_by(&self, step: usize) -> StepEnd {
        let state = &self.state.steps[step - 1];
        let last = state.last.as_ref().map(|report| &report.verdict);
        if state.skip || last == Some(&Verdict::Ended(Ending::Skipped)) {
            StepEnd::Skipped
        } else {
            StepEnd::Complete(self.completion(step))
        }
    }

    /// The run was cancelled, which may or may not have cut the agent off.
    fn cancelled(&self, index: usize, unit: UnitId) -> Outcome {
        let loops = self.state.plan.steps[unit.step - 1].iterations.is_some();
        if loops && (self.has_successor(index, unit) || self.was_stopped(index)) {
            (self.unsuccessful(unit), None)
        } else {
            (Verdict::Interrupted, None)
        }
    }

    /// The next try had to wait. An agent that was never started is tried under its number again.
    fn crashed(&self, index: usize, unit: UnitId) -> Outcome {
        if self.clues.started == Some(unit) || self.has_successor(index, unit) {
            return (Verdict::Crashed, None);
        }
        let reason = "the reason is lost".to_owned();
        (Verdict::Crashed, Some(AgentEnd::NotStarted { reason, transient: true }))
    }

    /// What must have completed a step of which only is known that it was.
    pub(super) fn completion(&self, step: usize) -> Completion {
        let state = &self.state.steps[step - 1];
        let plan = &self.state.plan.steps[step - 1];
        let last = state.last.as_ref().map(|report| &report.verdict);
        let request = state.running.and_then(|unit| self.clues.request_of(unit));
        let unchecked = state.unchecked.as_deref().map(|(_, report)| &report.verdict);
        match (unchecked.or(last), request) {
            // Tasks complete it without any agent.
            _ if plan.iterations.is_none() && plan.works_through_tasks && state.is_untried() => {
                Completion::Tasks
            }
            _ if plan.iterations.is_none() => Completion::ExitCode,
            (_, Some(by)) => by.clone(),
            (Some(Verdict::Complete(by)), _) => by.clone(),
            _ if plan.completion.value == config::Completion::Checks => Completion::ExitCode,
            // That takes no agent, and so leaves nothing behind.
            _ if may_be_done_by_tasks(plan) && state.pending().is_none() => Completion::Tasks,
            _ if plan.done_file.is_some() => Completion::File,
            _ => {
                let marker = plan.markers.value.first().map(ToString::to_string);
                let marker = marker.unwrap_or_default();
                Completion::Marker(Sighting { marker, offset: 0, line: 0, message: None })
            }
        }
    }
}

/// Says of an agent that runs once that nobody knows what came of it.
pub(super) fn lost() -> Outcome {
    let reason = "what came of it is lost".to_owned();
    (Verdict::Crashed, Some(AgentEnd::NotStarted { reason, transient: false }))
}

/// What the stream of an agent must have told, since this came of it.
fn heard(clue: &EventKind) -> Option<Heard> {
    let outcome = match clue {
        EventKind::Waiting { why, .. } => event::Outcome::of(*why),
        EventKind::StepFinished { end: StepEnd::Blocked(outcome), .. } => outcome.clone(),
        _ => return None,
    };
    Some(Heard { outcome, activity: Activity::default() })
}

/// What a step that ended in this way made of its last try. One that waits too long has waited before.
const fn blocked(class: OutcomeClass) -> Verdict {
    match class {
        OutcomeClass::UsageLimit | OutcomeClass::Overloaded => Verdict::Postponed,
        _ => Verdict::Blocked,
    }
}

/// The event that says so, without what nobody knows any more.
pub(super) fn finished_with(unit: UnitId, (verdict, end): Outcome) -> EventKind {
    let report = IterationReport {
        verdict,
        end,
        duration: Duration::ZERO,
        sight: Sight::default(),
        output: OutputSummary::default(),
        heard: None,
        spend: None,
        checks: Vec::new(),
    };
    EventKind::IterationFinished { unit, report }
}
