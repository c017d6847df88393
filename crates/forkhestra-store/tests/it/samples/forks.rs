//! Sample events of version 2.3: the beginning of a forked run.

use forkhestra_core::event::{
    CompletionSignal, Event, EventKind, ForkOrigin, InheritedStep, Observation, StepEnd,
    WorkTreeSnapshot,
};

use super::{event, plan};
use crate::temporary_dir::run_id;

/// The beginning of a run that was forked in the second step of another one.
pub(crate) fn samples() -> Vec<Event> {
    let started = EventKind::RunStarted {
        run: run_id(7),
        plan: Box::new(plan()),
        program: "0.3.0".to_owned(),
        origin: Some(origin()),
        inherited: inherited(),
    };
    let step =
        EventKind::StepStarted { instead_of: None, step: 2, observation: Observation::default() };
    vec![event(0, started), event(1, step)]
}

pub(crate) fn origin() -> ForkOrigin {
    let snapshot = WorkTreeSnapshot { number: 9, commit: "ab".repeat(20) };
    ForkOrigin { run: run_id(6), step: 2, iteration: 6, snapshot }
}

pub(crate) fn inherited() -> Vec<InheritedStep> {
    vec![InheritedStep { step: 1, end: StepEnd::Complete(CompletionSignal::File) }]
}
