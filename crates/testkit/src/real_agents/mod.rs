//! The real agents, at fixed versions, set up to talk to a [`ModelServer`](crate::ModelServer) only.
//!
//! `cargo xtask test` and `cargo xtask agents` install them; `crates/testkit/agents` says which.

mod agent;
mod claude;
mod codex;
mod find;
mod gemini;
mod opencode;
mod surroundings;

pub use agent::Agent;
pub use find::RealAgents;
