//! What the fuzz targets check, free of libFuzzer, so that single inputs can be replayed without
//! it.

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

/// A check that panics on an input that breaks something.
pub type Target = fn(&[u8]);

/// Finds a target by its name.
pub fn target(name: &str) -> Option<Target> {
    match name {
        "agent_stream" => Some(agent_stream),
        "config" => Some(config),
        "dsl" => Some(dsl),
        "journal" => Some(journal),
        "scan" => Some(scan),
        "task_file" => Some(task_file),
        _ => None,
    }
}
