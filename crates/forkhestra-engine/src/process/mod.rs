//! Processes: starting them, finding everything they started, and ending all of it.
