//! Which events trigger a notification, and which trigger it is.

use crate::config::NotifyTrigger;
use crate::event::{EventKind, RunEnd, Verdict};
use crate::explain::{self, EndEntry};

/// Watches a run's events for notification triggers.
#[derive(Debug, Clone, Copy, Default)]
pub struct NotificationWatch {
    /// Whether the current wait for a limit of the account has been reported.
    wait_notified: bool,
}

impl NotificationWatch {
    /// The trigger of an event; none if the event needs no notification.
    ///
    /// A retry that is postponed again continues the same wait, which is reported once.
    pub fn trigger_for(&mut self, kind: &EventKind) -> Option<NotifyTrigger> {
        match kind {
            EventKind::Waiting { why, .. } if why.is_limit() => {
                (!std::mem::replace(&mut self.wait_notified, true)).then_some(NotifyTrigger::Limit)
            }
            EventKind::IterationFinished { report, .. } => {
                self.wait_notified &= report.verdict == Verdict::Postponed;
                None
            }
            EventKind::Asked { .. } | EventKind::WorkParked { .. } | EventKind::Held { .. } => {
                Some(NotifyTrigger::Attention)
            }
            EventKind::RunFinished { end } => run_end_trigger(end),
            _ => None,
        }
    }
}

/// The trigger for the end of a run; none if a person ended it and knows already.
pub fn run_end_trigger(end: &RunEnd) -> Option<NotifyTrigger> {
    match end {
        RunEnd::Complete => Some(NotifyTrigger::Complete),
        RunEnd::Incomplete { end, .. } => Some(EndEntry::without_facts(end).notice),
        RunEnd::Interrupted(by) => explain::cancel_notice(*by),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::event::{
        AgentOutcome, CancelCause, ClaimRefusal, IterationReport, Observation, OutcomeClass,
        OutputSummary, ProcessEnd, StepEnd, StopReason, WaitCause,
    };
    use crate::id::UnitId;
    use crate::time::Timestamp;

    fn blocked(class: OutcomeClass) -> StepEnd {
        StepEnd::Blocked(AgentOutcome::of(class))
    }

    #[test]
    fn the_end_of_a_step_decides_the_trigger() {
        let text = || "x".to_owned();
        let table = [
            (StepEnd::MaxIterations, NotifyTrigger::Limit),
            (StepEnd::StepTime, NotifyTrigger::Limit),
            (StepEnd::GroupTime, NotifyTrigger::Limit),
            (StepEnd::GroupCost, NotifyTrigger::Limit),
            (StepEnd::RunTime, NotifyTrigger::Limit),
            (StepEnd::StepCost, NotifyTrigger::Limit),
            (StepEnd::RunCost, NotifyTrigger::Limit),
            (StepEnd::AgentStopped(StopReason::Timeout), NotifyTrigger::Limit),
            (StepEnd::AgentStopped(StopReason::RunTime), NotifyTrigger::Limit),
            (StepEnd::AgentStopped(StopReason::RunCost), NotifyTrigger::Limit),
            (StepEnd::AgentStopped(StopReason::Idle), NotifyTrigger::Failure),
            (StepEnd::AgentStopped(StopReason::CostUnknown), NotifyTrigger::Attention),
            (StepEnd::CostUnknown, NotifyTrigger::Attention),
            (blocked(OutcomeClass::UsageLimit), NotifyTrigger::Limit),
            (blocked(OutcomeClass::Overloaded), NotifyTrigger::Failure),
            (blocked(OutcomeClass::Authentication), NotifyTrigger::Attention),
            (blocked(OutcomeClass::Billing), NotifyTrigger::Attention),
            (blocked(OutcomeClass::Misconfigured), NotifyTrigger::Attention),
            (StepEnd::Refused(ClaimRefusal::ProtectedFiles), NotifyTrigger::Attention),
            (StepEnd::Refused(ClaimRefusal::ChecksFailed), NotifyTrigger::Failure),
            (StepEnd::HookFailed(text()), NotifyTrigger::Attention),
            (StepEnd::CannotCheck(text()), NotifyTrigger::Attention),
            (StepEnd::TasksBlocked(text()), NotifyTrigger::Attention),
            (StepEnd::NoTasks, NotifyTrigger::Attention),
            (StepEnd::Failed(ProcessEnd::Exited(1)), NotifyTrigger::Failure),
            (StepEnd::Stagnated(3), NotifyTrigger::Failure),
            (StepEnd::Cycling(3), NotifyTrigger::Failure),
        ];
        for (end, expected) in table {
            let end = RunEnd::Incomplete { step: 1, end };
            assert_eq!(run_end_trigger(&end), Some(expected), "{end:?}");
        }
        assert_eq!(run_end_trigger(&RunEnd::Complete), Some(NotifyTrigger::Complete));
    }

    #[test]
    fn a_question_needs_attention() {
        let asked = EventKind::Asked { step: 2, question: 1, text: None, until: None };
        let trigger = NotificationWatch::default().trigger_for(&asked);
        assert_eq!(trigger, Some(NotifyTrigger::Attention));
    }

    #[test]
    fn work_that_does_not_land_needs_attention() {
        let unit = UnitId { step: 1, iteration: 3, attempt: 1 };
        let commit = crate::id::CommitId::new("d15ea5e");
        let parked = EventKind::WorkParked { unit, number: 1, commit };
        let why = "it is changed in the work tree".to_owned();
        let held = EventKind::Held { step: 1, why, paths: crate::event::PathList::default() };
        for kind in [parked, held] {
            let trigger = NotificationWatch::default().trigger_for(&kind);
            assert_eq!(trigger, Some(NotifyTrigger::Attention), "{kind:?}");
        }
    }

    #[test]
    fn the_operator_who_ended_a_run_is_not_notified() {
        for (by, expected) in [
            (CancelCause::Interrupt, None),
            (CancelCause::Stop, None),
            (CancelCause::StopNow, None),
            (CancelCause::Terminate, Some(NotifyTrigger::Attention)),
            (CancelCause::Hangup, Some(NotifyTrigger::Attention)),
            (CancelCause::OutputClosed, Some(NotifyTrigger::Attention)),
            (CancelCause::GuardLost, Some(NotifyTrigger::Attention)),
        ] {
            assert_eq!(run_end_trigger(&RunEnd::Interrupted(by)), expected, "{by:?}");
        }
    }

    fn waiting(why: WaitCause) -> EventKind {
        EventKind::Waiting { step: 1, why, until: Timestamp::default() }
    }

    fn finished(verdict: Verdict) -> EventKind {
        let report = IterationReport {
            closing_text: None,
            verdict,
            end: None,
            duration: Duration::ZERO,
            observation: Observation::default(),
            output: OutputSummary::default(),
            stream_summary: None,
            spend: None,
            checks: Vec::new(),
        };
        EventKind::IterationFinished { unit: UnitId { step: 1, iteration: 1, attempt: 1 }, report }
    }

    #[test]
    fn a_wait_is_notified_once_until_the_provider_serves_again() {
        let mut watch = NotificationWatch::default();
        assert_eq!(watch.trigger_for(&waiting(WaitCause::Overloaded)), None);
        assert_eq!(watch.trigger_for(&waiting(WaitCause::UsageLimit)), Some(NotifyTrigger::Limit));
        assert_eq!(watch.trigger_for(&finished(Verdict::Postponed)), None);
        assert_eq!(watch.trigger_for(&waiting(WaitCause::UsageLimit)), None);
        assert_eq!(watch.trigger_for(&finished(Verdict::Incomplete)), None);
        assert_eq!(watch.trigger_for(&waiting(WaitCause::UsageLimit)), Some(NotifyTrigger::Limit));
        assert_eq!(watch.trigger_for(&waiting(WaitCause::Quota)), None);
        assert_eq!(watch.trigger_for(&finished(Verdict::Incomplete)), None);
        assert_eq!(watch.trigger_for(&waiting(WaitCause::Quota)), Some(NotifyTrigger::Limit));
    }
}
