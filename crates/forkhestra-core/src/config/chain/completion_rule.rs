//! The config value for the completion of a looping step.

use crate::config::decode::record::choice;

choice! {
    /// What completes a looping step.
    pub enum CompletionRule {
        /// The agent prints a marker, and all checks pass.
        Marker = "marker",
        /// The agent exits with 0, and all checks pass.
        Checks = "checks",
    }
}
