//! The config value for a change of a protected file.

use crate::config::decode::record::choice;

choice! {
    /// What a change of a protected file does.
    pub enum OnProtectedChange {
        /// The work is refused.
        Refuse = "refuse",
        /// It is reported.
        Allow = "allow",
    }
}
