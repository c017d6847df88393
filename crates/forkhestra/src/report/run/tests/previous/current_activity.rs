//! The current activity of a run, in one line.

use std::time::Duration;

use forkhestra_core::cost::Cost;
use forkhestra_core::event::{AuxJob, Event, EventKind, OutcomeClass};
use forkhestra_core::explain::{StopReasonEntry, waits_for};
use forkhestra_core::hook::HookPoint;
use forkhestra_core::id::UnitId;
use forkhestra_core::plan::{Plan, PlanStep};
use forkhestra_core::time::Timestamp;

use super::duration::whole_seconds;
use super::run_tally::{PreviousStepTally, PreviousTally};
use crate::report::text::{checks, local_time, spend};

/// The current activity of a run. Durations are on the clock of the run.
#[derive(Debug, Default)]
pub(super) enum PreviousActivity {
    /// Nothing that takes time.
    #[default]
    Nothing,
    Working {
        unit: UnitId,
        since: Duration,
    },
    /// An agent has finished and is being judged; no aux job runs.
    Checking {
        unit: UnitId,
        since: Duration,
    },
    /// A check, a hook or the setup of a clean room runs.
    Running {
        errand: AuxJob,
        since: Duration,
    },
    /// The next iteration waits after a crash.
    Waiting {
        step: usize,
        crashes: u32,
        until: Duration,
    },
    /// The next iteration waits for the agent's provider until a calendar time.
    Postponed {
        step: usize,
        why: OutcomeClass,
        until: Timestamp,
    },
}

/// The kind of process at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PreviousWorker {
    Agent,
    Check,
    Setup,
    Hook,
}

impl PreviousActivity {
    /// Updates the activity with an event.
    pub(super) fn absorb(&mut self, event: &Event) {
        match &event.kind {
            EventKind::IterationStarted { unit } => {
                *self = Self::Working { unit: *unit, since: event.elapsed };
            }
            EventKind::AgentFinished { unit, .. } | EventKind::CheckFinished { unit, .. } => {
                *self = Self::Checking { unit: *unit, since: event.elapsed };
            }
            EventKind::ErrandStarted { errand, .. } => {
                *self = Self::Running { errand: *errand, since: event.elapsed };
            }
            EventKind::BackingOff { step, crashes, delay } => {
                let until = event.elapsed + *delay;
                *self = Self::Waiting { step: *step, crashes: *crashes, until };
            }
            EventKind::Waiting { step, why, until } => {
                *self = Self::Postponed { step: *step, why: *why, until: *until };
            }
            EventKind::IterationFinished { .. }
            | EventKind::HookFinished { .. }
            | EventKind::StepFinished { .. }
            | EventKind::RunFinished { .. } => *self = Self::Nothing,
            _ => {}
        }
    }

    /// The iteration that the activity belongs to, if any.
    pub(super) const fn unit(&self) -> Option<UnitId> {
        match self {
            Self::Working { unit, .. }
            | Self::Checking { unit, .. }
            | Self::Running {
                errand: AuxJob::Check { unit, .. } | AuxJob::Setup { unit }, ..
            } => Some(*unit),
            Self::Running { errand: AuxJob::Hook { moment, .. }, .. } => moment.unit,
            Self::Nothing | Self::Waiting { .. } | Self::Postponed { .. } => None,
        }
    }

    /// The process at work, if any.
    pub(super) const fn at_work(&self) -> Option<PreviousWorker> {
        match self {
            Self::Working { .. } => Some(PreviousWorker::Agent),
            Self::Running { errand: AuxJob::Check { .. }, .. } => Some(PreviousWorker::Check),
            Self::Running { errand: AuxJob::Setup { .. }, .. } => Some(PreviousWorker::Setup),
            Self::Running { errand: AuxJob::Hook { .. }, .. } => Some(PreviousWorker::Hook),
            Self::Nothing
            | Self::Checking { .. }
            | Self::Waiting { .. }
            | Self::Postponed { .. } => None,
        }
    }

