//! What a step asks a person, and what happens without an answer.

use serde::{Deserialize, Serialize};

use crate::limit::{HumanDuration, Limit};

/// A question to a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PlanQuestion {
    /// The text; none for a `?` in a chain in one line, and for a text that is empty or white space.
    pub text: Option<String>,
    /// The timeout for an answer, by the wall clock.
    pub timeout: Limit<HumanDuration>,
    /// Whether it is approved when its timeout expires, instead of denied.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub approves_on_timeout: bool,
}
