//! The supported agents: how each is invoked, and how its stream is interpreted.
//!
//! Bytes pass through three stages. The line splitter cuts the stream into lines, a dialect (one
//! for each agent) turns a line into [events](stream::agent_event) and usage, and the interpreter
//! keeps the state that matters for the run: the text of the last message, activity and spend, and
//! whether the agent has finished. [`listener`] combines them, and [`conclude()`] derives the
//! outcome from the stream and the end of the process. A [`stderr_watcher()`] finds retries that
//! only standard error reports.

mod agent_backend;
mod claude;
mod codex;
pub mod command;
mod gemini;
pub(crate) mod json;
pub(crate) mod one_line;
mod opencode;
mod progress_gauge;
mod progress_times;
mod provider_status;
mod stderr_watcher;
pub mod stream;
mod tool_summary;
mod usage_reset;

pub use agent_backend::skips_permissions;
pub use progress_gauge::ProgressGauge;
pub use stderr_watcher::{StderrOutput, StderrResult, StderrWatcher, stderr_watcher};
pub use stream::agent_stream_reader::listener;
pub use stream::conclude::conclude;
pub use stream::listener_config::ListenerConfig;
pub use stream::program_reader::ProgramReader;
pub use stream::stream_listener::{StreamFact, StreamListener, StreamNotice, StreamResult};
pub use usage_reset::ResetContext;
