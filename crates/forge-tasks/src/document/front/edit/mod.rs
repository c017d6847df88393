//! Changing front matter without touching anything else in it.
//!
//! The front matter is parsed once. Every edit replaces the bytes of one value. The result is
//! parsed once more: unless each changed key reads as wanted and everything else as before, all
//! edits are refused.

pub(super) mod edit_pass;
pub(super) mod front_entry;
mod list_items;
mod splices;

pub use edit_pass::edit;
