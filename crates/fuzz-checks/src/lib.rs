//! Properties that the parsers must have for any input, as functions that panic if one is violated.
//!
//! The targets in `fuzz/fuzz_targets` call them from libFuzzer. `tests/corpus.rs` calls them with
//! the committed corpus.

mod agent_stderr;
mod agent_stream;
mod check_result;
mod config;
mod control;
mod dsl;
mod git_output;
mod journal;
mod kernel_output;
mod pieces;
mod place;
mod program_output;
mod recording;
mod scan;
mod state_files;
mod task_file;
mod terminal_text;

pub use agent_stderr::agent_stderr;
pub use agent_stream::agent_stream;
pub use check_result::check_result;
pub use config::config;
pub use control::control;
pub use dsl::dsl;
pub use git_output::git_output;
pub use journal::journal;
pub use kernel_output::kernel_output;
pub use program_output::program_output;
pub use recording::recording;
pub use scan::scan;
pub use state_files::state_files;
pub use task_file::task_file;
pub use terminal_text::terminal_text;

/// A check that panics if an input violates a property.
pub type FuzzCheck = fn(&[u8]);
