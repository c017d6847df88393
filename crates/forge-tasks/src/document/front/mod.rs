//! The front matter of a task.
//!
//! There are two readers. The fast one reads the form that nearly all files have, and returns none
//! for anything else; then the general one uses a YAML parser. Both return raw values, which are
//! interpreted in one place.
//!
//! An edit replaces the bytes of the changed values. The result is parsed again; unless everything
//! else reads as before, the edit is refused.

mod broken_task;
mod edit;
mod fast;
mod front_matter;
mod interpret;
mod key;
mod raw_value;
mod render;
mod split;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod typed_value;
mod value;
mod yaml;

pub use broken_task::BrokenTask;
pub use edit::edit;
pub use front_matter::{FrontMatter, FrontMatterWarning, TaskLease};
pub use key::FrontKey;
pub use render::render;
pub use split::{FileParts, FilePortion, split};
pub use value::{FrontEdit, FrontEditError, FrontValue};
