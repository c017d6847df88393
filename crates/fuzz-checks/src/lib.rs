//! Properties that the parsers must have for any input, as functions that panic if one is violated.
//!
//! The targets in `fuzz/fuzz_targets` call them from libFuzzer. `tests/corpus.rs` calls them with
//! the committed corpus.

mod agent_stream;
mod config;
mod dsl;
mod journal;
mod place;
mod scan;
mod task_file;

pub use agent_stream::agent_stream;
pub use config::config;
pub use dsl::dsl;
pub use journal::journal;
pub use scan::scan;
pub use task_file::task_file;

/// A check that panics if an input violates a property.
pub type FuzzCheck = fn(&[u8]);
