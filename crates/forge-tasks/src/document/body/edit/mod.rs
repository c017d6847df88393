//! Changing a body.

mod criteria;
mod criterion;
mod edit_body;
mod section;
mod section_edits;
mod splice;

pub use edit_body::edit;
