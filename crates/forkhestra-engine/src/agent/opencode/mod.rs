//! The events of `opencode run --format json`.

mod backend;
mod command;
mod dialect;
mod outcome;
mod retries;
mod tools;
mod wire;

pub(super) use backend::BACKEND;
#[cfg(test)]
pub(super) use retries::PLUGIN;
