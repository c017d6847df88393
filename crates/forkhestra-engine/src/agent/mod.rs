//! The agent programs that we know: how each is started, and what its stream means.
//!
//! The way of a byte: `lines` cuts the stream, a dialect (one for each program) turns a line into
//! [events](event) and usage, and the interpreter keeps what decides: the text of the last message,
//! what was done and spent, whether the agent is through. [`listener`] puts them together, and
//! [`conclude()`] says what a whole stream and the end of its process come to. A [`watcher()`] finds
//! in complaints what streams do not tell.

mod brief;
mod claude;
mod codex;
pub mod command;
mod conclude;
mod dialect;
pub mod event;
mod few;
mod gemini;
mod interpreter;
mod json;
pub(crate) mod lines;
mod listen;
mod non_finite;
mod open_calls;
mod opencode;
mod program_reader;
mod progress_gauge;
mod progress_times;
mod reader;
mod reported_figure;
mod resets;
mod rules;
mod speech;
mod stand_in;
mod status;
mod surrogates;
pub(crate) mod understand;
mod watcher;
pub(crate) mod words;

pub use claude::{INSTEAD_OF_ROOT, NOT_FOR_ROOT};
pub use conclude::conclude;
pub use listen::{StreamFact, StreamListener, StreamNotice, StreamResult};
pub use program_reader::{ProgramReader, ProgramResult};
pub use progress_gauge::ProgressGauge;
pub use reader::listener;
pub use resets::ResetContext;
pub use rules::ListenerConfig;
pub use watcher::{StderrOutput, StderrResult, StderrWatcher, stderr_watcher};
