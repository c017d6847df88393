//! The invocations of agents: arguments, variables, standard input and files.
//!
//! This module performs no I/O except for reading prompt files. An invocation can be started or
//! displayed.

mod awareness;
mod claude;
mod codex;
mod gemini;
mod gemini_tools;
mod host_facts;
mod instructions;
mod invocation;
mod invocation_error;
mod listed_tool;
mod opencode;
mod opencode_tools;
#[cfg(test)]
pub(crate) mod tests;

pub use claude::skips_permissions;
pub use host_facts::HostFacts;
pub use instructions::AgentInstructions;
pub(crate) use instructions::read_text;
pub use invocation::{Invocation, InvocationRequest, invocation};
pub use invocation_error::InvocationError;
pub use opencode::CONFIG as OPENCODE_CONFIG;
