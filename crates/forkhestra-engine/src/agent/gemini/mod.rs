//! The `stream-json` format of Gemini CLI.

mod backend;
mod command;
mod dialect;
mod outcome;
mod retries;
mod tools;

pub(super) use backend::BACKEND;
