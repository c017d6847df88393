//! The events of `codex exec --json`.

mod dialect;
mod item;
mod outcome;
mod retry;

pub(super) use dialect::CodexDialect;
pub(super) use outcome::refusal;
