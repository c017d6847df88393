//! The config entries of limits.

use super::decode::record::record;
use crate::diagnostic::source::Spanned;
use crate::limit::{HumanDuration, Limit, Usd};
use crate::quota::QuotaLimits;
use crate::text::count::Count;

record! {
    /// Limits; each may be `"off"`.
    pub struct Limits is "limits" {
        /// Wall time of one iteration.
        "timeout" => timeout: Option<Spanned<Limit<HumanDuration>>>,
        /// Time an agent may make no progress.
        "idleTimeout" => idle_timeout: Option<Spanned<Limit<HumanDuration>>>,
        /// Wall time of the whole run (in a chain) or of the step (in a step).
        "time" => time: Option<Spanned<Limit<HumanDuration>>>,
        /// US dollars for the whole run (in a chain) or for the step (in a step).
        "cost" => cost: Option<Spanned<Limit<Usd>>>,
        /// Consecutive iterations without a new state.
        "stagnation" => stagnation: Option<Spanned<Limit<Count>>>,
        /// The longest wait for a provider's usage limit to be reset.
        "maxWait" => max_wait: Option<Spanned<Limit<HumanDuration>>>,
        /// The share of each window of the account above which no agent is started.
        "quota" => quota: Option<Spanned<Limit<QuotaLimits>>>,
    }
}
