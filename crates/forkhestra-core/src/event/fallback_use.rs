//! The use of a fallback: which back-end runs an attempt in place of the first one of its step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::wait::wait_cause::WaitCause;
use crate::config::Backend;
use crate::time::Timestamp;

/// The back-end that runs an attempt in place of the first one of its step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FallbackUse {
    /// The back-end that runs it.
    pub backend: Backend,
    /// Why the first one does not.
    pub why: WaitCause,
    /// When the limit of the first one is over, as far as it is known.
    pub until: Timestamp,
}
