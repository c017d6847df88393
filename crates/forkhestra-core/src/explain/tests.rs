use super::*;
use crate::config::Backend;
use crate::event::{
    AgentOutcome, CancelCause, ClaimRefusal, CompletionSignal, OutcomeClass, ProcessEnd, StepEnd,
    StopReason,
};
use crate::quota::{ExceededQuota, QuotaThreshold, QuotaWindow};
use crate::time::Timestamp;

fn exceeded_quota() -> ExceededQuota {
    ExceededQuota {
        backend: Backend::Claude,
        window: QuotaWindow::FiveHours,
        used: 91,
        limit: QuotaThreshold::Percent(90),
        until: Timestamp::default(),
    }
}

/// One end of each kind, and of each kind inside it.
fn all_ends() -> Vec<StepEnd> {
    let text = || "\u{1b}[2J".to_owned();
    let endings = [
        StopReason::Lingering,
        StopReason::Idle,
        StopReason::Futile,
        StopReason::Timeout,
        StopReason::StepTime,
        StopReason::RunTime,
        StopReason::StepCost,
        StopReason::RunCost,
        StopReason::CostUnknown,
        StopReason::NotPicked,
        StopReason::Skipped,
        StopReason::Cancelled,
    ];
    let refusals = [
        ClaimRefusal::NoWork,
        ClaimRefusal::ChecksFailed,
        ClaimRefusal::ProtectedFiles,
        ClaimRefusal::UncommittedWork,
        ClaimRefusal::NotVerified,
    ];
    let blocked = OutcomeClass::ALL.map(|class| {
        StepEnd::Blocked(AgentOutcome { message: Some(text()), ..AgentOutcome::of(class) })
    });
    let mut ends = vec![
        StepEnd::Complete(CompletionSignal::File),
        StepEnd::MaxIterations,
        StepEnd::Failed(ProcessEnd::Exited(3)),
        StepEnd::Failed(ProcessEnd::NotStarted { reason: text(), transient: false }),
        StepEnd::Stagnated(3),
        StepEnd::Cycling(1),
        StepEnd::Cycling(2),
        StepEnd::StepTime,
        StepEnd::RunTime,
        StepEnd::StepCost,
        StepEnd::RunCost,
        StepEnd::CostUnknown,
        StepEnd::Quota(exceeded_quota()),
        StepEnd::HookFailed(text()),
        StepEnd::CannotCheck(text()),
        StepEnd::TasksBlocked(text()),
        StepEnd::NoTasks,
        StepEnd::Skipped,
        StepEnd::Cancelled,
    ];
    ends.extend(endings.map(StepEnd::AgentStopped));
    ends.extend(refusals.map(StepEnd::Refused));
    ends.extend(blocked);
    ends
}

#[test]
fn every_end_that_is_no_success_has_a_sentence_of_its_own() {
    for end in all_ends() {
        let entry = EndEntry::without_facts(&end);
        assert_eq!(entry.code, end.as_str());
        let needs_none =
            matches!(end, StepEnd::Complete(_) | StepEnd::Skipped | StepEnd::Cancelled);
        assert_eq!(entry.sentence == entry.code, needs_none, "{end:?}: {}", entry.sentence);
        assert!(!entry.hooks.is_empty(), "{end:?}");
    }
}

#[test]
fn all_texts_of_a_row_are_made_visible() {
    for end in all_ends() {
        let entry = EndEntry::without_facts(&end).shown(|text| text.replace('\u{1b}', "?"));
        let texts = [Some(entry.sentence), Some(entry.brief), entry.cause];
        let texts = texts.into_iter().chain([entry.remedy.map(|remedy| remedy.what)]);
        for text in texts.flatten() {
            assert!(!text.contains('\u{1b}'), "{end:?}: {text}");
        }
    }
}

#[test]
fn a_run_ended_by_its_operator_sends_no_notification() {
    for (by, is_notified) in [
        (CancelCause::Stop, false),
        (CancelCause::StopNow, false),
        (CancelCause::Interrupt, false),
        (CancelCause::Terminate, true),
        (CancelCause::Hangup, true),
        (CancelCause::OutputClosed, true),
        (CancelCause::GuardLost, true),
    ] {
        assert_eq!(cancel_notice(by).is_some(), is_notified, "{by:?}");
        assert!(!cancel(by).is_empty(), "{by:?}");
    }
}

#[test]
fn a_long_command_is_cut() {
    assert_eq!(shortened(&"x".repeat(80)), "x".repeat(80));
    assert_eq!(shortened(&"x".repeat(81)), format!("{}…", "x".repeat(79)));
    assert_eq!(shortened(&"é".repeat(200)).chars().count(), 80);
}
