//! What the next iteration of a step waits for.

use crate::event::agent_outcome::OutcomeClass;
use crate::event::wire::words;

words! {
    /// What the next iteration of a step waits for.
    WaitCause(as_str) {
        /// The reset of its provider's usage limit.
        UsageLimit = "usage_limit",
        /// Its provider, which is overloaded or limits the request rate.
        Overloaded = "overloaded",
        /// A window of its account that is fuller than `quota` allows. Since 2.3.
        Quota = "quota",
    }
}

impl WaitCause {
    /// The cause of a wait after a postponed attempt.
    pub(crate) const fn of(outcome: OutcomeClass) -> Self {
        match outcome {
            OutcomeClass::UsageLimit => Self::UsageLimit,
            _ => Self::Overloaded,
        }
    }

    /// The outcome that postponed the attempt; none if the attempt has not been made.
    pub(crate) const fn outcome(self) -> Option<OutcomeClass> {
        match self {
            Self::UsageLimit => Some(OutcomeClass::UsageLimit),
            Self::Overloaded => Some(OutcomeClass::Overloaded),
            Self::Quota => None,
        }
    }

    /// Whether a limit of the account is the cause: the wait may last for hours or days.
    pub const fn is_limit(self) -> bool {
        matches!(self, Self::UsageLimit | Self::Quota)
    }
}
