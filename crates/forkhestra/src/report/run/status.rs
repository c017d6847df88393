//! What goes on right now, in one line.

use std::time::Duration;

use forkhestra_core::cost::Cost;
use forkhestra_core::event::{Event, EventKind, OutcomeClass};
use forkhestra_core::id::UnitId;
use forkhestra_core::time::Timestamp;

use super::duration::whole_seconds;
use super::tally::{StepTally, Tally};
use super::{patience, reason};
use crate::report::{moment, spent};

/// What goes on right now. Times are on the clock of the run.
#[derive(Debug, Default)]
pub(super) enum Activity {
    /// Nothing that takes time.
    #[default]
    Nothing,
    /// An agent works.
    Working { unit: UnitId, since: Duration },
    /// The next iteration waits.
    Waiting { step: usize, crashes: u32, until: Duration },
    /// The next iteration waits for the agent's provider, until a moment on the calendar.
    Postponed { step: usize, why: OutcomeClass, until: Timestamp },
}

impl Activity {
    /// Takes in what happened.
    pub(super) fn absorb(&mut self, event: &Event) {
        match &event.kind {
            EventKind::IterationStarted { unit } => {
                *self = Self::Working { unit: *unit, since: event.elapsed };
            }
            EventKind::BackingOff { step, crashes, delay } => {
                let until = event.elapsed + *delay;
                *self = Self::Waiting { step: *step, crashes: *crashes, until };
            }
            EventKind::Waiting { step, why, until } => {
                *self = Self::Postponed { step: *step, why: *why, until: *until };
            }
            EventKind::IterationFinished { .. }
            | EventKind::StepFinished { .. }
            | EventKind::RunFinished { .. } => *self = Self::Nothing,
            _ => {}
        }
    }

    /// Whether an agent is at work.
    pub(super) const fn is_working(&self) -> bool {
        matches!(self, Self::Working { .. })
    }

    /// Says it, if there is anything to say.
    pub(super) fn describe(&self, tally: &Tally, now: Duration) -> Option<String> {
        match self {
            Self::Nothing => None,
            Self::Working { unit, since } => {
                let step = tally.step(unit.step)?;
                let what = iteration(step, unit.iteration);
                let time = whole_seconds(now.saturating_sub(*since));
                let ending = step.ending.map_or_else(String::new, |why| {
                    format!(" | ending it: {}", reason::ending_in_brief(why))
                });
                let cost = cost(tally);
                Some(format!("[Agent: {}] {what} | {time}{cost}{ending}", step.name))
            }
            Self::Waiting { step, crashes, until } => {
                let step = tally.step(*step)?;
                let what = iteration(step, step.iterations + 1);
                // Rounded up, so that it never says that nothing is left while we still wait.
                let left = until.saturating_sub(now) + Duration::from_millis(999);
                let (left, failed) = (whole_seconds(left), failed(*crashes));
                Some(format!("[Agent: {}] {what} in {left} | {failed}", step.name))
            }
            Self::Postponed { step, why, until } => {
                let step = tally.step(*step)?;
                let what = iteration(step, step.iterations + 1);
                let now = tally.at.saturating_add(now.saturating_sub(tally.elapsed));
                let left = until.saturating_since(now) + Duration::from_millis(999);
                let told = patience::told_until(*until, step.outcome.as_ref());
                let (left, time) = (whole_seconds(left), moment::of_the_day(told, now));
                let (reason, cost) = (patience::waits_for(*why), cost(tally));
                let name = &step.name;
                // What people look for comes first: a narrow terminal cuts the end off.
                let wait = format!("{left} for {reason}, until {time} UTC");
                Some(format!("[Agent: {name}] Waiting {wait} | {what}{cost}"))
            }
        }
    }
}

/// What the run has cost so far, if anything is known of that. Where nobody knows the price, the
/// tokens say more than nothing.
fn cost(tally: &Tally) -> String {
    let said = tally.spend().map(|spend| match spend.cost() {
        Cost::Unknown if spend.tokens.is_zero() => spent::cost(spend),
        Cost::Unknown => spent::tokens(spend),
        cost => cost.to_string(),
    });
    said.map_or_else(String::new, |said| format!(" | {said}"))
}

/// How often an agent failed without a success in between.
pub(super) fn failed(crashes: u32) -> String {
    match crashes {
        0 | 1 => "failed once".to_owned(),
        crashes => format!("failed {crashes} times in a row"),
    }
}

fn iteration(step: &StepTally, iteration: u32) -> String {
    match step.most {
        Some(most) => format!("Iteration {iteration}/{most}"),
        None => "Running".to_owned(),
    }
}
