//! The command lines of forkhestra: what was typed becomes a plan, and what came of it is shown.
//!
//! This crate composes the others and decides nothing about a run. The flow is
//! `argv -> Args -> Request -> Plan -> reporter`; see `ARCHITECTURE.md`.

mod args;
mod commands;
mod config_files;
mod dispatch;
mod error;
mod exit_code;
mod project;
mod report;
mod request;
mod screen;
mod surroundings;
mod usage;

pub use dispatch::main;
