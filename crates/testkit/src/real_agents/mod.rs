//! The real agents, at fixed versions, configured to talk to a [`ModelServer`](crate::ModelServer)
//! only.
//!
//! `cargo xtask test` and `cargo xtask agents` install them, with the versions of
//! `crates/testkit/agents`.

mod installed_agents;

pub use installed_agents::InstalledAgents;
