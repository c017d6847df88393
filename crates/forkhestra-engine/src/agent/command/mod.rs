//! How each agent program is started: its arguments, variables, input and files.
//!
//! Nothing here touches the world. What is built can be started, and shown to a person just as well.

mod awareness;
mod claude;
mod codex;
mod gemini;
mod gemini_tools;
mod host_facts;
mod instructions;
mod invocation;
mod opencode;
mod opencode_tools;
#[cfg(test)]
pub(crate) mod tests;
mod tool;
mod unstartable;

pub use claude::skips_permissions;
pub use host_facts::HostFacts;
pub use instructions::AgentInstructions;
pub(crate) use instructions::read_text;
pub use invocation::{Invocation, InvocationRequest, invocation};
pub use opencode::CONFIG as OPENCODE_CONFIG;
pub use unstartable::InvocationError;
