//! Repairs a journal that is damaged in the middle.
//!
//! The journal is cut at the first bad line. Nothing is inferred: the run resumes from the lines
//! before it, and iterations that only later lines record run again. The cut journal is written to
//! a new file, which replaces the damaged one atomically. The damaged one is kept beside it,
//! and so is the output of iterations that run again.

mod journal_cut;
mod lost_iterations;
mod removed_output;
mod repaired;
mod replace;

pub use journal_cut::{JournalCut, RepairError};
pub use lost_iterations::LostIterations;
pub use repaired::{Repaired, repair};
