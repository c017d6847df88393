//! The `stream-json` format of Gemini CLI.

mod dialect;
mod outcome;
mod retries;

pub(super) use dialect::GeminiDialect;
pub(super) use outcome::{TURN_LIMIT, refined, refusal};
pub(super) use retries::GeminiRetries;
