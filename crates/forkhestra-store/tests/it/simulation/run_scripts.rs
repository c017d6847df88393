//! The events of the simulated runs.

use std::sync::LazyLock;
use std::time::Duration;

use forkhestra_core::event::{
    AuxJob, ClaimRefusal, CompletionSignal, Event, EventKind, LimitChanges, Observation, RunEnd,
    StepEnd, Verdict,
};

use crate::samples::checks::{agent_finished, check_reports, iteration_checked, passed, work};
use crate::samples::{event, iteration_finished, iteration_started, started, unit, warning};
use crate::temporary_dir::run_id;

/// A run from its start to its end.
pub(crate) static WHOLE_RUN: LazyLock<Vec<Event>> = LazyLock::new(|| {
    let by = CompletionSignal::File;
    let complete = Verdict::Complete(by.clone());
    numbered(vec![
        started(),
        step_started(1),
        iteration_started(1),
        agent_started(1),
        iteration_finished(1, Verdict::Incomplete),
        iteration_started(2),
        agent_started(2),
        warning("the prompt is not what it was"),
        EventKind::CompletionRequested { unit: unit(2), by: by.clone() },
        iteration_finished(2, complete),
        EventKind::StepFinished { step: 1, end: StepEnd::Complete(by.clone()) },
        step_started(2),
        warning("a long line ".repeat(50).trim()),
        iteration_started(3),
        iteration_finished(3, Verdict::Crashed),
        EventKind::BackingOff { step: 2, crashes: 1, delay: Duration::from_secs(2) },
        EventKind::StepFinished { step: 2, end: StepEnd::Complete(by) },
        EventKind::RunFinished { end: RunEnd::Complete },
    ])
});

/// A run with checks, whose results are not synced.
pub(crate) static CHECKED_RUN: LazyLock<Vec<Event>> = LazyLock::new(|| {
    let by = CompletionSignal::File;
    let complete = || Verdict::Complete(CompletionSignal::File);
    let aux_job = AuxJob::Check { unit: unit(1), number: 1 };
    let checked = |iteration, report| EventKind::CheckFinished { unit: unit(iteration), report };
    let failed = check_reports().swap_remove(1);
    numbered(vec![
        started(),
        step_started(1),
        iteration_started(1),
        agent_started(1),
        agent_finished(1, complete()),
        EventKind::AuxJobStarted { aux_job, pid: 4712 },
        checked(1, passed()),
        checked(1, failed.clone()),
        iteration_checked(1, Verdict::Refused(ClaimRefusal::ChecksFailed), vec![passed(), failed]),
        iteration_started(2),
        agent_finished(2, complete()),
        checked(2, passed()),
        iteration_checked(2, complete(), vec![passed()]),
        EventKind::Surveyed { step: 1, work: work() },
        EventKind::StepFinished { step: 1, end: StepEnd::Complete(by) },
        EventKind::RunFinished { end: RunEnd::Complete },
    ])
});

/// The events of a resumed run.
pub(crate) static REST_OF_A_RUN: LazyLock<Vec<Event>> = LazyLock::new(|| {
    let program = "0.3.1".to_owned();
    numbered(vec![
        EventKind::RunResumed {
            run: run_id(7),
            changes: LimitChanges::default(),
            moved_to: None,
            sandboxes: None,
            program,
        },
        iteration_finished(2, Verdict::Interrupted),
        warning("short"),
        iteration_started(7),
        agent_started(7),
        iteration_finished(7, Verdict::Incomplete),
        EventKind::RunFinished { end: RunEnd::Complete },
    ])
});

fn numbered(kinds: Vec<EventKind>) -> Vec<Event> {
    kinds.into_iter().enumerate().map(|(number, kind)| event(number, kind)).collect()
}

fn step_started(step: usize) -> EventKind {
    EventKind::StepStarted { instead_of: None, step, observation: Observation::default() }
}

fn agent_started(iteration: u32) -> EventKind {
    EventKind::AgentStarted { unit: unit(iteration), pid: 4711, prompt: None }
}
