//! The outcomes of one set of limits over many runs.

use super::earlier_end::LimitEffect;
use super::limit_outcome::LimitOutcome;
use super::limit_savings::LimitSavings;

/// The outcomes of one set of limits over many runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LimitSummary {
    /// Runs that would have ended earlier.
    pub ended: usize,
    /// Runs in which an iteration would have been ended, and then another one would have begun.
    pub cut_off: usize,
    /// Of both, runs that later got done.
    pub harmed: usize,
    /// Runs that would have gone on beyond a recorded end.
    pub beyond: usize,
    /// Runs that cannot be judged.
    pub unknown: usize,
    /// Money and time of the runs that did not get done.
    pub saved: LimitSavings,
}

impl LimitSummary {
    /// Counts the outcome of a run.
    pub fn add(&mut self, outcome: &LimitOutcome) {
        match outcome {
            LimitOutcome::Unchanged => {}
            LimitOutcome::Continues => self.beyond += 1,
            LimitOutcome::NotSimulated => self.unknown += 1,
            LimitOutcome::Earlier(end) => {
                match end.effect {
                    LimitEffect::EndsRun(_) => self.ended += 1,
                    LimitEffect::EndsIteration(_) => self.cut_off += 1,
                }
                if end.got_done {
                    self.harmed += 1;
                } else {
                    self.saved += end.saved;
                }
            }
        }
    }
}
