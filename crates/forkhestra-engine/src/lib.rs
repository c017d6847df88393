//! Runs plans: starts agents, copies and scans what they print, ends them and everything they
//! started, and asks the machine of the core what to do next.
//!
//! The engine prints nothing and keeps nothing on disk. It hands every event to its caller, and
//! acts only after the caller has taken it.

pub mod output;
pub mod process;
pub mod signal;
