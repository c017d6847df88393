//! Finds the iteration that broke something: which snapshot to test next, and what an answer means.

mod bisection;
mod trial_answer;

pub use bisection::{Bisection, BisectionOutcome, BisectionStep};
pub use trial_answer::{SkipReason, TrialAbort, TrialAnswer};
