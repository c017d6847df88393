//! What other limits would have done to recorded runs.
//!
//! [`LimitReplay`] folds the recorded events of a run twice: with the limits that the run had, and
//! with others in their place. Wherever the machine would have decided, both states are asked by the
//! machine's own functions. The first point at which they differ is the [`LimitOutcome`]; what comes
//! behind it in a run with the other limits is not known.
//!
//! - A limit that an operator changed, with `set` or `resume`, has that value from then on. The other
//!   limits stand for those that the run began with.
//! - A run that ended and was resumed is followed through all of its events.
//! - The end of an agent's process and the end of its stream are not recorded. An agent counts as
//!   running until its work is observed. A cost limit that only its last spend reaches takes effect
//!   after its iteration, since agents report their last spend when they have finished.

mod afterwards;
mod agent_limits;
mod earlier_end;
mod judged_limit;
mod limit_outcome;
mod limit_replay;
mod limit_savings;
mod replay_activity;
mod rule_summary;
mod suggestion_search;

pub use earlier_end::{EarlierEnd, EndPosition, LimitEffect};
pub use judged_limit::JudgedLimit;
pub use limit_outcome::LimitOutcome;
pub use limit_replay::LimitReplay;
pub use limit_savings::LimitSavings;
pub use rule_summary::RuleSummary;
pub use suggestion_search::{LimitSuggestion, SuggestionSearch};
