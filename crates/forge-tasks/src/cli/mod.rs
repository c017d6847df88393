//! The command line of `forge-tasks`.
//!
//! `args` parses the arguments, `commands` has one file a verb, and `report` formats the results:
//! pure functions from tasks to text, for people, for programs that read lines, and as JSON. All
//! input comes in a [`CliInputs`], and all output goes through a `TasksConsole`.

mod args;
mod argument_kind;
mod cli_inputs;
mod commands;
pub mod completion;
mod dispatch;
mod error;
mod exit_code;
mod report;
#[cfg(test)]
mod samples;
mod tasks_console;
mod tasks_directory;
mod usage;

pub use cli_inputs::{CliInputs, TasksEnvironment, now};
pub use dispatch::main;
