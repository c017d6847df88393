//! The config value for a looping step whose work tree equals an earlier state.

use crate::config::decode::record::choice;

choice! {
    /// What happens to a step whose work tree equals its state after an earlier iteration.
    pub enum OnCycle {
        /// It is reported.
        Report = "report",
        /// It ends.
        Stop = "stop",
    }
}
