//! What goes on right now, in one line.

use std::time::Duration;

use forkhestra_core::event::{Event, EventKind};
use forkhestra_core::id::UnitId;

use super::duration::whole_seconds;
use super::reason;
use super::tally::{StepTally, Tally};

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
            EventKind::IterationFinished { .. }
            | EventKind::StepFinished { .. }
            | EventKind::RunFinished { .. } => *self = Self::Nothing,
            _ => {}
        }
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
                Some(format!("[Agent: {}] {what} | {time}{ending}", step.name))
            }
            Self::Waiting { step, crashes, until } => {
                let step = tally.step(*step)?;
                let what = iteration(step, step.iterations + 1);
                // Rounded up, so that it never says that nothing is left while we still wait.
                let left = until.saturating_sub(now) + Duration::from_millis(999);
                let (left, failed) = (whole_seconds(left), failed(*crashes));
                Some(format!("[Agent: {}] {what} in {left} | {failed}", step.name))
            }
        }
    }
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
