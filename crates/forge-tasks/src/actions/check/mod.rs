//! Problems of a database, and fixing those that have one right answer.

mod circles;
mod conflicts;
mod created_order;
mod find_problems;
mod fix;
mod problem;

use super::{ActionError, TaskIndex, action_outcome, cycle};

pub use find_problems::check;
pub use fix::{FixReport, fix};
pub use problem::DatabaseProblem;
