//! The agent programs that we know: how each is started, and what its stream means.
//!
//! The way of a byte: `lines` cuts the stream, a dialect (one for each program) turns a line into
//! [events](event) and usage, and the interpreter keeps what decides: the text of the last message,
//! what was done and spent, whether the agent is through. [`listener`] puts them together, and
//! [`conclude()`] says what a whole stream and the end of its process come to. A [`watcher()`] finds
//! in complaints what streams do not tell.

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

pub use claude::{INSTEAD_OF_ROOT, NOT_FOR_ROOT};
pub use progress_gauge::ProgressGauge;
pub use stderr_watcher::{StderrOutput, StderrResult, StderrWatcher, stderr_watcher};
pub use stream::agent_stream_reader::listener;
pub use stream::conclude::conclude;
pub use stream::listener_config::ListenerConfig;
pub use stream::program_reader::{ProgramReader, ProgramResult};
pub use stream::stream_listener::{StreamFact, StreamListener, StreamNotice, StreamResult};
pub use usage_reset::ResetContext;
