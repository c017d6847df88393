//! The events of `codex exec --json`.

mod backend;
mod command;
mod dialect;
mod item;
mod outcome;
mod retry;

pub(super) use backend::BACKEND;
