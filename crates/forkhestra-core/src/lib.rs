//! The pure heart of forkhestra.
//!
//! Everything a person writes (a one-line chain, a config file, prompts, variables, flags) is
//! turned here into a fully resolved plan, or into diagnostics that point at each mistake. The
//! crate reads no file, no clock and no environment and starts nothing: what it must know about
//! the world it asks through a trait of its caller's, so that the same input always gives
//! the same plan.

pub mod check;
pub mod config;
pub mod count;
pub mod diagnostic;
pub mod dsl;
pub mod event;
pub mod hook;
pub mod id;
pub mod limit;
pub mod machine;
pub mod marker;
pub mod plan;
pub mod policy;
pub mod scan;
pub mod source;
pub mod time;
pub mod variables;
pub mod words;
