//! The events of `codex exec --json`.

mod dialect;
mod item;
mod outcome;
mod retry;

pub(super) use dialect::Codex;
pub(super) use outcome::refusal;
