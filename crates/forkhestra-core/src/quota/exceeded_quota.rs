//! A window that is fuller than its limit.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::quota_threshold::QuotaThreshold;
use super::quota_window::QuotaWindow;
use crate::config::Backend;
use crate::time::Timestamp;

/// A window of an account that is fuller than its limit allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExceededQuota {
    /// The back-end whose account it is.
    pub backend: Backend,
    /// The window.
    pub window: QuotaWindow,
    /// The used share in whole percent, rounded up.
    pub used: u16,
    /// The limit: `90%`, or `even`.
    #[schemars(with = "String")]
    pub limit: QuotaThreshold,
    /// When the window allows another agent.
    pub until: Timestamp,
}

impl ExceededQuota {
    /// The limit as an option of a command.
    pub fn option(&self) -> String {
        format!("--quota {}={}", self.window.word(), self.limit)
    }
}

/// `94 % of the account's 7d window is used, more than --quota 7d=90% allows`.
impl fmt::Display for ExceededQuota {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { window, used, .. } = self;
        let (window, option) = (window.word(), self.option());
        write!(f, "{used} % of the account's {window} window is used, more than {option} allows")
    }
}
