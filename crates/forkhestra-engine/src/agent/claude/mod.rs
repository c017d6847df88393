//! The `stream-json` format of Claude Code, with or without partial messages.

mod calls;
mod dialect;
mod message;
mod outcome;
mod partial;
mod result;
mod system;
mod usage;

pub(super) use dialect::ClaudeDialect;
pub(super) use outcome::refusal;
pub use outcome::{INSTEAD_OF_ROOT, NOT_FOR_ROOT};
