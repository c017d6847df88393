//! The real agents, at fixed versions, set up to talk to a [`ModelServer`](crate::ModelServer) only.
//!
//! `cargo xtask test` and `cargo xtask agents` install them; `crates/testkit/agents` says which.

mod installed_agents;

pub use installed_agents::InstalledAgents;
