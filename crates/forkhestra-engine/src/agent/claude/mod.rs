//! The `stream-json` format of Claude Code, with or without partial messages.

mod backend;
mod calls;
mod command;
mod dialect;
mod message;
mod outcome;
mod partial;
mod result;
mod system;
mod usage;

pub(super) use backend::BACKEND;
pub(super) use dialect::ClaudeDialect;
