//! Gemini CLI's `stream-json`.

mod dialect;
mod outcome;
mod retries;

pub(super) use dialect::GeminiDialect;
pub(super) use outcome::{TURN_LIMIT, refined, refusal};
pub(super) use retries::GeminiRetries;
