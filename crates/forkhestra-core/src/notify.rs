//! Which events are worth telling somebody who is not there, and under which heading.

use crate::config::NotifyOn;
use crate::event::{EventKind, OutcomeClass, RunEnd, Verdict};
use crate::explain::{self, EndEntry};

/// Watches a run for what people want to be told of.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoticeWatch {
    /// That the run waits for a usage limit has been told.
    told_of_wait: bool,
}

impl NoticeWatch {
    /// What an event is to somebody who is not there; none if it can wait until they look.
    ///
    /// A run that tries again and is still not served waits on: that is one wait, and told once.
    pub fn notice(&mut self, kind: &EventKind) -> Option<NotifyOn> {
        match kind {
            EventKind::Waiting { why: OutcomeClass::UsageLimit, .. } => {
                (!std::mem::replace(&mut self.told_of_wait, true)).then_some(NotifyOn::Limit)
            }
            EventKind::IterationFinished { report, .. } => {
                self.told_of_wait &= report.verdict == Verdict::Postponed;
                None
            }
            EventKind::RunFinished { end } => of_run(end),
            _ => None,
        }
    }
}

/// Who is notified about the end of a run; none if a person ended it, who knows it already.
pub fn of_run(end: &RunEnd) -> Option<NotifyOn> {
    match end {
        RunEnd::Complete => Some(NotifyOn::Complete),
        RunEnd::Incomplete { end, .. } => Some(EndEntry::bare(end).notice),
        RunEnd::Interrupted(by) => explain::cancel_notice(*by),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::event::{
        AgentEnd, Cancel, Ending, IterationReport, Outcome, OutputSummary, Refusal, Sight, StepEnd,
    };
    use crate::id::UnitId;
    use crate::time::Timestamp;

    fn blocked(class: OutcomeClass) -> StepEnd {
        StepEnd::Blocked(Outcome::of(class))
    }

    #[test]
    fn how_a_step_ended_says_who_is_told() {
        let text = || "x".to_owned();
        let table = [
            (StepEnd::MaxIterations, NotifyOn::Limit),
            (StepEnd::StepTime, NotifyOn::Limit),
            (StepEnd::RunTime, NotifyOn::Limit),
            (StepEnd::StepCost, NotifyOn::Limit),
            (StepEnd::RunCost, NotifyOn::Limit),
            (StepEnd::Ended(Ending::Timeout), NotifyOn::Limit),
            (StepEnd::Ended(Ending::RunTime), NotifyOn::Limit),
            (StepEnd::Ended(Ending::RunCost), NotifyOn::Limit),
            (StepEnd::Ended(Ending::Idle), NotifyOn::Failure),
            (StepEnd::Ended(Ending::CostUnknown), NotifyOn::Attention),
            (StepEnd::CostUnknown, NotifyOn::Attention),
            (blocked(OutcomeClass::UsageLimit), NotifyOn::Limit),
            (blocked(OutcomeClass::Overloaded), NotifyOn::Failure),
            (blocked(OutcomeClass::Authentication), NotifyOn::Attention),
            (blocked(OutcomeClass::Billing), NotifyOn::Attention),
            (blocked(OutcomeClass::Misconfigured), NotifyOn::Attention),
            (StepEnd::Refused(Refusal::ProtectedFiles), NotifyOn::Attention),
            (StepEnd::Refused(Refusal::ChecksFailed), NotifyOn::Failure),
            (StepEnd::HookFailed(text()), NotifyOn::Attention),
            (StepEnd::CannotCheck(text()), NotifyOn::Attention),
            (StepEnd::TasksBlocked(text()), NotifyOn::Attention),
            (StepEnd::NoTasks, NotifyOn::Attention),
            (StepEnd::Failed(AgentEnd::Exited(1)), NotifyOn::Failure),
            (StepEnd::Stagnated(3), NotifyOn::Failure),
            (StepEnd::Cycling(3), NotifyOn::Failure),
        ];
        for (end, expected) in table {
            let end = RunEnd::Incomplete { step: 1, end };
            assert_eq!(of_run(&end), Some(expected), "{end:?}");
        }
        assert_eq!(of_run(&RunEnd::Complete), Some(NotifyOn::Complete));
    }

    #[test]
    fn whoever_ended_a_run_is_not_told_that_it_ended() {
        for (by, expected) in [
            (Cancel::Interrupt, None),
            (Cancel::Stop, None),
            (Cancel::StopNow, None),
            (Cancel::Terminate, Some(NotifyOn::Attention)),
            (Cancel::Hangup, Some(NotifyOn::Attention)),
            (Cancel::OutputClosed, Some(NotifyOn::Attention)),
            (Cancel::GuardLost, Some(NotifyOn::Attention)),
        ] {
            assert_eq!(of_run(&RunEnd::Interrupted(by)), expected, "{by:?}");
        }
    }

    fn waiting(why: OutcomeClass) -> EventKind {
        EventKind::Waiting { step: 1, why, until: Timestamp::default() }
    }

    fn finished(verdict: Verdict) -> EventKind {
        let report = IterationReport {
            verdict,
            end: None,
            duration: Duration::ZERO,
            sight: Sight::default(),
            output: OutputSummary::default(),
            heard: None,
            spend: None,
            checks: Vec::new(),
        };
        EventKind::IterationFinished { unit: UnitId { step: 1, iteration: 1, attempt: 1 }, report }
    }

    #[test]
    fn a_wait_is_told_once_until_the_agent_was_served_again() {
        let mut watch = NoticeWatch::default();
        assert_eq!(watch.notice(&waiting(OutcomeClass::Overloaded)), None);
        assert_eq!(watch.notice(&waiting(OutcomeClass::UsageLimit)), Some(NotifyOn::Limit));
        assert_eq!(watch.notice(&finished(Verdict::Postponed)), None);
        assert_eq!(watch.notice(&waiting(OutcomeClass::UsageLimit)), None);
        assert_eq!(watch.notice(&finished(Verdict::Incomplete)), None);
        assert_eq!(watch.notice(&waiting(OutcomeClass::UsageLimit)), Some(NotifyOn::Limit));
    }
}
