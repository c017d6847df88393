//! The front matter of a task.
//!
//! There are two readers. The fast one reads the form that nearly all files have, and returns none for
//! anything else; then the general one uses a YAML parser. Both return raw values, which are interpreted
//! in one place.
//!
//! An edit replaces the bytes of the changed values. The result is parsed again; unless everything else
//! reads as before, the edit is refused.

mod broken;
mod content;
mod edit;
mod fast;
mod given;
mod key;
mod meaning;
mod reading;
mod render;
mod split;
#[cfg(test)]
mod tests;
mod text;
mod tree;
mod value;
mod yaml;

pub use broken::BrokenTask;
pub use content::{FrontMatter, FrontMatterWarning, TaskLease};
pub use edit::edit;
pub use key::FrontKey;
pub use render::render;
pub use split::{FileParts, FilePortion, split};
pub use value::{FrontEdit, FrontEditError, FrontValue};
