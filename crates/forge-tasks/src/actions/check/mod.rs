//! Problems of a database, and fixing those that have one right answer.

mod conflicts;
mod find_problems;
mod fix;

pub use find_problems::{DatabaseProblem, check};
pub use fix::{FixReport, fix};
