//! The outcomes of one set of limits over many runs.

use super::earlier_end::LimitEffect;
use super::limit_outcome::LimitOutcome;
use super::limit_savings::LimitSavings;

/// The outcomes of one set of limits over many runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LimitSummary {
    /// Runs that would have ended earlier.
    pub ended: usize,
    /// Runs in which only one iteration would have ended earlier. The loop would have continued.
    pub iteration_ended: usize,
    /// Runs in which only one step would have ended earlier. Another round, or an alternative, would
    /// have followed.
    pub step_ended: usize,
    /// Of all three, runs that later completed.
    pub harmed: usize,
    /// Runs that would have continued past a limit that ended an agent or the run.
    pub continued: usize,
    /// Runs on which the limits cannot be simulated.
    pub not_simulated: usize,
    /// Money and time of the runs that did not complete.
    pub saved: LimitSavings,
}

impl LimitSummary {
    /// Counts the outcome of a run.
    pub fn add(&mut self, outcome: &LimitOutcome) {
        match outcome {
            LimitOutcome::Unchanged => {}
            LimitOutcome::Continues => self.continued += 1,
            LimitOutcome::NotSimulated => self.not_simulated += 1,
            LimitOutcome::Earlier(end) => {
                match end.effect {
                    LimitEffect::EndsRun(_) => self.ended += 1,
                    LimitEffect::EndsStep(_) => self.step_ended += 1,
                    LimitEffect::EndsIteration(_) => self.iteration_ended += 1,
                }
                if end.completed {
                    self.harmed += 1;
                } else {
                    self.saved += end.saved;
                }
            }
        }
    }
}
