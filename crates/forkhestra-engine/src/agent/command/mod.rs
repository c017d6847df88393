//! The invocations of agents: arguments, variables, standard input and files.
//!
//! This module performs no I/O except for reading prompt files. An invocation can be started or
//! displayed.

mod awareness;
mod host_facts;
mod instructions;
mod invocation;
mod invocation_error;
pub(super) mod listed_tool;
#[cfg(test)]
pub(crate) mod tests;

pub use host_facts::HostFacts;
pub use instructions::AgentInstructions;
pub(crate) use instructions::read_text;
pub(super) use invocation::fits;
pub use invocation::{Invocation, InvocationRequest, invocation};
pub use invocation_error::InvocationError;
