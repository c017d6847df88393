//! Properties that the parsers must have for any input, as functions that panic if one is violated.
//!
//! The targets in `fuzz/fuzz_targets` call them from libFuzzer. `tests/corpus.rs` calls them with
//! the committed corpus.

mod config;
mod control;
mod dsl;
mod journal;
mod outputs;
mod pieces;
mod place;
mod recording;
mod scan;
mod state_files;
mod task_file;
mod task_merge;
mod terminal_text;

pub use config::config;
pub use control::control;
pub use dsl::dsl;
pub use journal::journal;
pub use outputs::{
    agent_stderr, agent_stream, check_result, git_output, kernel_output, program_output,
};
pub use recording::recording;
pub use scan::scan;
pub use state_files::state_files;
pub use task_file::task_file;
pub use task_merge::task_merge;
pub use terminal_text::terminal_text;

/// A check that panics if an input violates a property.
pub type FuzzCheck = fn(&[u8]);