    /// Text of the live line; none if there is no activity.
    pub(super) fn describe(
        &self,
        tally: &PreviousTally,
        plan: &Plan,
        now: Duration,
    ) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Working { unit, since } => {
                let step = tally.step(unit.step)?;
                let what = iteration(step, unit.iteration);
                let time = whole_seconds(now.saturating_sub(*since));
                let ending = step.ending.map_or_else(String::new, |why| {
                    format!(" | ending it: {}", StopReasonEntry::of(why).brief)
                });
                let cost = cost(tally);
                Some(format!("[Agent: {}] {what} | {time}{cost}{ending}", step.name))
            }
            Self::Checking { unit, since } => doing(tally, *unit, "checking", now, *since),
            Self::Running { errand, since } => running(*errand, tally, plan, now, *since),
            Self::Waiting { step, crashes, until } => {
                let step = tally.step(*step)?;
                let what = iteration(step, step.iterations + 1);
                // Rounded up, so that the countdown does not show zero while the wait lasts.
                let left = until.saturating_sub(now) + Duration::from_millis(999);
                let (left, failed) = (whole_seconds(left), failed(*crashes));
                Some(format!("[Agent: {}] {what} in {left} | {failed}", step.name))
            }
            Self::Postponed { step, why, until } => {
                let step = tally.step(*step)?;
                let what = iteration(step, step.iterations + 1);
                let now = tally.at.saturating_add(now.saturating_sub(tally.elapsed));
                let left = until.saturating_since(now) + Duration::from_millis(999);
                let (left, time) = (whole_seconds(left), local_time::time_in_zone(*until, now));
                let (reason, cost) = (waits_for(*why), cost(tally));
                let name = &step.name;
                // The remaining time comes first: a narrow terminal cuts off the end.
                let wait = format!("{left} for {reason}, until {time}");
                Some(format!("[Agent: {name}] Waiting {wait} | {what}{cost}"))
            }
        }
    }
}

/// Text for a running aux job and its elapsed time.
fn running(
    errand: AuxJob,
    tally: &PreviousTally,
    plan: &Plan,
    now: Duration,
    since: Duration,
) -> Option<String> {
    let planned = |step: usize| -> Option<&PlanStep> { plan.steps.get(step.checked_sub(1)?) };
    match errand {
        AuxJob::Check { unit, number } => {
            let check = planned(unit.step)?.checks.get(number.checked_sub(1)?)?;
            let what = format!("checking: {}", checks::planned_name(&check.value));
            doing(tally, unit, &what, now, since)
        }
        AuxJob::Setup { unit } => {
            let setup = planned(unit.step)?.clean_room.as_ref()?.value.setup.as_deref()?;
            doing(tally, unit, &format!("clean room: {}", checks::short(setup)), now, since)
        }
        AuxJob::Hook { moment, number } => {
            let command = checks::short(&plan.hooks.get(number.checked_sub(1)?)?.value.run);
            match (moment.point, moment.unit) {
                (HookPoint::PreIteration | HookPoint::PostIteration, Some(unit)) => {
                    let what = format!("{} hook: {command}", moment.point);
                    doing(tally, unit, &what, now, since)
                }
                (point, _) => {
                    let time = whole_seconds(now.saturating_sub(since));
                    Some(format!("[Hook: {point}] {command} | {time}"))
                }
            }
        }
    }
}

/// Text for work on an iteration and its elapsed time.
fn doing(
    tally: &PreviousTally,
    unit: UnitId,
    what: &str,
    now: Duration,
    since: Duration,
) -> Option<String> {
    let step = tally.step(unit.step)?;
    let (iteration, cost) = (iteration(step, unit.iteration), cost(tally));
    let time = whole_seconds(now.saturating_sub(since));
    Some(format!("[Agent: {}] {iteration} | {what} | {time}{cost}", step.name))
}

/// Cost of the run so far. Without a known price, the tokens are shown instead.
fn cost(tally: &PreviousTally) -> String {
    let said = tally.spend().map(|spend| match spend.cost() {
        Cost::Unknown if spend.tokens.is_zero() => spend::cost(spend),
        Cost::Unknown => spend::tokens(spend),
        cost => cost.to_string(),
    });
    let replayed = if tally.is_replay { " (replayed)" } else { "" };
    said.map_or_else(String::new, |said| format!(" | {said}{replayed}"))
}

/// How often an agent failed without a success in between.
pub(super) fn failed(crashes: u32) -> String {
    match crashes {
        0 | 1 => "failed once".to_owned(),
        crashes => format!("failed {crashes} times in a row"),
    }
}

fn iteration(step: &PreviousStepTally, iteration: u32) -> String {
    match step.most {
        Some(most) => format!("Iteration {iteration}/{most}"),
        None => "Running".to_owned(),
    }
}
