//! Runs plans: starts agents, copies and scans what they print, ends them and everything they
//! started, and asks the machine of the core what to do next.
//!
//! The engine prints nothing and keeps nothing on disk. It hands every event to its caller, and
//! acts only after the caller has taken it.

mod active;
mod agent_command;
mod clock;
mod dispatcher;
mod git;
mod hash;
mod look;
mod message;
mod nowhere;
pub mod output;
mod performer;
pub mod process;
mod setting;
pub mod signal;
mod unheard;
mod work_tree;

pub use agent_command::RUN_TAG;
pub use clock::now;
pub use dispatcher::run;
pub use nowhere::Nowhere;
pub use setting::{EngineError, Logs, Setting, Sink, SinkError};
