//! Shared by the tests of other limits.

use crate::event::Event;
use crate::limit::{LIMITS, LimitChanges};
use crate::machine::tests::support::run_simulation::RunSimulation;
use crate::text::count::Count;
use crate::what_if::{LimitEffect, LimitOutcome, LimitSimulation};

/// Limits by their options: `--timeout 20s --max-iterations 3`.
#[track_caller]
pub(super) fn limits(options: &str) -> LimitChanges {
    let mut changes = LimitChanges::default();
    for option in options.split("--").map(str::trim).filter(|option| !option.is_empty()) {
        let (name, value) = option.split_once(' ').expect("an option has a value");
        if name == "max-iterations" {
            changes.iterations = Some(Count::parse(value).expect("it is a count"));
            continue;
        }
        let limit = LIMITS.iter().find(|limit| limit.option == name).expect("it is a limit");
        limit.set(&mut changes, value).expect("it is a value of the limit");
    }
    changes
}

/// Every limit turned off.
pub(super) fn all_off() -> LimitChanges {
    let mut changes = limits("--max-iterations 4294967295");
    for limit in LIMITS {
        limit.set(&mut changes, "off").expect("each may be off");
    }
    changes
}

#[track_caller]
pub(super) fn outcome(events: &[Event], limits: &LimitChanges) -> LimitOutcome {
    LimitSimulation::outcome(events, limits).expect("the events of a run fit")
}

/// What limits would have done to a run, in short form.
#[track_caller]
pub(super) fn prediction(run: &RunSimulation, options: &str) -> String {
    prediction_of(&run.events, options)
}

/// The same for events.
#[track_caller]
pub(super) fn prediction_of(events: &[Event], options: &str) -> String {
    match outcome(events, &limits(options)) {
        LimitOutcome::Unchanged => "unchanged".to_owned(),
        LimitOutcome::Continues => "continues".to_owned(),
        LimitOutcome::NotSimulated => "not simulated".to_owned(),
        LimitOutcome::Earlier(end) => {
            let what = end.effect.as_str();
            let kind = match end.effect {
                LimitEffect::EndsRun(_) => "run",
                LimitEffect::EndsStep(_) => "step",
                LimitEffect::EndsIteration(_) => "iteration",
            };
            let (step, position) = (end.step, end.position);
            let harmed = if end.completed { ", harmed" } else { "" };
            let at = if end.saved.at_least { ">=" } else { "" };
            let cents = end.saved.money.nanos() / 10_000_000;
            let milliseconds = end.saved.time.as_millis();
            format!(
                "{kind} {what} {position} of step {step}, saved {at}{cents}c {milliseconds}ms{harmed}"
            )
        }
    }
}
