//! The front matter of a task.
//!
//! There are two readers. The fast one reads the form that nearly all files have, and returns none
//! for anything else; then the general one uses a YAML parser. Both return raw values, which are
//! interpreted in one place.
//!
//! An edit replaces the bytes of the changed values. The result is parsed again; unless everything
//! else reads as before, the edit is refused.

mod edit;
mod fast_front_reader;
mod file_parts;
mod front_key;
mod front_mapping;
mod front_matter;
mod front_value;
pub(crate) mod merge;
mod quoting;
#[cfg(test)]
mod tests;
mod yaml_node;

pub use edit::edit;
pub use file_parts::{FileParts, FilePortion, split};
pub use front_key::FrontKey;
pub use front_matter::{BrokenTask, FrontMatter, FrontMatterWarning, TaskLease};
pub use front_value::{FrontEdit, FrontEditError, FrontValue};
pub use quoting::render;
