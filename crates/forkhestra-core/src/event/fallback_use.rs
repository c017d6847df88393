//! The use of a fallback: which back-end runs an attempt in place of the primary one of its step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::Backend;
use crate::event::wire::words;
use crate::time::Timestamp;

/// The back-end that runs an attempt in place of the primary one of its step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FallbackUse {
    /// The back-end that runs it.
    pub backend: Backend,
    /// Why the primary one does not.
    pub why: FallbackReason,
    /// When the limit of the primary one ends, as far as it is known.
    pub until: Timestamp,
}

words! {
    /// The limit of the primary back-end's account that lets it start no agent.
    FallbackReason(as_str) {
        /// The usage limit of its provider.
        UsageLimit = "usage_limit",
        /// A window of its account that is fuller than `quota` allows.
        Quota = "quota",
    }
}
