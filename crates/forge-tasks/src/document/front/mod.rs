//! The front matter of a task: what is known of it in a few words.
//!
//! There are two readers. The fast one takes the form that nearly all files have and gives up on
//! anything else; then the general one reads it with a YAML parser. Both only find out what is
//! given for each key. What that means is decided once, for both.
//!
//! An edit asks the parser where the values are and replaces just those. What came of it is read
//! again, and unless everything else reads as before, the edit is refused.

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

pub use broken::Broken;
pub use content::{Front, Lease, Oddity};
pub use edit::edit;
pub use key::Key;
pub use render::render;
pub use split::{Parts, Portion, split};
pub use value::{CannotEdit, FrontEdit, Value};
