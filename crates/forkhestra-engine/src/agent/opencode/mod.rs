//! The events of `opencode run --format json`.

mod dialect;
mod outcome;
mod retries;
mod wire;

pub(super) use dialect::Opencode;
pub(super) use outcome::refusal;
pub(super) use retries::{PLUGIN, Retries};
