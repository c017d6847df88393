//! The events of `opencode run --format json`.

mod dialect;
mod outcome;
mod retries;
mod wire;

pub(super) use dialect::OpencodeDialect;
pub(super) use outcome::refusal;
pub(super) use retries::{OpencodeRetries, PLUGIN};
