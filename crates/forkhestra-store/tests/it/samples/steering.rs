//! Sample events about operator requests and task runs.

use forkhestra_core::event::{
    CancelCause, CompletionSignal, EventKind, LimitChanges, OperatorMessage, RunEnd, StepEnd,
    StopReason, Verdict,
};
use forkhestra_core::limit::{HumanDuration, Limit};
use forkhestra_core::text::count::Count;

use super::{iteration_finished, unit};

/// All operator requests and their consequences.
pub(super) fn kinds() -> Vec<EventKind> {
    let text = "look at \"a\" first,\nthen at ünïcödé".to_owned();
    let changes = LimitChanges {
        iterations: Some(Count::parse("40").expect("a count")),
        timeout: Some(Limit::At(HumanDuration::from_secs(90))),
        run_cost: Some(Limit::parse("12.50").expect("an amount")),
        ..LimitChanges::default()
    };
    let mut kinds = vec![
        EventKind::MessageQueued { message: OperatorMessage { number: 1, text, lane: None } },
        EventKind::MessagesGiven { unit: unit(2), messages: vec![1, 2] },
        EventKind::LimitsChanged { changes },
        EventKind::SkipRequested { group: None, step: 1 },
        EventKind::AgentEnding { unit: unit(2), why: StopReason::Skipped },
        iteration_finished(2, Verdict::AgentStopped(StopReason::Skipped)),
    ];
    kinds.extend(step_ends().into_iter().map(|end| EventKind::StepFinished { step: 1, end }));
    kinds.push(EventKind::StopRequested);
    kinds.extend(cancels().map(|by| EventKind::Cancelled { by }));
    kinds.extend(cancels().map(|by| EventKind::RunFinished { end: RunEnd::Interrupted(by) }));
    kinds
}

pub(crate) const fn cancels() -> [CancelCause; 2] {
    [CancelCause::Stop, CancelCause::StopNow]
}

pub(crate) fn step_ends() -> Vec<StepEnd> {
    vec![
        StepEnd::Skipped,
        StepEnd::Complete(CompletionSignal::Tasks),
        StepEnd::TasksBlocked("TASK-2 waits for TASK-1".to_owned()),
        StepEnd::NoTasks,
    ]
}
