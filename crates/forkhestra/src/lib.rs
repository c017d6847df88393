//! The command lines of forkhestra: arguments are parsed into a plan, the plan runs, results are
//! printed.
//!
//! This crate composes the other crates and decides nothing about a run. The flow is
//! `argv -> Args -> PlanRequest -> Plan -> reporter`; see `ARCHITECTURE.md`.

mod bisect;
pub(crate) mod cli;
mod commands;
mod completion;
mod demo;
mod doctor;
mod init;
mod logs;
mod notify;
pub(crate) mod past_runs;
mod preflight;
pub(crate) mod project;
mod replay;
mod report;
mod supervise;
mod watch;

pub use cli::dispatch::{forge_tasks, main, ralph_runner};
