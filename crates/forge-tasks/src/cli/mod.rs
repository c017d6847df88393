//! The command line of `forge-tasks`.
//!
//! `args` is what was typed, `commands` does it, one file a verb, and `report` says it: pure functions
//! from tasks to text, for people, for programs that read lines, and as JSON. Everything from outside
//! comes in a [`CliInputs`], and everything that is printed goes through a `Screen`.

mod args;
mod cli_inputs;
mod commands;
pub mod completion;
mod dispatch;
mod error;
mod exit_code;
mod filter;
mod from_here;
mod report;
#[cfg(test)]
mod samples;
mod tasks_console;
mod tasks_directory;
mod usage;

pub use cli_inputs::{CliInputs, TasksEnvironment, now};
pub use dispatch::main;
