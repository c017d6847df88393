//! Simulates other limits on recorded runs.
//!
//! [`LimitSimulation`] applies the recorded events of a run to two states: one with the limits that
//! the run had, and one with others in their place. Wherever the machine decided, its own functions
//! decide for both states. The first difference is the [`LimitOutcome`]; what would have followed it
//! in a run with the other limits is unknown.
//!
//! - A limit that an operator changed, with `set` or `resume`, has that value from then on. The other
//!   limits stand for those that the run began with.
//! - A run that ended and was resumed is followed through all of its events.
//! - The end of an agent's process and the end of its stream are not recorded. An agent counts as
//!   running until its work is observed. A cost limit that only its last spend reaches takes effect
//!   after its iteration, since agents report their last spend when they have finished.

mod agent_limits;
mod earlier_end;
mod limit_outcome;
mod limit_savings;
mod limit_simulation;
mod limit_summary;
mod recorded_activity;
mod simulated_limit;
mod simulation_savings;
mod suggestion_search;

pub use earlier_end::{EarlierEnd, EndPosition, LimitEffect};
pub use limit_outcome::LimitOutcome;
pub use limit_savings::LimitSavings;
pub use limit_simulation::LimitSimulation;
pub use limit_summary::LimitSummary;
pub use simulated_limit::SimulatedLimit;
pub use suggestion_search::{LimitSuggestion, SuggestionSearch};
