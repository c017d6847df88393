//! What statistics are grouped by.

use crate::event::wire::words;

words! {
    /// What statistics are grouped by.
    #[derive(Hash)]
    StatsGrouping(as_str) {
        /// By agent, with its model.
        Agent = "agent",
        /// By model.
        Model = "model",
        /// By chain.
        Chain = "chain",
        /// By check.
        Check = "check",
        /// By task.
        Task = "task",
        /// By the day on which a run began.
        Day = "day",
    }
}
